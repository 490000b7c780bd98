"""The workbench: best first among the hosts that have rested (after BUbiNG's), with an eye on the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import REVISITS, Request
from thresher.core.interfaces import Frontier, FrontierStorage
from thresher.core.progress import HostWait
from thresher.core.records import URGENT, USUAL, Candidate, QueuedRequest, UniformOffers
from thresher.core.url import asked_key, asked_keys, host_of
from thresher.frontier.host import LAST, Cold, Host, Rank, SeenKeys, cold_by_host
from thresher.frontier.mentions import is_discovery, merge, with_effect
from thresher.frontier.waiting import Pace, WaitBudget


@dataclass
class Workbench(Frontier):
    """A frontier whose best part is in memory; with a shelf the rest is on disk and everything is durable.

    Invariant: a host that has rested, has a free place and has work is announced in `_ready` under the
    rank of its best candidate; so the top of `_ready` is the best candidate of all ready hosts. With a pace,
    a host that is not ready but has work is known to the budget in the same way.
    """

    delay: float = 1.0
    per_host: int = 1
    shelf: FrontierStorage | None = None
    hot_candidates: int = 50_000  # held in memory, shared by the hosts
    urgent: frozenset[Request] = REVISITS  # the kinds of requests that go before all others
    heeds_rests: bool = True  # whether a host gets the longer rest that it asks for
    pace: Pace | None = None  # how long a better host is waited for; none: not at all
    _hosts: dict[str, Host] = field(default_factory=dict)
    _hot: dict[int, QueuedRequest] = field(default_factory=dict)  # of all hosts
    _seen: SeenKeys = field(default_factory=SeenKeys)
    _flying: dict[int, int] = field(default_factory=dict)  # key to number of arrival
    _postponed: dict[int, QueuedRequest] = field(default_factory=dict)  # revisits that are not due yet
    _ready: list[tuple[Rank, str]] = field(default_factory=list)
    _resting: list[tuple[float, str]] = field(default_factory=list)
    _later: list[tuple[float, int]] = field(default_factory=list)
    _changed: dict[int, QueuedRequest] = field(default_factory=dict)  # what one offer changed, for the shelf
    _arrivals: int = 0
    _waiting: int = 0
    _now: float = 0.0

    def __post_init__(self) -> None:
        """Take up what an earlier run left on the shelf."""
        self._share_memory()
        self._budget = WaitBudget(self.pace, self._hosts) if self.pace else None
        if self.shelf:
            self._restore(self.shelf)

    def __len__(self) -> int:
        """Return how many candidates wait, due or not."""
        return self._waiting

    def __str__(self) -> str:
        wait = ", waits for the better" if self.pace else ""
        return (
            f"best first among rested hosts, {self.delay:g} s between requests, {self.per_host} at once{wait}"
        )

    @override
    def offer(self, candidates: Iterable[Candidate]) -> int:
        return self.push(self.update([*candidates]))

    @override
    def update(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Let offers count for what waits, and return those that could be queued.

        Another priority for a URL that does not wait is no reason to ask for it.
        """
        if isinstance(candidates, UniformOffers):
            all_hot = self._waiting == len(self._hot)
            candidates = with_effect(candidates, self._seen, self._hot, all_hot)
        keys, hot = asked_keys(candidates), self._hot
        olds, recent = self._seen.among_old(keys), self._seen.recent
        new: dict[int, list[Candidate]] = {}
        for candidate, key, old in zip(candidates, keys, olds, strict=True):
            if not old and key not in recent:
                if key in new or candidate.via is not None or is_discovery(candidate):
                    new.setdefault(key, []).append(candidate)
            elif waiting := hot.get(key):
                self._merge(waiting, candidate)
            elif self._waiting == len(hot) and candidate.kind not in REVISITS:
                continue  # it waits no longer: so do most
            elif self._is_revisit_of_known(candidate, key):
                new.setdefault(key, []).append(candidate)
        self._keep_changes()
        return [candidate for mentions in new.values() for candidate in mentions]

    @override
    def push(self, candidates: Sequence[Candidate]) -> int:
        queued: set[int] = set()
        for candidate, key in zip(candidates, asked_keys(candidates), strict=True):
            name = candidate.url[: candidate.url.index("/", 8)]  # as host_of, for each new link
            if key in queued:
                self._mentioned(self._hosts[name], key, candidate)
            elif candidate.via is not None or is_discovery(candidate):
                self._queue(self._hosts.get(name) or self._host(name), key, candidate)
                queued.add(key)
        self._keep_changes()
        return len(queued)

    @override
    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate of a ready host, or None: all rest, or a better one is awaited."""
        self._wake_up(now)
        if self._budget:
            self._budget.due = None
        rank = self._best_ready()
        if rank is None or (self._budget and not self._budget.allows(rank, now)):
            return None
        host = self._hosts[heappop(self._ready)[1]]
        return self._hand_out(host, host.best() or self._warm(host))

    @override
    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        host, key = self._hosts[host_of(candidate.url)], asked_key(candidate)
        host.busy -= 1
        host.asked_rest = rest
        arrival = self._flying.pop(key)
        self._rest(host, now + max(self.delay, rest if self.heeds_rests else 0.0))
        if self.shelf:
            self.shelf.drop(arrival)
            self.shelf.rest(host.name, host.ready_at)

    @override
    def skip(self, candidate: Candidate) -> None:
        host = self._hosts[host_of(candidate.url)]
        host.busy -= 1
        arrival = self._flying.pop(asked_key(candidate))
        if self.shelf:
            self.shelf.drop(arrival)
        self._announce(host)

    @override
    def needs_more(self, now: float, busy: int) -> bool:
        """Tell whether the strategy should be asked for more: nothing waits, and nothing is under way."""
        return not self._waiting and not busy

    @override
    def wake(self) -> float | None:
        """Return when the next host has rested, a revisit is due or one has waited long enough, or None."""
        times = [queue[0][0] for queue in (self._resting, self._later) if queue]
        if self._budget and self._budget.due is not None:
            times.append(self._budget.due)
        return min(times, default=None)

    @override
    def awaited(self, now: float) -> HostWait | None:
        return self._budget.awaited(now) if self._budget else None

    def _best_ready(self) -> Rank | None:
        """Return the rank of the best candidate of all ready hosts, dropping what is stale above it."""
        while self._ready:
            rank, name = self._ready[0]
            if self._hosts[name].announced == rank:
                return rank
            heappop(self._ready)  # it is known under another rank by now
        return None

    def _host(self, name: str) -> Host:
        """Return a host, a new one if it is unknown."""
        if (host := self._hosts.get(name)) is None:
            host = self._hosts[name] = Host(name, self._hot)
            self._share_memory()
        return host

    def _share_memory(self) -> None:
        """Say how many candidates of each host are held in memory."""
        self._hot_per_host = max(2, min(256, self.hot_candidates // max(1, len(self._hosts))))

    def _is_revisit_of_known(self, candidate: Candidate, key: int) -> bool:
        """Let a mention of a known URL count, and tell whether it is a revisit that could be queued."""
        host = self._hosts.get(host_of(candidate.url))
        if host and self._mentioned(host, key, candidate):
            return False
        return candidate.kind in REVISITS and key not in self._flying

    def _mention_lane(self, mention: Candidate) -> int:
        """Return the lane that a mention has for what waits; a revisit is for what waits no longer."""
        return URGENT if mention.kind in self.urgent and mention.kind not in REVISITS else USUAL

    def _mentioned(self, host: Host, key: int, mention: Candidate) -> bool:
        """Let another mention of a waiting URL count, and return whether it waits at all."""
        waiting = self._hot.get(key) or self._postponed.get(key)
        if waiting is None and self.shelf and host.cold and (standing := host.cold.find(key)):
            if not standing.gains_by(mention) and self._mention_lane(mention) == USUAL:
                return True
            waiting = self._changed.get(key) or self.shelf.get([standing.arrival])[0]
        if waiting is None:
            return False
        self._merge(waiting, mention)
        return True

    def _queue(self, host: Host, key: int, candidate: Candidate) -> None:
        self._arrivals += 1
        self._waiting += 1
        self._seen.recent.add(key)
        lane = URGENT if candidate.kind in self.urgent else USUAL
        if self._budget and lane == USUAL:
            self._budget.note_arrival(candidate.priority)
        self._place(host, QueuedRequest(key, host.name, self._arrivals, candidate, lane))

    def _merge(self, waiting: QueuedRequest, mention: Candidate) -> None:
        """Let another mention of a waiting URL count: the better priority and the longer life win."""
        lane = waiting.lane
        if mention.kind is not Request.LINK:
            lane = min(lane, self._mention_lane(mention))
        merged = mention if lane < waiting.lane else merge(waiting.candidate, mention)
        if merged is None:
            return
        host = self._hosts[waiting.host]
        if self._hot.pop(waiting.key, None) is not None:
            host.held -= 1
        elif not self._postponed.pop(waiting.key, None):
            host.cold.discard(waiting.key)
        self._place(host, replace(waiting, candidate=merged, lane=lane))

    def _place(self, host: Host, waiting: QueuedRequest) -> None:
        """Put a candidate where it belongs: postponed, hot, or cold and only on the shelf."""
        self._changed[waiting.key] = waiting
        if host.floor is not LAST and not host.cold:
            host.floor = LAST
        rank = (waiting.lane, -waiting.candidate.priority, waiting.arrival)
        if waiting.candidate.not_before > self._now:
            self._postponed[waiting.key] = waiting
            heappush(self._later, (waiting.candidate.not_before, waiting.key))
        elif rank <= host.floor:  # as Host.add: most often done of all
            host.hot[waiting.key] = waiting
            host.held += 1
            heappush(host.heap, (rank, waiting.key))
        else:
            host.cold.add(waiting)
        if self.shelf and host.held > 2 * self._hot_per_host:
            host.cool(self._hot_per_host)

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
        """Tell the budget what a host that is not ready would give."""
        if self._budget:
            self._budget.hosts.add(host, self._now)

    def _warm(self, host: Host) -> QueuedRequest:
        """Bring the best cold candidates of a host into memory, and return the very best."""
        assert self.shelf is not None, "only a shelf makes candidates cold"
        waiting = self.shelf.get(host.cold.take_best(self._hot_per_host))
        for each in waiting:
            host.add(each, each.rank)
        host.floor = waiting[-1].rank
        return waiting[0]

    def _hand_out(self, host: Host, best: QueuedRequest) -> Candidate:
        host.drop(best.key)
        host.announced = None
        host.busy += 1
        self._waiting -= 1
        self._flying[best.key] = best.arrival
        if self._budget:
            self._budget.note_request(host, best.candidate.priority, self._now)
        if host.busy < self.per_host:
            self._rest(host, self._now + self.delay)
        else:
            self._expect(host)
        return best.candidate

    def _keep_changes(self) -> None:
        """Hand what offers have changed to the shelf."""
        if self.shelf and self._changed:
            self.shelf.put(list(self._changed.values()))
        self._announce_changed()

    def _announce_changed(self) -> None:
        """Announce the hosts of what was placed, each once: of one host it may be thousands of priorities."""
        for name in dict.fromkeys([waiting.host for waiting in self._changed.values()]):
            self._announce(self._hosts[name])
        self._changed.clear()

    def _rest(self, host: Host, until: float) -> None:
        host.ready_at = max(host.ready_at, until)
        host.resting, host.announced = True, None
        heappush(self._resting, (host.ready_at, host.name))
        self._expect(host)

    def _wake_up(self, now: float) -> None:
        """Place the revisits that have come due, then announce the hosts that have rested."""
        self._now = now
        while self._later and self._later[0][0] <= now:
            due, key = heappop(self._later)
            waiting = self._postponed.get(key)
            if waiting and waiting.candidate.not_before == due:
                del self._postponed[key]
                self._place(self._hosts[waiting.host], waiting)
        while self._resting and self._resting[0][0] <= now:
            ready_at, name = heappop(self._resting)
            host = self._hosts[name]
            if host.ready_at == ready_at:  # else it was sent to rest again meanwhile
                host.resting = False
                self._announce(host)
        self._announce_changed()

    def _restore(self, shelf: FrontierStorage) -> None:
        """Take up hosts, backlog and revisits; nothing is read from the shelf that need not be in memory."""
        backlog = shelf.backlog()
        colds = cold_by_host(backlog)
        for number, name, ready_at in shelf.hosts():
            host = Host(name, self._hot, cold=colds.pop(number, Cold()), floor=(USUAL, -inf, 0))
            self._hosts[name] = host
            self._rest(host, ready_at)
        self._share_memory()
        revisits = shelf.postponed()
        for row in revisits:
            lane = URGENT if row.candidate.kind in self.urgent else USUAL
            self._postponed[row.key] = replace(row, lane=lane)
            heappush(self._later, (row.candidate.not_before, row.key))
        self._waiting = len(backlog.keys) + len(revisits)
        if self._budget:
            self._budget.note_backlog(backlog.standing[0])
        self._arrivals = max((*backlog.standing[1][-1:], *(row.arrival for row in revisits)), default=0)
        known = [np.asarray(backlog.keys), np.fromiter(shelf.visited(), np.int64)]
        self._seen = SeenKeys(np.concatenate([*known, np.array([*self._postponed], np.int64)]))
