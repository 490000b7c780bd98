"""The crawl's own account of its orders: which worker has which, is alive, and gets what is left.

An order is open from the moment it is written here until its first whole answer; a second answer finds
nothing open. Nothing here knows of transports or clocks: `now` is told.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.cluster.messages import Heartbeat
from thresher.core.caches import LruDict
from thresher.core.errors import NotACrawl
from thresher.core.files import refuse_link
from thresher.core.records import Candidate
from thresher.core.url import registered_domain

LOST = 4 / 3  # leases without a beat after which a worker is lost: clocks may run a quarter apart
PATIENCE = 1.0  # seconds before an order that is not held counts as lost on the way
DEADLY = 3  # workers that may die with a page before it is given up
ALONE = 2  # deaths from which on a page goes only to a worker that has nothing else
LIES = 3  # answers that cannot be, before a worker is sent away
REFUSED = 5  # of an order, before it is given up
MOST_CAPACITY = 10_000  # orders of one worker, whatever it says of itself
DOMAINS = 100_000  # whose worker is remembered


class LeaseCounter(Enum):
    """What is counted: it shows in `thresher worker --list` and in the metrics."""

    LOST = "lost"
    MOVED = "moved"
    AGAIN = "sent_again"
    LATE = "too_late"
    REFUSED = "refused"
    AWAY = "sent_away"
    UNREAD = "not_understood"
    VERSIONS = "other_versions"
    OVERDUE = "overdue"


@dataclass
class Lease:
    """One order from send to end."""

    number: int
    candidate: Candidate
    since: float  # when it was sent first, by the crawl's clock
    domain: str
    worker: str = ""
    sent: float = 0.0  # to that worker
    begun: float = 0.0
    ready: float = 0.0  # not to be given to a worker before
    deaths: int = 0
    refused: int = 0
    overdue: int = 0


@dataclass
class WorkerState:
    """A worker as the crawl knows it."""

    name: str
    heard: float
    joined: float
    capacity: int = 0
    cpu: float = 0.0
    draining: bool = False
    owed: dict[int, Lease] = field(default_factory=dict)
    recalled: dict[int, Lease] = field(default_factory=dict)  # it is told to drop these, and has not yet
    missing: set[int] = field(default_factory=set)
    alone: bool = False  # it has, or will get, a page over which others died
    lies: int = 0
    answered: int = 0

    @property
    def load(self) -> float:
        """How full it is."""
        return len(self.owed) / max(1, self.capacity)


class LeaseTable:
    """Orders and workers. Every order is at one worker, or waits here for one, or has ended."""

    def __init__(self, lease: float, delay: float, deadline: float) -> None:
        """Take how long a lease is, how long a host rests, and how long one visit may take."""
        self.lease, self.delay, self.deadline = lease, delay, deadline
        self.members: dict[str, WorkerState] = {}
        self.open: dict[int, Lease] = {}
        self.waiting: list[Lease] = []
        self.away: set[str] = set()  # users
        self._lies: Counter[str] = Counter()  # by user
        self.counts: Counter[LeaseCounter] = Counter()
        self._last = 0
        self._placed: LruDict[str, str] = LruDict(DOMAINS)  # domain -> worker
        self._addresses: LruDict[str, str] = LruDict(DOMAINS)  # domain -> address
        self._served: LruDict[str, str] = LruDict(DOMAINS)  # address -> worker

    @property
    def longest_silence(self) -> float:
        """Seconds after which no lease can run any more, whose ever it was."""
        return self.lease * LOST

    @property
    def capacity(self) -> int:
        """How many orders the workers that are here take together."""
        return sum(each.capacity for each in self.members.values() if self._is_able(each))

    def write(self, candidate: Candidate, since: float) -> Lease:
        """Open an order; it waits for a worker."""
        self._last += 1
        errand = Lease(self._last, candidate, since, registered_domain(candidate.url))
        self.open[errand.number] = errand
        self.waiting.append(errand)
        return errand

    def place(self, now: float) -> list[Lease]:
        """Give what waits to workers, as far as it may be given, and return what is to be sent."""
        if not self.waiting:
            return []
        placed, left = [], []
        for errand in self.waiting:
            member = self._member_for(errand) if errand.ready <= now else None
            if member is None:
                left.append(errand)
                continue
            errand.worker, errand.sent, errand.begun = member.name, now, now
            member.owed[errand.number] = errand
            placed.append(errand)
        self.waiting = left
        return placed

    def hear(self, worker: str, beat: Heartbeat, now: float) -> list[Lease]:
        """Note that a worker is alive, and return the orders that were lost on the way to it."""
        member = self.members.get(worker)
        if member is None:
            member = self.members[worker] = WorkerState(worker, now, now)
        member.heard, member.capacity, member.cpu = now, min(max(0, beat.capacity), MOST_CAPACITY), beat.cpu
        member.draining = beat.draining
        held = set(beat.held)
        for number in [each for each in member.recalled if each not in held]:
            self._wait(member.recalled.pop(number), now)
        return self._lacking(member, held, now)

    def _lacking(self, member: WorkerState, held: set[int], now: float) -> list[Lease]:
        """Return what a worker should have and twice did not say it has."""
        missing = {
            number
            for number, errand in member.owed.items()
            if number not in held and now - errand.sent > PATIENCE
        }
        again = [member.owed[number] for number in sorted(missing & member.missing)]
        member.missing = missing
        for errand in again:
            errand.sent = now
        self.counts[LeaseCounter.AGAIN] += len(again)
        return again

    def end(self, worker: str, number: int) -> Lease | None:
        """Close an order at its first answer; None if it is not open, or another worker's."""
        errand = self.open.get(number)
        if errand is None or errand.worker != worker:
            self.counts[LeaseCounter.LATE] += 1
            return None
        del self.open[number]
        if member := self.members.get(worker):
            member.owed.pop(number, None)
            member.answered += 1
            if member.alone and not member.owed:
                member.alone = False
        return errand

    def believe(self, errand: Lease, address: str) -> None:
        """Remember where a domain is served, so that one worker asks all of an address."""
        if address:
            self._addresses.put(errand.domain, address)
            self._served.put(address, errand.worker)

    def is_away(self, worker: str) -> bool:
        """Tell whether a worker was sent away, under whatever process."""
        return user_of(worker) in self.away

    def refuse(self, errand: Lease, now: float) -> bool:
        """Take back an answer that cannot be; return whether the order is given up after too many."""
        self.counts[LeaseCounter.REFUSED] += 1
        errand.refused += 1
        if (member := self.members.get(errand.worker)) is not None:
            member.lies += 1
            self._lies[user := user_of(member.name)] += 1
            if self._lies[user] == LIES:
                self.counts[LeaseCounter.AWAY] += 1
                self.away.add(user)
        self._placed.drop(errand.domain)
        if errand.refused >= REFUSED:
            return True
        self.open[errand.number] = errand
        self._wait(errand, now)
        return False

    def lose(self, name: str, now: float) -> list[Lease]:
        """Let what a lost worker held go to others, and return the orders that have cost too many."""
        if (member := self.members.pop(name, None)) is None:
            return []
        self.counts[LeaseCounter.LOST] += 1
        given_up = []
        for errand in member.owed.values():
            errand.deaths += 1
            if errand.deaths >= DEADLY:
                self.open.pop(errand.number, None)
                given_up.append(errand)
            else:
                self._wait(errand, now)
        for errand in member.recalled.values():
            self._wait(errand, now)
        return given_up

    def leave(self, name: str) -> None:
        """Let a worker go that has nothing any more."""
        member = self.members.get(name)
        if member and not member.owed and not member.recalled:
            del self.members[name]

    def silent(self, now: float) -> list[str]:
        """Return the workers that were not heard for longer than their leases can last."""
        return [name for name, member in self.members.items() if now - member.heard > self.longest_silence]

    def recall(self, now: float) -> list[Lease]:
        """Take orders back that a living worker does not answer; return those it was the second time for."""
        given_up = []
        for member in self.members.values():
            for errand in [each for each in member.owed.values() if now - each.begun > self.deadline]:
                self.counts[LeaseCounter.OVERDUE] += 1
                errand.overdue += 1
                del member.owed[errand.number]
                if errand.overdue > 1:
                    self.open.pop(errand.number, None)
                    given_up.append(errand)
                else:
                    errand.worker = ""  # what it says of it from now on comes too late
                    member.recalled[errand.number] = errand
        return given_up

    def _wait(self, errand: Lease, now: float) -> None:
        """Let an order wait for another worker; its host is owed a rest first."""
        self.counts[LeaseCounter.MOVED] += 1
        errand.worker = ""
        errand.ready = now + self.delay
        self._placed.drop(errand.domain)
        self.waiting.append(errand)

    def _member_for(self, errand: Lease) -> WorkerState | None:
        """Return the worker that gets an order: the one with its domain, its address, or the least busy."""
        if errand.deaths >= ALONE:
            return self._idle_member()
        member = self._known(self._placed.get(errand.domain))
        if member is None:
            address = self._addresses.get(errand.domain)
            member = self._known(self._served.get(address)) if address else None
        if member is None:
            able = [each for each in self.members.values() if self._is_able(each)]
            member = min(able, key=lambda each: (each.load, each.answered), default=None)
        if member is not None:
            self._placed.put(errand.domain, member.name)
        return member

    def _known(self, name: str | None) -> WorkerState | None:
        """Return a worker that already has the domain, unless it is gone or has twice what it can do."""
        member = self.members.get(name) if name else None
        return member if member and self._is_able(member) and len(member.owed) < 2 * member.capacity else None

    def _idle_member(self) -> WorkerState | None:
        """Return a worker that holds nothing, and see that one will; innocents are cleared so."""
        able = [each for each in self.members.values() if not each.draining and not self.is_away(each.name)]
        chosen = [each for each in able if each.alone] or sorted(able, key=lambda each: len(each.owed))[:1]
        for member in chosen:
            member.alone = True
            if not member.owed:
                return member
        return None

    def _is_able(self, member: WorkerState) -> bool:
        return not (member.draining or member.alone or self.is_away(member.name))


