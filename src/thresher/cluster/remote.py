"""Workers in other processes or on other machines, with the interface of tasks of this process.

One visit for every candidate, whatever becomes of workers: the lease table keeps every order until its
first whole answer, and what is not answered is asked again. Leases fence: an order moves only when the worker
that had it can no longer begin a request.
"""

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec import MsgspecError, Struct
from typing_extensions import override

from thresher.cluster.leases import LIES, Lease, LeaseCounter, LeaseTable, Status, status_of
from thresher.cluster.messages import (
    SPEAKS,
    CrawlAnnouncement,
    CrawlTransport,
    Heartbeat,
    Hello,
    LeaseRenewal,
    VisitOrder,
    VisitResults,
    WorkerRefusal,
    encode,
    from_worker,
)
from thresher.cluster.payload import Bounds, InvalidResult, decode_visit
from thresher.core.clock import since_boot
from thresher.core.enums import Detail, Outcome, Request
from thresher.core.files import remove_status_file, write_status_file
from thresher.core.interfaces import Clock, Workers
from thresher.core.records import Candidate, Url, Visit
from thresher.engine.workers import CANCEL_TIMEOUT, POLL_INTERVAL, Check, Visitor
from thresher.fetch.client import NO_COPIES, Copies

log = logging.getLogger(__name__)
account = logging.getLogger(f"{__name__}.ledger")  # every order sent and ended, for who asks with -vv

LOOK = 0.25  # seconds between two checks of who is silent
TELL = 2.0  # seconds between two notes for `thresher worker --list`
LONELY = 5.0  # seconds without a worker after which the crawl says so
UNBOUNDED = 1 << 30  # visits at once: as many as the workers have room for
SENT_AWAY = f"{LIES} of its answers could not be: is its memory sound?"


class WorkerConfig(Struct, frozen=True):
    """What a crawl and its workers agree on."""

    crawl: str
    task: bytes
    lease: float = 15.0
    delay: float = 1.0
    deadline: float = 190.0  # seconds a living worker may keep an order
    bounds: Bounds = Bounds()
    most: int = UNBOUNDED  # visits at once, whatever room the workers have together
    quiet: bool = False  # whether leases of a crawl before this one may still run
    join: str = ""  # how a worker joins, for people


