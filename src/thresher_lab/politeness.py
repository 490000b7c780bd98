"""A polite replay: several requests under way, each takes its time, and no second really passes.

    latency(URL) = MEDIAN * exp(SPREAD * (n1 + n2)), and SLOWLY times that for one URL in a hundred

n1 and n2 are normal numbers that follow from the seed and the host, and from the seed and the URL, alone: so
every strategy meets the same hosts, the slow ones among them, in whatever order it asks.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from heapq import heappop, heappush
from math import exp
from statistics import NormalDist

from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.interfaces import Clock
from thresher.core.records import Candidate, Url, Visit
from thresher.core.url import host_of
from thresher.engine.workers import LocalWorkers, Visitor
from thresher.fetch.limits import Throttle
from thresher.frontier.waiting import PATIENCE

MEDIAN = 0.3  # seconds
SPREAD = 0.5  # of hosts, and of the requests to one host, as logarithms
SELDOM, SLOWLY = 0.01, 10.0
IN_FLIGHT, DELAY = 16, 1.0  # as a crawl of the live web has them unless told otherwise
NORMAL = NormalDist()


class Politeness(Struct, frozen=True):
    """How a replay is played as crawls run: how long a better host is waited for, and which latencies."""

    wait: float = PATIENCE
    luck: int = 1  # the seed of the latencies


@dataclass(frozen=True)
class Latency:
    """How long each URL takes to answer."""

    seed: int

    def of(self, url: Url) -> float:
        """Return the seconds that the answer of a URL takes."""
        spread = SPREAD * (_normal(self.seed, host_of(url)) + _normal(self.seed, url))
        slowly = SLOWLY if _chance(self.seed, "slow", url) < SELDOM else 1.0
        return MEDIAN * slowly * exp(spread)


class PoliteWorkerFactory(Struct, frozen=True):
    """How a polite replay works: with latencies, and a rest for every host."""

    latency: Latency
    delay: float

    def of(self, visitor: Visitor, clock: Clock) -> "PoliteWorkers":
        """Return the workers that visit so."""
        return PoliteWorkers(visitor, clock, self.latency, self.delay)


class PoliteWorkers(LocalWorkers):
    """Workers in virtual time; visits come back in the order in which their answers do."""

    def __init__(self, visitor: Visitor, clock: Clock, latency: Latency, delay: float) -> None:
        """Store the visitor, the clock, how long answers take, and the usual pause of a host."""
        super().__init__(visitor, IN_FLIGHT, clock)
        self._latency, self._throttle = latency, Throttle(delay)
        self._under_way: list[tuple[float, int, Candidate]] = []
        self._sent = 0

    @override
    def send(self, candidate: Candidate) -> None:
        """Start a visit: its answer will come after a while."""
        self._sent += 1
        self.busy += 1
        ends = self._clock.now() + self._latency.of(candidate.url)
        heappush(self._under_way, (ends, self._sent, candidate))

    @override
    async def next(self, timeout: float | None) -> Visit | None:
        """Return the visit that ends next, or None when the timeout passes first."""
        left = self._under_way[0][0] - self._clock.now() if self._under_way else None
        if left is None or (timeout is not None and timeout < left):
            await self._clock.sleep(timeout or 0.0)
            return None
        await self._clock.sleep(left)
        self.busy -= 1
        return await self._ended(heappop(self._under_way)[-1])

    @override
    async def close(self) -> None:
        """Drop what is under way."""
        self._under_way.clear()
        self.busy = 0

    async def _ended(self, candidate: Candidate) -> Visit:
        """Return the visit whose answer has come; a slow host rests for longer, as on the live web."""
        visit, host = await self.visitor.visit(candidate), host_of(candidate.url)
        self._throttle.note(host, self._latency.of(candidate.url), visit.status == 200)
        return replace(visit, retry_after=max(visit.retry_after, self._throttle.rest(host)))


@lru_cache(maxsize=100_000)
def _normal(seed: int, name: str) -> float:
    return NORMAL.inv_cdf(_chance(seed, "normal", name))


def _chance(*parts: object) -> float:
    """Return a number between 0 and 1 that follows from the parts alone."""
    digest = blake2b("\n".join(map(str, parts)).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64