def user_of(worker: str) -> str:
    """Return the user of an engine that a worker is: what stands before its process."""
    return worker.partition(".")[0]


# The status file: who works for a crawl, as a table for people and for Prometheus


FILE = "workers.json"


class WorkerStatus(Struct, frozen=True):
    """One worker as the crawl sees it."""

    name: str
    capacity: int
    orders: int
    answered: int
    pages_per_second: float
    cpu_seconds: float
    heard: float  # seconds ago
    draining: bool
    refused: int


class Status(Struct, frozen=True):
    """All workers of a crawl, and what was counted since it started."""

    crawl: str
    at: float
    workers: tuple[WorkerStatus, ...]
    capacity: int
    orders: int  # open
    oldest: float  # seconds the oldest of them is open
    counts: dict[str, int]


def status_of(ledger: LeaseTable, crawl: str, now: float, at: float) -> Status:
    """Return how the workers of a crawl are."""
    workers = [
        WorkerStatus(
            name=each.name,
            capacity=each.capacity,
            orders=len(each.owed),
            answered=each.answered,
            pages_per_second=round(each.answered / max(1.0, now - each.joined), 2),
            cpu_seconds=round(each.cpu, 2),
            heard=round(now - each.heard, 1),
            draining=each.draining,
            refused=each.lies,
        )
        for each in ledger.members.values()
    ]
    oldest = max((at - each.since for each in ledger.open.values()), default=0.0)
    counts = {count.value: ledger.counts[count] for count in LeaseCounter}
    return Status(crawl, at, tuple(workers), ledger.capacity, len(ledger.open), round(oldest, 1), counts)


def read_status(folder: Path) -> Status:
    """Return the state that a running crawl noted last, or say that there is none."""
    path = folder / FILE
    refuse_link(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Status)
    except FileNotFoundError:
        raise NotACrawl(
            f"No crawl with workers runs in {folder}. Start one with 'thresher crawl ... --workers 4'."
        ) from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NotACrawl(f"{path} cannot be read ({error}): another Thresher wrote it.") from None


_LABEL = re.compile(r"[^\w.-]", re.ASCII)  # what could end a label: the file may come from elsewhere


def metrics(status: Status) -> str:
    """Return the state in the text format of Prometheus."""
    label = f'{{crawl="{_LABEL.sub("_", status.crawl)}"}}'
    figures = {
        "workers": len(status.workers),
        "capacity": status.capacity,
        "orders_open": status.orders,
        "capacity_used": round(status.orders / status.capacity, 3) if status.capacity else 0,
        "oldest_order_seconds": status.oldest,
        "worker_cpu_seconds": round(sum(each.cpu_seconds for each in status.workers), 2),
        **{f"orders_{_LABEL.sub('_', name)}": count for name, count in status.counts.items()},
    }
    return "".join(f"thresher_{name}{label} {value}\n" for name, value in figures.items())