@dataclass
class RemoteWorkers(Workers):
    """The workers of a crawl elsewhere. What needs the store is done here: back-links, comparisons."""

    transport: CrawlTransport
    terms: WorkerConfig
    here: Visitor
    clock: Clock
    checks: tuple[Check, ...] = ()  # those that need the store; workers have done the others
    copies: Copies = NO_COPIES
    secret_of: Callable[[Url], str] = lambda url: ""
    status: Path | None = None
    now: Callable[[], float] = since_boot
    epoch: str = field(default_factory=lambda: os.urandom(8).hex())

    def __post_init__(self) -> None:
        """Begin with an empty table of leases; no worker is called yet."""
        terms = self.terms
        self.ledger = LeaseTable(terms.lease, terms.delay, terms.deadline)
        self._finished: deque[tuple[Lease, bytes | Visit]] = deque()
        self._questions: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Event()
        self._owed = 0
        self._watch: asyncio.Task[None] | None = None
        self._lonely_since: float | None = None
        self._quiet_until = self._told = 0.0
        self._hello = encode(Hello(self.epoch, terms.task, terms.lease))

    @property
    @override
    def free(self) -> int:
        if self.now() < self._quiet_until:
            return 0
        return max(0, min(self.ledger.capacity, self.terms.most) - self._owed)

    @property
    @override
    def busy(self) -> int:
        return self._owed

    @override
    def under_way(self) -> list[tuple[Candidate, float]]:
        now = self.clock.now()
        return [(each.candidate, now - each.since) for each in self.ledger.open.values()]

    @override
    def stages(self) -> Sequence[tuple[str, object]]:
        return (
            ("fetch", (str(self.transport), self.here.backlinks)),
            ("read", "parse and judge by the workers"),
            ("check", (*self.here.checks, *self.checks)),
        )

    @override
    async def open(self) -> None:
        """Begin to hear workers, and call them."""
        await self.transport.open(self._hear, self._lose)
        if self.terms.quiet:
            self._quiet_until = self.now() + self.ledger.longest_silence
        self._watch = asyncio.create_task(self._keep_watch())

    @override
    def send(self, candidate: Candidate) -> None:
        """Open an order for a candidate, and give it to a worker; questions are answered here."""
        self._owed += 1
        if candidate.kind is Request.BACKLINKS:
            task = asyncio.create_task(self._answer_here(candidate))
            self._questions.add(task)
            return task.add_done_callback(self._questions.discard)
        errand = self.ledger.write(candidate, self.clock.now())
        account.debug("sent %s %d %s", self.epoch, errand.number, candidate.url)
        self._place()

    @override
    async def next(self, timeout: float | None) -> Visit | None:
        if self.transport.failure:
            raise self.transport.failure
        if self._finished:
            await asyncio.sleep(0)  # what has arrived meanwhile is taken in first
        else:
            self._arrived.clear()
            waiting = min(POLL_INTERVAL, POLL_INTERVAL if timeout is None else timeout)
            await self.clock.wait(self._arrived.wait(), waiting)
        while self._finished:
            errand, brought = self._finished.popleft()
            visit = brought if isinstance(brought, Visit) else self._opened(errand, brought)
            if visit is not None:
                self._owed -= 1
                return visit
        return None

    @override
    async def close(self) -> None:
        """Drop what is under way, say good-bye, and let go of every process and connection."""
        tasks = [*self._questions, *([self._watch] if self._watch else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_TIMEOUT)
        self.transport.call(encode(CrawlAnnouncement(self.terms.crawl, self.epoch, bye=True)))
        await self.transport.close()
        self._owed = len(self._finished)
        await self.here.close()
        if self.status:
            remove_status_file(self.status)

    def _opened(self, errand: Lease, data: bytes) -> Visit | None:
        """Return the visit that an answer is, or None if it cannot be one: then another worker is asked."""
        try:
            visit = decode_visit(data, errand.candidate, self.terms.bounds, errand.since, self.clock.now())
        except InvalidResult as lie:
            log.warning("An answer of worker %s was refused: %s.", errand.worker, lie)
            worker = errand.worker
            if self.ledger.refuse(errand, self.now()):
                return self._failed(errand, Detail.NO_WORKER, f"no worker answered well: {lie}")
            if self.ledger.is_away(worker):
                self._send_away(worker)
            return None
        account.debug("ended %s %d", self.epoch, errand.number)
        self.ledger.believe(errand, visit.fetched.address if visit.fetched else "")
        for check in self.checks:
            visit = check(visit)
        return visit

    def _send_away(self, worker: str) -> None:
        log.warning("Worker %s is sent away: %d of its answers could not be.", worker, LIES)
        self._say(worker, WorkerRefusal(SENT_AWAY))
        self._lose(worker)

    async def _answer_here(self, candidate: Candidate) -> None:
        visit = await self.here.visit(candidate)
        self._finish(Lease(0, candidate, 0.0, ""), visit)

    def _finish(self, errand: Lease, brought: bytes | Visit) -> None:
        self._finished.append((errand, brought))
        self._arrived.set()

    def _failed(self, errand: Lease, detail: Detail, reason: str) -> Visit:
        account.debug("ended %s %d", self.epoch, errand.number)
        return Visit(errand.candidate, Outcome.FAILED, self.clock.now(), reason=reason, detail=detail)

    def _hear(self, worker: str, message: bytes) -> None:
        """Take in a message of a worker, whatever it is."""
        try:
            heard = from_worker(message)
        except (MsgspecError, RecursionError):
            self.ledger.counts[LeaseCounter.UNREAD] += 1
            return
        if isinstance(heard, Heartbeat):
            self._hear_beat(worker, heard)
        elif heard.epoch == self.epoch:
            self._hear_answers(worker, heard)
        else:
            self.ledger.counts[LeaseCounter.LATE] += 1

    def _hear_beat(self, worker: str, beat: Heartbeat) -> None:
        """Welcome a worker, or renew its lease and send again what it lacks."""
        if beat.speaks != SPEAKS:
            self.ledger.counts[LeaseCounter.VERSIONS] += 1
            sentence = f"the crawl speaks {SPEAKS} and this worker {beat.speaks}: install the same Thresher"
            return self._say(worker, WorkerRefusal(sentence))
        if self.ledger.is_away(worker):
            return self._say(worker, WorkerRefusal(SENT_AWAY))
        if beat.epoch != self.epoch:
            return self.transport.say(worker, self._hello)
        for errand in self.ledger.hear(worker, beat, self.now()):
            self._order(errand)
        owed = list(self.ledger.members[worker].owed)
        self._say(worker, LeaseRenewal(self.epoch, beat.stamp, self.clock.now(), owed))
        if beat.draining and not beat.held and not beat.capacity:
            self.ledger.leave(worker)
        self._place()
        self._arrived.set()

    def _hear_answers(self, worker: str, answers: VisitResults) -> None:
        for result in answers.results:
            if errand := self.ledger.end(worker, result.order):
                self._finish(errand, result.data)

    def _place(self) -> None:
        for errand in self.ledger.place(self.now()):
            self._order(errand)

    def _order(self, errand: Lease) -> None:
        url = errand.candidate.url
        known = self.copies.validators(url)
        conditions = (known.etag, known.last_modified) if known else ("", "")
        order = VisitOrder(self.epoch, errand.number, errand.candidate, *conditions, self.secret_of(url))
        self._say(errand.worker, order)

    def _say(self, worker: str, message: LeaseRenewal | VisitOrder | WorkerRefusal) -> None:
        self.transport.say(worker, encode(message))

    def _lose(self, worker: str) -> None:
        """Give what a worker had to others; a page with which several died is given up."""
        if worker not in self.ledger.members:
            return
        self.transport.lost(worker)
        for errand in self.ledger.lose(worker, self.now()):
            reason = f"{errand.deaths} workers died while they had this page"
            self._finish(errand, self._failed(errand, Detail.KILLS_WORKERS, reason))
        self._place()

    async def _keep_watch(self) -> None:
        """Look for workers that are silent or do not answer, and announce the crawl."""
        while True:
            now = self.now()
            for worker in self.ledger.silent(now):
                silence = self.ledger.longest_silence
                log.warning("Worker %s was not heard for %.0f s; its pages go to others.", worker, silence)
                self._lose(worker)
            for errand in self.ledger.recall(now):
                reason = f"no worker answered within {self.terms.deadline:g} seconds"
                self._finish(errand, self._failed(errand, Detail.NO_WORKER, reason))
            self._place()
            self._say_if_lonely(now)
            self.transport.call(encode(CrawlAnnouncement(self.terms.crawl, self.epoch)))
            if self.status and now - self._told >= TELL:
                self._told = now
                write_status_file(self.status, msgspec.json.encode(self.report()))
            await asyncio.sleep(LOOK)

    def report(self) -> Status:
        """Return the workers and the counts."""
        return status_of(self.ledger, self.terms.crawl, self.now(), self.clock.now())

    def _say_if_lonely(self, now: float) -> None:
        """Say once that no worker is there."""
        if self.ledger.members:
            self._lonely_since = None
        elif self._lonely_since is None:
            self._lonely_since = now
        elif 0 <= now - self._lonely_since - LONELY < LOOK:
            log.warning("No worker is here, so the crawl waits. %s", self.terms.join)
