"""The live web: robots first, then the page, asked for again where that is worth it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp.abc import AbstractResolver
from msgspec.structs import replace

from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, join
from thresher.web.agent import product_token, user_agent
from thresher.web.cookies import CookieJar
from thresher.web.exchange import Exchange, Limits, Validators
from thresher.web.guard import Guard
from thresher.web.retry import Persistence, Waits
from thresher.web.robots import REDIRECTS, RobotsGate
from thresher.web.rules import Rules

MOST_SITEMAPS = 50  # that one robots.txt may name


class LiveWeb:
    """HTTP as a careful site owner would have it. Nothing is asked of a host before its robots.txt."""

    def __init__(
        self,
        *,
        agent: str = "",
        allow_networks: Iterable[str] = (),
        limits: Limits = Limits(),
        waits: Waits = Waits(),
        delay: float = 1.0,
        crawl_delay_cap: float = 60.0,
        per_host: int = 1,
        per_address: int = 4,
        proxy: str = "",
        cookies: bool = False,
        credentials: Mapping[str, str] | None = None,
        sitemaps: bool = False,
        validators: Callable[[Url], Validators | None] = lambda url: None,
        trust: str = "",
        resolver: AbstractResolver | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        agent = agent or user_agent()
        self._delay, self._sleep, self._sitemaps = delay, sleep, sitemaps
        self._jar = CookieJar() if cookies else None
        self._exchange = Exchange(
            Guard(allow_networks, proxy=proxy),
            agent=agent,
            limits=limits,
            proxy=proxy,
            credentials=credentials,
            cookies=self._jar,
            validators=validators,
            per_host=per_host,
            per_address=per_address,
            resolver=resolver,
            trust=trust,
        )
        self._persistence = Persistence(waits, sleep, now)
        self.robots = RobotsGate(
            self._robots_txt, product_token(agent), crawl_delay_cap=crawl_delay_cap, now=now
        )

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
        rules = await self.robots.admit(candidate.url)
        pause = max(self._delay, rules.crawl_delay or 0.0)
        try:
            fetched = await self._persist(candidate, pause)
            if self._waits_for_cookie(fetched):
                await self._sleep(pause)
                fetched = await self._persist(candidate, pause)
        except FetchError as error:
            error.rest = max(error.rest, rules.crawl_delay or 0.0)
            raise
        return replace(
            fetched,
            rest=max(fetched.rest, rules.crawl_delay or 0.0),
            sitemaps=_sitemaps(candidate, rules) if self._sitemaps else (),
        )

    def hasten(self) -> None:
        """Wait for nobody any more: visits under way end with what they have, for a crawl that stops."""
        self._persistence.hasten()

    async def close(self) -> None:
        """Let go of every connection."""
        await self._exchange.close()

    async def _persist(self, candidate: Candidate, pause: float) -> Fetched:
        return await self._persistence.get(
            host_of(candidate.url), lambda: self._exchange.ask(candidate), pause
        )

    async def _robots_txt(self, candidate: Candidate, max_bytes: int) -> Fetched:
        fetched = await self._persistence.get(
            host_of(candidate.url), lambda: self._exchange.ask(candidate, max_bytes), self._delay
        )
        if fetched.status not in REDIRECTS:  # the page that everybody waits for is a request like any other
            await self._sleep(self._delay)
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
