"""The gate that every request passes: robots.txt is read once per host, before anything else of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from msgspec import Struct

from thresher.core.caches import Bounded
from thresher.core.errors import (
    CertificateRefused,
    FetchError,
    GuardRefused,
    HostParked,
    IncompleteResponse,
    InvalidUrl,
    NameUnresolved,
    RobotsForbidden,
    RobotsUnreachable,
)
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, join
from thresher.fetch.robots_txt import MOST_BYTES, Rules, Verdict, parse_robots

HOSTS = 20_000  # whose rules are remembered, a few kilobytes each
MOST_REDIRECTS = 5  # of a robots.txt: RFC 9309 asks for at least so many to be followed
REDIRECTS = frozenset({301, 302, 303, 307, 308})

LARGE = 32 << 10
"""A file from here on is read aside, so that nobody waits for it."""

MANY = 2_000
"""Rules from here on are asked aside as well."""

HOSTLESS = frozenset({GuardRefused, NameUnresolved, CertificateRefused})
"""Errors that say there is no host to have rules."""

Ask = Callable[[Candidate, int], Awaitable[Fetched]]
"""Asks for a URL and reads at most so many bytes of it."""


class Answer(Struct, frozen=True):
    """What came of asking for a robots.txt, and until when it counts."""

    rules: Rules
    until: float
    source: str  # what came: "status 200", "more than 5 redirects", the sentence of an error
    refusal: type[FetchError] | None = None  # why nothing of the host may be asked for now


class RobotsGate:
    """Says for each URL what its host's robots.txt says. One request per host, however many ask at once."""

    def __init__(
        self,
        ask: Ask,
        token: str,
        *,
        crawl_delay_cap: float = 60.0,
        keep: float = 86_400.0,
        retry: float = 600.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._ask, self._token, self._now = ask, token, now
        self._crawl_delay_cap, self._keep, self._retry = crawl_delay_cap, keep, retry
        self._answers: Bounded[str, Answer] = Bounded(HOSTS)
        self._asking: dict[str, asyncio.Task[Answer]] = {}

    async def admit(self, url: Url) -> Rules:
        """Return the host's rules if they let the URL pass; raise what stands in the way otherwise."""
        answer = await self.answer(url)
        if answer.refusal is not None:
            raise self._refusal(answer)
        verdict = Verdict(True) if url == f"{host_of(url)}/robots.txt" else await _verdict(answer.rules, url)
        if not verdict.allowed:
            raise RobotsForbidden(f"robots.txt says {verdict.rule}")
        self._park(url, answer.rules.crawl_delay or 0.0)
        return answer.rules

    async def verdict(self, url: Url) -> Verdict:
        """Return what robots.txt says about a URL, without asking for it."""
        answer = await self.answer(url)
        return Verdict(False) if answer.refusal else await _verdict(answer.rules, url)

    async def answer(self, url: Url) -> Answer:
        """Return what is known of the host's robots.txt, asking for it if need be."""
        host = host_of(url)
        kept = self._answers.get(host)
        if kept is not None and self._now() < kept.until:
            return kept
        if host not in self._asking:
            self._asking[host] = asyncio.create_task(self._read(host))
        return await asyncio.shield(self._asking[host])  # one who gives up does not take the others along

    def _park(self, url: Url, delay: float) -> None:
        if delay > self._crawl_delay_cap:
            raise HostParked(
                f"robots.txt of {host_of(url)} asks for {delay:g} seconds between requests, "
                f"more than the {self._crawl_delay_cap:g} of web.crawl_delay_cap"
            )

    def _refusal(self, answer: Answer) -> FetchError:
        """Return what stands in the way of the whole host: its robots.txt, or its very address."""
        kind = answer.refusal or RobotsUnreachable
        if kind in HOSTLESS:
            return kind(answer.source)
        refusal = RobotsUnreachable(f"robots.txt cannot be had: {answer.source}")
        refusal.rest = max(0.0, answer.until - self._now())
        return refusal

    async def _read(self, host: str) -> Answer:
        try:
            answer = await self._follow(Url(f"{host}/robots.txt"))
            self._answers.put(host, answer)
            return answer
        finally:
            del self._asking[host]

    async def _follow(self, url: Url) -> Answer:
        """Ask for the file through its redirects; the rules count for the host we began with."""
        for hop in range(1 + MOST_REDIRECTS):
            try:
                fetched = await self._ask(Candidate(url), MOST_BYTES)
            except IncompleteResponse as error:
                fetched = error.partial
            except FetchError as error:
                return self._unreachable(str(error), RobotsUnreachable if hop else type(error))
            if fetched.status not in REDIRECTS:
                return await self._conclude(fetched)
            try:
                url = join(url, fetched.header("location"))
            except InvalidUrl:
                return self._allow_all("redirect to nowhere")
        return self._allow_all(f"more than {MOST_REDIRECTS} redirects")

    async def _conclude(self, fetched: Fetched) -> Answer:
        status = fetched.status
        if 200 <= status < 300:
            return Answer(await self._rules(fetched.body), self._now() + self._keep, f"status {status}")
        if status == 429 or status >= 500:  # 429 is a plea for rest, not a lack of rules
            return self._unreachable(f"status {status}")
        return self._allow_all(f"status {status}")

    async def _rules(self, body: bytes) -> Rules:
        if len(body) < LARGE:
            return parse_robots(body, self._token)
        return await asyncio.to_thread(parse_robots, body, self._token)

    def _allow_all(self, why: str) -> Answer:
        return Answer(Rules(), self._now() + self._keep, why)

    def _unreachable(self, why: str, refusal: type[FetchError] = RobotsUnreachable) -> Answer:
        return Answer(Rules(), self._now() + self._retry, why, refusal)


async def _verdict(rules: Rules, url: Url) -> Verdict:
    if len(rules.rules) < MANY:
        return rules.verdict(url)
    return await asyncio.to_thread(rules.verdict, url)
