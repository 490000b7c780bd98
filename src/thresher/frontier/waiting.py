"""Whether to wait for a host that has better pages but may not be asked yet."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf, isfinite

from thresher.core.progress import HostWait, Progress
from thresher.frontier.host import Host, Rank

# Patience: for how many seconds a crawl would rather wait than ask for a middling page


PATIENCE = 2.0  # seconds, by default
MOST = 4.0  # seconds that a crawl with time to spare waits at most
LEAST = 0.02  # seconds a page: with less time than that no host is waited for
SLOWLY = 0.1  # the power to which being early or late counts, once a second
FEWEST = 5  # pages before it can be said whether a crawl is early or late


Pace = Callable[[float], float]
"""For a moment: the seconds after which a middling page is asked for instead of a usual one."""


def steady(patience: float) -> Pace:
    """Return the same patience from the start to the end."""
    return lambda now: patience


def paced(progress: Progress) -> Pace:
    """Return a patience for limited time and pages: long while there is time, short when it is late.

    patience *= (the time that is left for what is missing / the time that so much has taken) ** SLOWLY
    once a second: a cost of time that rises while the crawl is late, and falls while it is early.
    """
    begun, pages, weighed = _shares(progress), progress.pages, progress.started
    patience = min(PATIENCE, 2 * _seconds_a_page(progress, weighed))

    def at(now: float) -> float:
        nonlocal patience, weighed
        if now - weighed >= 1.0 and progress.pages - pages >= FEWEST:
            weighed = now
            patience = min(MOST, max(LEAST, patience) * _lead(progress, begun, now) ** SLOWLY)
        return patience if _seconds_a_page(progress, now) >= LEAST else 0.0

    return at


def pace_of(asked: float | None, progress: Progress) -> Pace:
    """Return the patience asked for; without a word, that which fits the limits of the crawl."""
    budget = progress.budget
    if asked is None and budget.seconds and (budget.pages or budget.relevant):
        return paced(progress)
    return steady(PATIENCE if asked is None else asked)


def _lead(progress: Progress, begun: Sequence[float], now: float) -> float:
    """Return the time the rest may take beside what it would take as it went so far; 1 is in time."""
    left = _left(progress, now)
    share = max((each - before) / (1 - before) for each, before in zip(_shares(progress), begun, strict=True))
    passed = now - progress.started
    return left * share / (passed * max(1 - share, 1e-6)) if share > 0 else 1.0


def _shares(progress: Progress) -> tuple[float, ...]:
    """Return how much of each limit but the time is spent; what is over counts as nearly so."""
    budget = progress.budget
    spent = [(progress.pages, budget.pages), (progress.relevant, budget.relevant)]
    return tuple(min(done / limit, 0.999) for done, limit in spent if limit) or (0.0,)


def _seconds_a_page(progress: Progress, now: float) -> float:
    missing = progress.budget.pages - progress.pages
    return _left(progress, now) / max(1, missing) if progress.budget.pages else PATIENCE


def _left(progress: Progress, now: float) -> float:
    return max(0.0, progress.started + progress.budget.seconds - now)


# Hosts that may not be asked yet, by what they would give


HORIZON = 60.0  # seconds: who rests, or is silent, for longer is not waited for
SLACK = 64  # entries of a heap beyond four for each host before the stale ones are thrown out


class BusyHosts:
    """Hosts that rest or are busy and have work, the best candidate first.

    Invariant: such a host stands in `_heap` under the rank of its best candidate (`hoped`), or, while it
    rests beyond the horizon, in `_far` under the time from which on it counts. Stale entries are dropped
    when they come up, as in the workbench.
    """

    def __init__(self, hosts: Mapping[str, Host]) -> None:
        self._hosts = hosts
        self._heap: list[tuple[Rank, str]] = []
        self._far: list[tuple[float, str]] = []

    def add(self, host: Host, now: float) -> None:
        """Know a host that is not ready under the rank of its best candidate, once that is near enough."""
        rank = host.rank()
        if rank and host.ready_at - now > HORIZON:
            heappush(self._far, (host.ready_at - HORIZON, host.name))
            rank = None
        elif rank and rank != host.hoped:
            heappush(self._heap, (rank, host.name))
        host.hoped = rank
        if len(self._heap) + len(self._far) > SLACK + 4 * len(self._hosts):
            self._tidy(now)

    def best(self, now: float) -> Host | None:
        """Return the host with the best candidate of all that are not ready."""
        while self._far and self._far[0][0] <= now:
            self._check_again(self._hosts[heappop(self._far)[1]], now)
        while self._heap:
            rank, name = self._heap[0]
            host = self._hosts[name]
            if rank == host.hoped == host.rank() and _is_awaited(host, now):
                return host
            heappop(self._heap)
            if rank == host.hoped:  # it is ready, silent, or has lost what was best
                host.hoped = None
                self._check_again(host, now)
        return None

    def _check_again(self, host: Host, now: float) -> None:
        if _is_awaited(host, now):
            self.add(host, now)

    def _tidy(self, now: float) -> None:
        """Throw out what is stale: many priorities of a host that changed while it rested."""
        self._heap = [(host.hoped, name) for name, host in self._hosts.items() if host.hoped]
        far = {(when, name) for when, name in self._far if when == self._hosts[name].ready_at - HORIZON}
        self._far = list(far)
        heapify(self._heap)
        heapify(self._far)


def _is_awaited(host: Host, now: float) -> bool:
    """Tell a host that will come back soon from one that is ready, or hangs."""
    hangs = host.busy and not host.resting and now - host.asked_at > HORIZON
    return host.announced is None and not hangs


# Whether to wait for a better host: a worse page is paid for with the time that was waited.
#
#     asking for p while a host with q is not ready costs    patience * min(1, (q - p) / (usual - median))
#     a second of waiting earns                              a second
#     the budget holds at most                                patience
#
# p       the best priority of a ready host            usual    the median priority of the latest 33 requests
# q       the best priority of a host that rests or    median   the median priority of the latest 511 arrivals
#         is busy, for a minute at most
#
# So patience is how many seconds it takes until a middling page is asked for, not a usual one. Priorities
# of any scale and origin give the same order, equal ones cost nothing. What is a little worse is asked for
# soon, what is much worse seldom, however long the better host may rest, be late or hang.


ARRIVALS = 511  # priorities of which the middle one is what lies about
REQUESTS = 33  # priorities of which the middle one is what is usually had
ENOUGH = 1 - 1e-9  # of a cost: sums of small numbers are never exact
SOONEST = 1e-3  # seconds until a budget that is nearly full is looked into again


class WaitBudget:
    """A budget of waiting time, spent when a lower-priority host is taken."""

    def __init__(self, pace: Pace, hosts: Mapping[str, Host]) -> None:
        """Begin with nothing, and know the hosts of the workbench."""
        self.hosts = BusyHosts(hosts)
        self.due: float | None = None  # when it will hold enough for the best that is ready, if one waits
        self._pace = pace
        self._arrivals, self._requests = RunningMedian(ARRIVALS), RunningMedian(REQUESTS)
        self._saved = 0.0
        self._checked_at: float | None = None  # while one waits: when that was last looked at
        self._instead: tuple[Host, float, float] | None = None

    def note_arrival(self, priority: float) -> None:
        """Take note of a priority at which a candidate came to wait; infinite ones say nothing of others."""
        if isfinite(priority):
            self._arrivals.add(priority)

    def note_backlog(self, negated: Sequence[float]) -> None:
        """Take note of some of the priorities at which candidates of an earlier run wait."""
        for priority in negated[:: 1 + len(negated) // ARRIVALS]:
            self.note_arrival(-priority)

    def note_request(self, host: Host, priority: float, now: float) -> None:
        """Take note of a request that is sent."""
        host.asked_at = now
        if isfinite(priority):
            self._requests.add(priority)

    def allows(self, ready: Rank, now: float) -> bool:
        """Return whether the best ready host may be taken now; otherwise set `due`."""
        better = self.hosts.best(now)
        if better is None or better.hoped is None or better.hoped[:2] >= ready[:2]:
            self._checked_at = None
            return True
        p, q = -ready[1], -better.hoped[1] if better.hoped[0] == ready[0] else inf
        patience = self._pace(now)
        self._save(patience, now)
        cost = patience * self._loss(q, p)
        if self._saved >= cost * ENOUGH:
            self._saved = max(0.0, self._saved - cost)
            return True
        self.due = now + max(SOONEST, cost - self._saved)
        self._instead = better, q, p
        return False

    def awaited(self, now: float) -> HostWait | None:
        """Return the host that is waited for, and the best other one, if any."""
        if self.due is None or self._instead is None:
            return None
        host, priority, other = self._instead
        ends = min(self.due, host.ready_at) if host.resting else self.due
        return HostWait(host.name, max(0.0, ends - now), priority, other, host.asked_rest)

    def _save(self, patience: float, now: float) -> None:
        """Put the seconds since the last look into the budget."""
        waited = 0.0 if self._checked_at is None else now - self._checked_at
        self._saved, self._checked_at = min(patience, self._saved + waited), now

    def _loss(self, better: float, ready: float) -> float:
        """Return what is lost by the worse priority, 1 at most: as by a middling one for a usual one."""
        scale, gap = self._requests.value - self._arrivals.value, better - ready
        return min(1.0, gap / scale) if scale > 0 and isfinite(gap) else 1.0


class RunningMedian:
    """The median of the latest numbers."""

    def __init__(self, most: int) -> None:
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
