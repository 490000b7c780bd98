"""The live web, with or without a browser that renders pages made by script."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from msgspec.structs import replace
from typing_extensions import override

from thresher.core.caches import LruDict
from thresher.core.clock import SteadyClock
from thresher.core.enums import Detail
from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.interfaces import Web
from thresher.core.records import BrowserRendering, Candidate, Fetched, Url
from thresher.core.url import host_of, join
from thresher.fetch.browser.chromium import Renderer
from thresher.fetch.browser.isolation import SubRequest
from thresher.fetch.client import NO_COPIES, Copies, HttpClient, Leave, RequestOptions, always
from thresher.fetch.connection import parse_proxy
from thresher.fetch.guard import Guard, NameResolver
from thresher.fetch.limits import Backoff, ResponseLimits, RetryPolicy, Throttle
from thresher.fetch.request_headers import CookieJar, GivenCookie, product_token, user_agent
from thresher.fetch.robots import REDIRECTS, RobotsGate, Rules

# Without a browser: robots.txt first, then the page, asked for again where that is worth it


MOST_SITEMAPS = 50  # that one robots.txt may name


@dataclass(kw_only=True)
class LiveWeb(Web):
    """HTTP as a careful site owner would have it. Nothing is asked of a host before its robots.txt."""

    agent: str = field(default_factory=user_agent)
    allow_networks: Iterable[str] = ()
    limits: ResponseLimits = ResponseLimits()
    waits: Backoff = Backoff()
    delay: float = 1.0  # between two requests to a host that we make on our own: robots.txt, retries
    crawl_delay_cap: float = 60.0
    throttle: bool = True  # whether a slow host rests for as long as it usually takes
    per_host: int = 1
    per_address: int = 4
    proxy: str = field(default="", repr=False)
    proxy_resolves: bool = False
    proxy_is_ours: bool = True  # and not another machine's idea: then the guard looks at its address, too
    cookies: bool = False
    given_cookies: Sequence[GivenCookie] = field(default=(), repr=False)  # of the user's own
    sitemaps: bool = False
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # lines of a request, by origin
    copies: Copies = NO_COPIES  # of pages fetched before
    trust: str = ""
    robots_token: str = ""  # not set: the one in the agent
    leave: Leave = always  # to make a request, asked for before each
    resolver: NameResolver | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = field(default_factory=lambda: SteadyClock().now)

    def __post_init__(self) -> None:
        """Put the parts together; the first request opens the first connection."""
        self._jar = CookieJar(self.given_cookies) if self.cookies or self.given_cookies else None
        self._exchange = HttpClient(
            Guard(self.allow_networks),
            agent=self.agent,
            limits=self.limits,
            proxy=parse_proxy(self.proxy, self.proxy_is_ours),
            proxy_resolves=self.proxy_resolves,
            secrets=self.secrets,
            cookies=self._jar,
            copies=self.copies,
            per_host=self.per_host,
            per_address=self.per_address,
            resolver=self.resolver,
            trust=self.trust,
            leave=self.leave,
        )
        self._persistence = RetryPolicy(self.waits, self.sleep, self.now)
        self._throttle = Throttle(self.delay if self.throttle else 0.0)
        token = self.robots_token or product_token(self.agent)
        self.robots = RobotsGate(self._robots_txt, token, crawl_delay_cap=self.crawl_delay_cap, now=self.now)

    @override
    async def get(self, candidate: Candidate) -> Fetched:
        rules = await self.robots.admit(candidate.url)
        pause = max(self.delay, rules.crawl_delay or 0.0)
        try:
            fetched = await self._persist(candidate, pause)
            if self._waits_for_cookie(fetched):
                await self.sleep(pause)
                fetched = await self._persist(candidate, pause)
        except FetchError as error:
            error.rest = max(error.rest, rules.crawl_delay or 0.0)
            raise
        return replace(
            fetched,
            retry_after=max(
                fetched.retry_after, rules.crawl_delay or 0.0, self._throttle.rest(host_of(candidate.url))
            ),
            sitemaps=_sitemaps(candidate, rules) if self.sitemaps else (),
        )

    async def get_part(self, url: Url, page: Url, headers: Mapping[str, str]) -> Fetched:
        """Return what a page asks for by its scripts: once, and with secrets only for its own host."""
        await self.robots.admit(url)
        host = host_of(url)
        manner = RequestOptions(headers, with_secrets=host == host_of(page), on_conditions=False)
        ask = partial(self._exchange.ask, Candidate(url), manner=manner)
        return await self._throttle.timed(host, ask)

    @override
    async def close(self) -> None:
        await self._exchange.close()

    async def _persist(self, candidate: Candidate, pause: float) -> Fetched:
        host = host_of(candidate.url)
        ask = partial(self._throttle.timed, host, partial(self._exchange.ask, candidate))
        return await self._persistence.get(host, ask, pause)

    async def _robots_txt(self, candidate: Candidate, max_bytes: int) -> Fetched:
        ask = partial(self._exchange.ask, candidate, max_bytes)
        fetched = await self._persistence.get(host_of(candidate.url), ask, self.delay)
        if fetched.status not in REDIRECTS:  # the page that all others wait for is a request like any other
            await self.sleep(self.delay)
        return fetched

    def _waits_for_cookie(self, fetched: Fetched) -> bool:
        """Tell a page that sends its visitor back to itself until the cookie it sets comes along."""
        if self._jar is None or fetched.status not in REDIRECTS or not fetched.header("set-cookie"):
            return False
        try:
            return join(fetched.url, fetched.header("location")) == fetched.url
        except InvalidUrl:
            return False


def _sitemaps(candidate: Candidate, rules: Rules) -> tuple[Url, ...]:
    """Return the sitemaps that a seed's host names."""
    named = []
    for text in rules.sitemaps[:MOST_SITEMAPS] if candidate.via is None else ():
        try:
            named.append(join(candidate.url, text))
        except InvalidUrl:
            continue
    return tuple(named)


