"""The live web: robots first, then the page, asked for again where that is worth it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from thresher.core.clock import SteadyClock
from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, join
from thresher.fetch.client import NO_COPIES, Copies, Exchange, Leave, Manner, always
from thresher.fetch.cookies import CookieJar, GivenCookie
from thresher.fetch.dns import Resolver
from thresher.fetch.guard import Guard
from thresher.fetch.limits import Limits
from thresher.fetch.proxy import parse_proxy
from thresher.fetch.retry import Persistence, Waits
from thresher.fetch.robots import REDIRECTS, RobotsGate
from thresher.fetch.robots_txt import Rules
from thresher.fetch.throttle import Throttle
from thresher.fetch.user_agent import product_token, user_agent

MOST_SITEMAPS = 50  # that one robots.txt may name


@dataclass(kw_only=True)
class LiveWeb:
    """HTTP as a careful site owner would have it. Nothing is asked of a host before its robots.txt."""

    agent: str = field(default_factory=user_agent)
    allow_networks: Iterable[str] = ()
    limits: Limits = Limits()
    waits: Waits = Waits()
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
    leave: Leave = always  # to make a request, asked for before each
    resolver: Resolver | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = field(default_factory=lambda: SteadyClock().now)

    def __post_init__(self) -> None:
        """Put the parts together; the first request opens the first connection."""
        self._jar = CookieJar(self.given_cookies) if self.cookies or self.given_cookies else None
        self._exchange = Exchange(
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
        self._persistence = Persistence(self.waits, self.sleep, self.now)
        self._throttle = Throttle(self.delay if self.throttle else 0.0)
        token = product_token(self.agent)
        self.robots = RobotsGate(self._robots_txt, token, crawl_delay_cap=self.crawl_delay_cap, now=self.now)

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
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
            rest=max(fetched.rest, rules.crawl_delay or 0.0, self._throttle.rest(host_of(candidate.url))),
            sitemaps=_sitemaps(candidate, rules) if self.sitemaps else (),
        )

    async def get_part(self, url: Url, page: Url, headers: Mapping[str, str]) -> Fetched:
        """Return what a page asks for by its scripts: once, and with secrets only for its own host."""
        await self.robots.admit(url)
        host = host_of(url)
        manner = Manner(headers, with_secrets=host == host_of(page), on_conditions=False)
        ask = partial(self._exchange.ask, Candidate(url), manner=manner)
        return await self._throttle.timed(host, ask)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._exchange.close()

    async def _persist(self, candidate: Candidate, pause: float) -> Fetched:
        host = host_of(candidate.url)
        ask = partial(self._throttle.timed, host, partial(self._exchange.ask, candidate))
        return await self._persistence.get(host, ask, pause)

    async def _robots_txt(self, candidate: Candidate, max_bytes: int) -> Fetched:
        ask = partial(self._exchange.ask, candidate, max_bytes)
        fetched = await self._persistence.get(host_of(candidate.url), ask, self.delay)
        if fetched.status not in REDIRECTS:  # the page that everybody waits for is a request like any other
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
