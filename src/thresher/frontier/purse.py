"""Whether to wait for a better host: a worse page is paid for with the time that was waited.

    asking for p while a host with q is not ready costs    patience * min(1, (q - p) / (usual - median))
    a second of waiting earns                              a second
    the purse holds at most                                patience

p       the best price of a ready host            usual    the median price of the latest 33 requests
q       the best price of a host that rests or    median   the median price of the latest 511 arrivals
        is busy, for a minute at most

So patience is how many seconds it takes until a middling page is asked for instead of a usual one. Prices of
any scale and origin give the same order, equal prices cost nothing. What is a little worse is asked for soon,
what is much worse seldom, however long the better host may rest, be late or hang.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping, Sequence
from math import inf, isfinite

from thresher.core.progress import Awaited
from thresher.frontier.awaited import AwaitedHosts
from thresher.frontier.cold import Rank
from thresher.frontier.host import Host
from thresher.frontier.pace import Pace

ARRIVALS = 511  # prices of which the middle one is what lies about
REQUESTS = 33  # prices of which the middle one is what is usually had
ENOUGH = 1 - 1e-9  # of a cost: sums of small numbers are never exact
SOONEST = 1e-3  # seconds until a purse that is nearly full is looked into again


class Purse:
    """The seconds that were waited for better hosts, and what they buy."""

    def __init__(self, pace: Pace, hosts: Mapping[str, Host]) -> None:
        """Begin with nothing, and know the hosts of the workbench."""
        self.hosts = AwaitedHosts(hosts)
        self.due: float | None = None  # when it will hold enough for the best that is ready, if one waits
        self._pace = pace
        self._arrivals, self._requests = Middle(ARRIVALS), Middle(REQUESTS)
        self._saved = 0.0
        self._looked: float | None = None  # while one waits: when that was last looked at
        self._instead: tuple[Host, float, float] | None = None

    def note_arrival(self, price: float) -> None:
        """Take note of a price at which a candidate came to wait; infinite ones say nothing of others."""
        if isfinite(price):
            self._arrivals.add(price)

    def note_backlog(self, negated: Sequence[float]) -> None:
        """Take note of some of the prices at which candidates of an earlier run wait."""
        for price in negated[:: 1 + len(negated) // ARRIVALS]:
            self.note_arrival(-price)

    def note_request(self, host: Host, price: float, now: float) -> None:
        """Take note of a request that is sent."""
        host.asked_at = now
        if isfinite(price):
            self._requests.add(price)

    def lets_ask(self, ready: Rank, now: float) -> bool:
        """Tell whether to ask the best ready host now, and pay; if not, set when to come back."""
        better = self.hosts.best(now)
        if better is None or better.hoped is None or better.hoped[:2] >= ready[:2]:
            self._looked = None
            return True
        p, q = -ready[1], -better.hoped[1] if better.hoped[0] == ready[0] else inf
        patience = self._pace.seconds(now)
        self._save(patience, now)
        cost = patience * self._loss(q, p)
        if self._saved >= cost * ENOUGH:
            self._saved = max(0.0, self._saved - cost)
            return True
        self.due = now + max(SOONEST, cost - self._saved)
        self._instead = better, q, p
        return False

    def awaited(self, now: float) -> Awaited | None:
        """Return who is waited for, and instead of what, if somebody is."""
        if self.due is None or self._instead is None:
            return None
        host, price, other = self._instead
        ends = min(self.due, host.ready_at) if host.resting else self.due
        return Awaited(host.name, max(0.0, ends - now), price, other, host.asked_rest)

    def _save(self, patience: float, now: float) -> None:
        """Put the seconds since the last look into the purse."""
        waited = 0.0 if self._looked is None else now - self._looked
        self._saved, self._looked = min(patience, self._saved + waited), now

    def _loss(self, better: float, ready: float) -> float:
        """Return what is lost by the worse price, 1 at most: as much as by a middling one for a usual one."""
        scale, gap = self._requests.value - self._arrivals.value, better - ready
        return min(1.0, gap / scale) if scale > 0 and isfinite(gap) else 1.0


class Middle:
    """The median of the latest numbers."""

    def __init__(self, most: int) -> None:
        """Keep that many."""
        self._latest: deque[float] = deque()
        self._sorted: list[float] = []
        self._most = most

    def add(self, number: float) -> None:
        """Take one in, and the oldest out if there are enough."""
        self._latest.append(number)
        insort(self._sorted, number)
        if len(self._latest) > self._most:
            del self._sorted[bisect_left(self._sorted, self._latest.popleft())]

    @property
    def value(self) -> float:
        """The middle one; 0 before there is any."""
        return self._sorted[len(self._sorted) // 2] if self._sorted else 0.0
