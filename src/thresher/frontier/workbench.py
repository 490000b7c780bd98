"""The workbench: best first among the hosts that have rested (after BUbiNG's), with an eye on the others."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np
from msgspec.structs import replace

from thresher.core.progress import Awaited
from thresher.core.protocols import Shelf
from thresher.core.records import Candidate, Shelved, Want
from thresher.core.url import asked_key, host_of, key_of
from thresher.frontier.cold import Cold, Rank, SeenKeys, cold_by_host
from thresher.frontier.host import LAST, Host
from thresher.frontier.pace import Pace
from thresher.frontier.purse import Purse


@dataclass
class Workbench:
    """A frontier whose best part is in memory; with a shelf the rest is on disk and everything is durable.

    Invariant: a host that has rested, has a free place and has work is announced in `_ready` under the
    rank of its best candidate; so the top of `_ready` is the best candidate of all ready hosts. With a pace,
    a host that is not ready but has work is known to the purse in the same way.
    """

    delay: float = 1.0
    per_host: int = 1
    refuses: Callable[[Candidate], str] = lambda candidate: ""
    shelf: Shelf | None = None
    hot_candidates: int = 50_000  # held in memory, shared by the hosts
    spent: Callable[[Candidate], str] = lambda candidate: ""  # asked again when its turn has come
    refused: Counter[str] = field(default_factory=Counter)
    pace: Pace | None = None  # how long a better host is waited for; none: not at all
    _hosts: dict[str, Host] = field(default_factory=dict)
    _hot: dict[int, Shelved] = field(default_factory=dict)  # of all hosts
    _seen: SeenKeys = field(default_factory=SeenKeys)
    _flying: dict[int, int] = field(default_factory=dict)  # key to number of arrival
    _postponed: dict[int, Shelved] = field(default_factory=dict)  # revisits that are not due yet
    _ready: list[tuple[Rank, str]] = field(default_factory=list)
    _resting: list[tuple[float, str]] = field(default_factory=list)
    _later: list[tuple[float, int]] = field(default_factory=list)
    _changed: dict[int, Shelved] = field(default_factory=dict)  # what one offer changed, for the shelf
    _arrivals: int = 0
    _waiting: int = 0
    _now: float = 0.0

    def __post_init__(self) -> None:
        """Take up what an earlier run left on the shelf."""
        self._purse = Purse(self.pace, self._hosts) if self.pace else None
        if self.shelf:
            self._restore(self.shelf)

    def __len__(self) -> int:
        """Return how many candidates wait, due or not."""
        return self._waiting

    def offer(self, candidates: Iterable[Candidate]) -> int:
        """Queue the new, re-price the waiting, ignore the known; return how many were queued."""
        batch = list(candidates)
        keys = [
            key_of(candidate.url) if candidate.want is Want.PAGE else asked_key(candidate)
            for candidate in batch
        ]
        olds, queued = self._seen.among_old(keys), 0
        recent = self._seen.recent
        for candidate, key, old in zip(batch, keys, olds, strict=True):
            queued += self._offer(candidate, key, old or key in recent)
        if self.shelf and self._changed:
            self.shelf.put(list(self._changed.values()))
        self._changed.clear()
        return queued

    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate of a ready host, or None: all rest, or a better one is awaited."""
        self._wake_up(now)
        if self._purse:
            self._purse.due = None
        while (rank := self._best_ready()) is not None:
            if self._purse and not self._purse.lets_ask(rank, now):
                return None
            host = self._hosts[heappop(self._ready)[1]]
            best = host.best() or self._warm(host)
            if not (reason := _is_page(best.candidate) and self.spent(best.candidate)):
                return self._hand_out(host, best)
            self.refused[reason] += 1
            self._leave_out(host, best)
        return None

    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        """Let the host of a candidate that was taken rest, for at least `rest` seconds."""
        host, key = self._hosts[host_of(candidate.url)], asked_key(candidate)
        host.busy -= 1
        host.asked_rest = rest
        arrival = self._flying.pop(key)
        self._rest(host, now + max(self.delay, rest))
        if self.shelf:
            self.shelf.drop(arrival)
            self.shelf.rest(host.name, host.ready_at)

    def wake(self) -> float | None:
        """Return when the next host has rested, a revisit is due or one has waited long enough, or None."""
        times = [queue[0][0] for queue in (self._resting, self._later) if queue]
        if self._purse and self._purse.due is not None:
            times.append(self._purse.due)
        return min(times, default=None)

    def awaited(self, now: float) -> Awaited | None:
        """Return for whom free hands wait, and instead of what, if they do."""
        return self._purse.awaited(now) if self._purse else None

    def _best_ready(self) -> Rank | None:
        """Return the rank of the best candidate of all ready hosts, dropping what is stale above it."""
        while self._ready:
            rank, name = self._ready[0]
            if self._hosts[name].announced == rank:
                return rank
            heappop(self._ready)  # it is known under another rank by now
        return None

    def _offer(self, candidate: Candidate, key: int, known: bool) -> bool:
        """Find out what a mention means: news, another price, nothing, or something we refuse."""
        if known and self._changes_nothing(candidate, key):
            return False  # most mentions: spare them the longer questions
        host = self._hosts.get(name := host_of(candidate.url))
        if known and host and self._mentioned(host, key, candidate):
            return False
        if known and (not candidate.not_before or key in self._flying):
            return False
        if reason := _is_page(candidate) and self.refuses(candidate):
            self.refused[reason] += 1
            return False
        self._queue(host or self._hosts.setdefault(name, Host(name, self._hot)), key, candidate)
        return True

    def _changes_nothing(self, mention: Candidate, key: int) -> bool:
        """Tell whether a known URL surely waits under a price as good, or waits no longer."""
        if (waiting := self._hot.get(key)) is not None:
            return not gains_by(waiting.candidate, mention)
        return self._waiting == len(self._hot) and not mention.not_before

    def _mentioned(self, host: Host, key: int, mention: Candidate) -> bool:
        """Let another mention of a waiting URL count, and return whether it waits at all."""
        waiting = self._hot.get(key) or self._postponed.get(key)
        if waiting is None and self.shelf and host.cold and (standing := host.cold.find(key)):
            if not standing.gains_by(mention):
                return True
            waiting = self._changed.get(key) or self.shelf.get([standing.arrival])[0]
        if waiting is None:
            return False
        if gains_by(waiting.candidate, mention):
            self._price_again(host, waiting, mention)
        return True

    def _queue(self, host: Host, key: int, candidate: Candidate) -> None:
        self._arrivals += 1
        self._waiting += 1
        self._seen.add(key)
        if self._purse:
            self._purse.note_arrival(candidate.priority)
        self._place(host, Shelved(key, host.name, self._arrivals, candidate))

    def _price_again(self, host: Host, waiting: Shelved, mention: Candidate) -> None:
        """Let another mention of a waiting URL count: the better price and the longer life win."""
        merged = merge(waiting.candidate, mention)
        if not host.drop(waiting.key) and not self._postponed.pop(waiting.key, None):
            host.cold.discard(waiting.key)
        self._place(host, replace(waiting, candidate=merged))

    def _place(self, host: Host, waiting: Shelved) -> None:
        """Put a candidate where it belongs: postponed, hot, or cold and only on the shelf."""
        self._changed[waiting.key] = waiting
        if not host.cold:
            host.floor = LAST
        if waiting.candidate.not_before > self._now:
            self._postponed[waiting.key] = waiting
            heappush(self._later, (waiting.candidate.not_before, waiting.key))
        elif waiting.rank <= host.floor:
            host.add(waiting)
        else:
            host.cold.add(waiting)
        if self.shelf and host.held > 2 * self._hot_per_host():
            host.cool(self._hot_per_host())
        self._announce(host)

    def _hot_per_host(self) -> int:
        return max(2, min(256, self.hot_candidates // len(self._hosts)))

    def _announce(self, host: Host) -> None:
        """Keep the invariant: a ready host stands in `_ready` under the rank of its best candidate."""
        if host.resting or host.busy >= self.per_host:
            self._expect(host)
            return
        rank = host.rank()
        if rank and rank != host.announced:
            heappush(self._ready, (rank, host.name))
        host.announced = rank

    def _expect(self, host: Host) -> None:
        """Let the purse know what a host that is not ready would give."""
        if self._purse:
            self._purse.hosts.add(host, self._now)

    def _warm(self, host: Host) -> Shelved:
        """Bring the best cold candidates of a host into memory, and return the very best."""
        assert self.shelf is not None, "only a shelf makes candidates cold"
        waiting = self.shelf.get(host.cold.take_best(self._hot_per_host()))
        for each in waiting:
            host.add(each)
        host.floor = waiting[-1].rank
        return waiting[0]

    def _hand_out(self, host: Host, best: Shelved) -> Candidate:
        host.drop(best.key)
        host.announced = None
        host.busy += 1
        self._waiting -= 1
        self._flying[best.key] = best.arrival
        if self._purse:
            self._purse.note_request(host, best.candidate.priority, self._now)
        if host.busy < self.per_host:
            self._rest(host, self._now + self.delay)
        else:
            self._expect(host)
        return best.candidate

    def _leave_out(self, host: Host, best: Shelved) -> None:
        """Drop a candidate that is no longer worth its request; its host was not asked and need not rest."""
        host.drop(best.key)
        host.announced = None
        self._waiting -= 1
        if self.shelf:
            self.shelf.drop(best.arrival)
        self._announce(host)

    def _rest(self, host: Host, until: float) -> None:
        host.ready_at = max(host.ready_at, until)
        host.resting, host.announced = True, None
        heappush(self._resting, (host.ready_at, host.name))
        self._expect(host)

    def _wake_up(self, now: float) -> None:
        """Place the revisits that have come due, then announce the hosts that have rested."""
        self._now = now
        while self._later and self._later[0][0] <= now:
            not_before, key = heappop(self._later)
            waiting = self._postponed.get(key)
            if waiting and waiting.candidate.not_before == not_before:
                del self._postponed[key]
                self._place(self._hosts[waiting.host], waiting)
        while self._resting and self._resting[0][0] <= now:
            ready_at, name = heappop(self._resting)
            host = self._hosts[name]
            if host.ready_at == ready_at:  # else it was sent to rest again meanwhile
                host.resting = False
                self._announce(host)
        self._changed.clear()

    def _restore(self, shelf: Shelf) -> None:
        """Take up hosts, backlog and revisits; nothing is read from the shelf that need not be in memory."""
        backlog = shelf.backlog()
        colds = cold_by_host(backlog)
        for number, name, ready_at in shelf.hosts():
            host = Host(name, self._hot, cold=colds.pop(number, Cold()), floor=(-inf, 0))
            self._hosts[name] = host
            self._rest(host, ready_at)
        revisits = shelf.postponed()
        for row in revisits:
            self._postponed[row.key] = row
            heappush(self._later, (row.candidate.not_before, row.key))
        self._waiting = len(backlog.keys) + len(revisits)
        if self._purse:
            self._purse.note_backlog(backlog.standing[0])
        self._arrivals = max((*backlog.standing[1][-1:], *(row.arrival for row in revisits)), default=0)
        known = [np.array(backlog.keys), np.fromiter(shelf.visited(), np.int64)]
        self._seen = SeenKeys(np.concatenate([*known, np.array([*self._postponed], np.int64)]))


def _is_page(candidate: Candidate) -> bool:
    """Tell a request for a page from a question about it, which no rule about pages concerns."""
    return candidate.want is Want.PAGE


def gains_by(waiting: Candidate, mention: Candidate) -> bool:
    """Tell whether another mention of its URL changes anything for a waiting candidate."""
    better = mention.priority > waiting.priority or _replaces(mention, waiting)
    return better or mention.life > waiting.life or mention.depth < waiting.depth


def merge(waiting: Candidate, mention: Candidate) -> Candidate:
    """Return a waiting candidate after another mention of its URL (the rule of Fish, Shark and FCMRPS)."""
    life, depth = max(waiting.life, mention.life), min(waiting.depth, mention.depth)
    if _replaces(mention, waiting):
        via, due = mention.via or waiting.via, mention.not_before or waiting.not_before
        return replace(
            waiting, priority=mention.priority, via=via, inherited=mention.inherited, not_before=due
        )
    if mention.priority > waiting.priority:
        return replace(mention, url=waiting.url, life=life, depth=depth, not_before=waiting.not_before)
    return replace(waiting, life=life, depth=depth)


def _replaces(mention: Candidate, waiting: Candidate) -> bool:
    """Tell whether a mention takes the place of a price; that of a look gives way to another look only."""
    return mention.reprice and (mention.not_before > 0 or not waiting.not_before)