# The live web with eyes for pages made by script: rendered where that is allowed, counted where not.
#
# What a page asks for on its way goes through the same web as the page did: guard, robots.txt, the pauses of
# its host, limits of size, and the archive. A host that was asked for a part rests before it is visited.


HOSTS = 20_000
SURE = 3  # pages of a host after which it is known whether rendering them is worth it
FREE = 20  # pages rendered whatever the share
KEPT_PARTS, MOST_KEPT = 500, 1 << 20  # scripts and styles, and bytes of one, kept for the next pages

NEVER = BrowserRendering(Detail.NEEDS_BROWSER, "made by script: --set web.browser=auto renders such pages")
ENOUGH = BrowserRendering(Detail.NEEDS_BROWSER, "made by script, and enough were rendered: web.browser_share")


class When(Enum):
    """Which pages are rendered."""

    NEVER = "never"
    AUTO = "auto"
    ALWAYS = "always"


@dataclass
class RenderingWeb(Web):
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
    _worth: LruDict[str, int] = field(default_factory=lambda: LruDict(HOSTS))  # pages that gained, or lost
    _parts: "Parts" = field(init=False)

    def __post_init__(self) -> None:
        """Keep what pages ask for apart from the pages."""
        self._parts = Parts(self.live, self.sleep)

    @override
    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, with what a browser made of it where it is made by script."""
        await self._parts.let_rest(candidate.url)
        fetched = await self.live.get(candidate)
        self._parts.note(candidate.url)
        self.visits += 1
        if not self._is_for_browser(fetched):
            return fetched
        return replace(fetched, rendering=await self._rendering(fetched))

    @override
    async def close(self) -> None:
        if self.renderer is not None:
            await self.renderer.close()
        await self.live.close()

    def _is_for_browser(self, fetched: Fetched) -> bool:
        if self.when is When.ALWAYS or self._standing(fetched.url) >= SURE:
            return self.has_script(fetched)
        return self.is_made_by_script(fetched)

    async def _rendering(self, fetched: Fetched) -> BrowserRendering:
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

    def _learn(self, fetched: Fetched, rendering: BrowserRendering) -> None:
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
    _next: LruDict[str, float] = field(default_factory=lambda: LruDict(HOSTS))  # when a host is ready
    _asked: LruDict[str, bool] = field(default_factory=lambda: LruDict(HOSTS))  # hosts that had parts
    _kept: LruDict[tuple[Url, bool], Fetched] = field(default_factory=lambda: LruDict(KEPT_PARTS))

    async def get(self, part: SubRequest) -> Fetched:
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
            self._kept.put(key, replace(fetched, head=b"", raw_body=b"", request=b""))
        return fetched

    async def let_rest(self, url: Url) -> None:
        """Wait until a host that was asked for parts has rested from them."""
        if self._asked.get(host := host_of(url)):
            await self._turn(host, self.live.delay)

    def note(self, url: Url) -> None:
        """Note that a page of a host was asked for just now."""
        self._next.put(host_of(url), _now() + self.live.delay)

    async def _turn(self, host: str, pause: float) -> None:
        """Wait for our turn at a host: waiting requests are let in one pause after the other."""
        now, ready = _now(), self._next.get(host) or 0.0
        self._next.put(host, max(now, ready) + pause)
        if ready > now:
            await self.sleep(ready - now)


def _now() -> float:
    return asyncio.get_running_loop().time()
