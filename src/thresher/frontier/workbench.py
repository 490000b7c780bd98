"""The workbench: best first among the hosts that have rested (after BUbiNG's)."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from msgspec.structs import replace

from thresher.core.records import Candidate
from thresher.core.url import host_of, key
from thresher.frontier.hosts import Host, Rank, Waiting


@dataclass
class Workbench:
    """An in-memory frontier.

    Invariant: a host that has rested, has a free place and has work is announced in `_ready` under the
    rank of its best candidate; so the top of `_ready` is the best candidate of all ready hosts.
    """

    delay: float = 1.0
    per_host: int = 1
    refuses: Callable[[Candidate], str] = lambda candidate: ""
    refused: Counter[str] = field(default_factory=Counter)
    _hosts: dict[str, Host] = field(default_factory=dict)
    _waiting: dict[str, Waiting] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _ready: list[tuple[Rank, str]] = field(default_factory=list)
    _resting: list[tuple[float, str]] = field(default_factory=list)
    _later: list[tuple[float, str]] = field(default_factory=list)  # revisits that are not due yet
    _arrivals: int = 0
    _now: float = 0.0

    def __len__(self) -> int:
        """Return how many candidates wait, due or not."""
        return len(self._waiting)

    def offer(self, candidates: Iterable[Candidate]) -> int:
        """Queue the new, re-price the waiting, ignore the known; return how many were queued."""
        return sum(self._offer(candidate) for candidate in candidates)

    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate of a ready host, or None while every host rests."""
        self._wake_up(now)
        while self._ready:
            rank, name = heappop(self._ready)
            if self._hosts[name].announced == rank:  # else the host is known under another rank by now
                return self._hand_out(self._hosts[name])
        return None

    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        """Let the host of a candidate that was taken rest, for at least `rest` seconds."""
        host = self._hosts[host_of(candidate.url)]
        host.busy -= 1
        self._rest(host, now + max(self.delay, rest))

    def wake(self) -> float | None:
        """Return when the next host has rested or the next revisit is due, or None."""
        return min((queue[0][0] for queue in (self._resting, self._later) if queue), default=None)

    def _offer(self, candidate: Candidate) -> bool:
        """Find out what a mention means: news, a better price, nothing, or something we refuse."""
        name = key(candidate.url)
        if (waiting := self._waiting.get(name)) is not None:
            self._price_again(name, waiting, candidate)
            return False
        if name in self._seen and not candidate.not_before:
            return False
        if reason := self.refuses(candidate):
            self.refused[reason] += 1
            return False
        self._queue(name, candidate)
        return True

    def _queue(self, name: str, candidate: Candidate) -> None:
        self._arrivals += 1
        self._seen.add(name)
        self._waiting[name] = waiting = Waiting(candidate, self._arrivals)
        self._file(name, waiting)

    def _price_again(self, name: str, waiting: Waiting, mention: Candidate) -> None:
        """Let another mention of a waiting URL count: the better price and the longer life win."""
        before = waiting.candidate
        waiting.candidate = merge(before, mention)
        if waiting.candidate.priority != before.priority or waiting.candidate.not_before != before.not_before:
            self._file(name, waiting)

    def _file(self, name: str, waiting: Waiting) -> None:
        """Put a candidate where it belongs: with its host, or with the revisits that are not due."""
        host_name = host_of(waiting.candidate.url)
        host = self._hosts.get(host_name) or self._hosts.setdefault(host_name, Host(host_name))
        waiting.due = waiting.candidate.not_before <= self._now
        if waiting.due:
            host.add(name, waiting)
        else:
            heappush(self._later, (waiting.candidate.not_before, name))
        self._announce(host)

    def _announce(self, host: Host) -> None:
        """Keep the invariant: a ready host stands in `_ready` under the rank of its best candidate."""
        if host.resting or host.busy >= self.per_host:
            return
        best = host.best(self._waiting)
        if best and best[0] != host.announced:
            heappush(self._ready, (best[0], host.name))
        host.announced = best[0] if best else None

    def _hand_out(self, host: Host) -> Candidate | None:
        best = host.best(self._waiting)
        host.announced = None
        host.busy += 1
        if best is None:  # cannot be: an announced rank belongs to a waiting candidate
            raise AssertionError(f"{host.name} was announced without work")
        waiting = self._waiting.pop(best[1])
        if host.busy < self.per_host:
            self._rest(host, self._now + self.delay)
        return waiting.candidate

    def _rest(self, host: Host, until: float) -> None:
        host.ready_at = max(host.ready_at, until)
        host.resting, host.announced = True, None
        heappush(self._resting, (host.ready_at, host.name))

    def _wake_up(self, now: float) -> None:
        """Announce the hosts that have rested, and file the revisits that have come due."""
        self._now = now
        while self._resting and self._resting[0][0] <= now:
            ready_at, name = heappop(self._resting)
            host = self._hosts[name]
            if host.ready_at == ready_at:  # else it was sent to rest again meanwhile
                host.resting = False
                self._announce(host)
        while self._later and self._later[0][0] <= now:
            not_before, name = heappop(self._later)
            waiting = self._waiting.get(name)
            if waiting is not None and waiting.candidate.not_before == not_before:
                self._file(name, waiting)


def merge(waiting: Candidate, mention: Candidate) -> Candidate:
    """Return a waiting candidate after another mention of its URL (the rule of Fish, Shark and FCMRPS)."""
    life, depth = max(waiting.life, mention.life), min(waiting.depth, mention.depth)
    if mention.reprice:
        due = mention.not_before or waiting.not_before
        return replace(waiting, priority=mention.priority, via=mention.via or waiting.via, not_before=due)
    if mention.priority > waiting.priority:
        return replace(mention, url=waiting.url, life=life, depth=depth, not_before=waiting.not_before)
    if (life, depth) == (waiting.life, waiting.depth):
        return waiting
    return replace(waiting, life=life, depth=depth)
