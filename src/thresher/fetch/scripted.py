"""The live web with eyes for pages made by script: rendered where that is allowed, counted where not.

What a page asks for on its way goes through the same web as the page did: guard, robots.txt, the pauses of
its host, limits of size, and the archive. A host that was asked for a part rests before it is visited.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum

from msgspec.structs import replace

from thresher.core.caches import Bounded
from thresher.core.enums import Detail
from thresher.core.records import Candidate, Fetched, Rendering, Url
from thresher.core.url import host_of
from thresher.fetch.browser.renderer import Renderer
from thresher.fetch.browser.requests import Part
from thresher.fetch.live import LiveWeb

HOSTS = 20_000
SURE = 3  # pages of a host after which it is known whether rendering them is worth it
FREE = 20  # pages rendered whatever the share
KEPT_PARTS, MOST_KEPT = 500, 1 << 20  # scripts and styles, and bytes of one, kept for the next pages

NEVER = Rendering(Detail.NEEDS_BROWSER, "made by script: --set web.browser=auto renders such pages")
ENOUGH = Rendering(Detail.NEEDS_BROWSER, "made by script, and enough were rendered: web.browser_share")


class When(Enum):
    """Which pages are rendered."""

    NEVER = "never"
    AUTO = "auto"
    ALWAYS = "always"


@dataclass
class ScriptedWeb:
    """HTTP as a careful site owner would have it, with a browser for pages made by script."""

    live: LiveWeb
    is_made_by_script: Callable[[Fetched], bool]
    has_script: Callable[[Fetched], bool]
    renderer: Renderer | None = None  # None: nothing is rendered, only counted
    when: When = When.NEVER
    share: float = 0.1
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    visits: int = 0
    rendered: int = 0
    _worth: Bounded[str, int] = field(default_factory=lambda: Bounded(HOSTS))  # pages that gained, or lost
    _parts: "Parts" = field(init=False)

    def __post_init__(self) -> None:
        """Keep what pages ask for apart from the pages."""
        self._parts = Parts(self.live, self.sleep)

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, with what a browser made of it where it is made by script."""
        await self._parts.let_rest(candidate.url)
        fetched = await self.live.get(candidate)
        self._parts.note(candidate.url)
        self.visits += 1
        if not self._is_for_browser(fetched):
            return fetched
        return replace(fetched, rendering=await self._rendering(fetched))

    async def close(self) -> None:
        """End every browser and let go of every connection."""
        if self.renderer is not None:
            await self.renderer.close()
        await self.live.close()

    def _is_for_browser(self, fetched: Fetched) -> bool:
        if self.when is When.ALWAYS or self._standing(fetched.url) >= SURE:
            return self.has_script(fetched)
        return self.is_made_by_script(fetched)

    async def _rendering(self, fetched: Fetched) -> Rendering:
        if self.renderer is None:
            return NEVER
        if self.when is When.AUTO and not self._is_worth(fetched.url):
            return ENOUGH
        self.rendered += 1
        rendering = await self.renderer.render(fetched, self._parts.get)
        self.rendered -= rendering.detail is Detail.NEEDS_BROWSER
        self._learn(fetched, rendering)
        return rendering

    def _is_worth(self, url: Url) -> bool:
        """Tell whether one more page may be rendered, and whether pages of its host gain by it."""
        return self._standing(url) > -SURE and self.rendered < FREE + self.share * self.visits

    def _learn(self, fetched: Fetched, rendering: Rendering) -> None:
        """Remember of a host whether its pages gain by being rendered."""
        if rendering.detail is Detail.NEEDS_BROWSER:
            return
        seen = replace(fetched, body=rendering.document)
        gained = bool(rendering.document) and not self.is_made_by_script(_with_script(seen))
        self._worth.put(host_of(fetched.url), self._standing(fetched.url) + (1 if gained else -1))

    def _standing(self, url: Url) -> int:
        return self._worth.get(host_of(url)) or 0


def _with_script(fetched: Fetched) -> Fetched:
    """Return a rendered page as if it still had its scripts, to be asked whether it has hardly any text."""
    return replace(fetched, body=b"<script></script>" + fetched.body)


@dataclass
class Parts:
    """What pages ask for by their scripts, asked of the same web with the same pauses."""

    live: LiveWeb
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _next: Bounded[str, float] = field(default_factory=lambda: Bounded(HOSTS))  # when a host is ready
    _asked: Bounded[str, bool] = field(default_factory=lambda: Bounded(HOSTS))  # hosts that had parts
    _kept: Bounded[tuple[Url, bool], Fetched] = field(default_factory=lambda: Bounded(KEPT_PARTS))

    async def get(self, part: Part) -> Fetched:
        """Return a part of a page; scripts and styles that other pages had are not asked for again."""
        key = part.url, host_of(part.url) == host_of(part.page)  # what secrets opened is for its own host
        if part.may_be_kept and (kept := self._kept.get(key)):
            return kept
        rules = await self.live.robots.admit(part.url)
        host, pause = host_of(part.url), max(self.live.delay, rules.crawl_delay or 0.0)
        await self._turn(host, pause)
        self._asked.put(host, True)
        fetched = await self.live.get_part(part.url, part.page, part.headers)
        self._next.put(host, max(self._next.get(host) or 0.0, _now() + pause))
        if part.may_be_kept and fetched.status == 200 and len(fetched.body) <= MOST_KEPT:
            self._kept.put(key, replace(fetched, head=b"", wire=b"", request=b""))
        return fetched

    async def let_rest(self, url: Url) -> None:
        """Wait until a host that was asked for parts has rested from them."""
        if self._asked.get(host := host_of(url)):
            await self._turn(host, self.live.delay)

    def note(self, url: Url) -> None:
        """Note that a page of a host was asked for just now."""
        self._next.put(host_of(url), _now() + self.live.delay)

    async def _turn(self, host: str, pause: float) -> None:
        """Wait for our turn at a host: those who wait are let in one pause after the other."""
        now, ready = _now(), self._next.get(host) or 0.0
        self._next.put(host, max(now, ready) + pause)
        if ready > now:
            await self.sleep(ready - now)


def _now() -> float:
    return asyncio.get_running_loop().time()
