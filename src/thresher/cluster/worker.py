"""A worker: it fetches, reads, judges and packs for one crawl at a time, and keeps nothing on a disk."""

import asyncio
import logging
import os
import re
import socket
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import MsgspecError
from typing_extensions import override

from thresher.cluster.messages import (
    SPEAKS,
    CrawlAnnouncement,
    Heartbeat,
    Hello,
    LeaseRenewal,
    VisitOrder,
    VisitResult,
    VisitResults,
    WorkerRefusal,
    WorkerTransport,
    encode,
    from_crawl,
)
from thresher.cluster.payload import seal
from thresher.core.clock import since_boot
from thresher.core.enums import Detail, Outcome
from thresher.core.errors import ThresherError, UsageError
from thresher.core.platform import processor_seconds
from thresher.core.records import Url, Visit
from thresher.core.url import host_of
from thresher.engine.workers import Visitor
from thresher.fetch.client import Copies, Leave, Validators

# The orders that a worker holds


class PendingRequests(dict[int, VisitOrder], Copies):
    """Orders by their numbers; what came with one is known for as long as it is held."""

    @override
    def validators(self, url: Url) -> Validators | None:
        """Return the conditions under which a URL is asked for."""
        for order in self.values():
            if order.candidate.url == url:
                return Validators(order.etag, order.modified) if order.etag or order.modified else None
        return None


class Secrets(Mapping[str, str]):
    """The secret lines of requests that came with the orders at hand, by origin, and no others."""

    def __init__(self, held: PendingRequests) -> None:
        """Look at what is held whenever one is needed."""
        self._held = held

    def __getitem__(self, origin: str) -> str:
        for order in self._held.values():
            if order.secret and host_of(order.candidate.url) == origin:
                return order.secret
        raise KeyError(origin)

    def __iter__(self) -> Iterator[str]:
        return iter({host_of(order.candidate.url) for order in self._held.values() if order.secret})

    def __len__(self) -> int:
        return sum(1 for _ in self)


log = logging.getLogger(__name__)

BEAT = 0.5  # seconds
AGAIN = 2.0  # seconds after which an answer that is still owed is sent again
GATHER, TOGETHER = 0.004, 512 << 10  # seconds in which, and bytes up to which, answers are one message
CAPACITY = 16
ENVELOPE = 1 << 10  # bytes of a message besides an answer


Make = Callable[[bytes, Leave, Copies, Mapping[str, str]], Visitor]
"""Makes a visitor of a crawl's settings. Raises ThresherError in a sentence if it cannot be made here."""


def own_name() -> str:
    """Return a unique worker id; a restarted worker gets a new one."""
    host = re.sub(r"[^A-Za-z0-9_-]", "_", socket.gethostname().split(".")[0])[:40]
    return f"{host}-{os.getpid()}-{os.urandom(3).hex()}"


@dataclass
class Worker:
    """Holds orders under a lease. Without one it begins no request: page, retry or robots.txt."""

    transport: WorkerTransport
    make: Make
    capacity: int = CAPACITY
    crawl: str = ""  # the one to work for; not set: the first that calls
    now: Callable[[], float] = since_boot
    wall: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        """Hold nothing yet."""
        self.epoch, self._lease, self._until, self._offset = "", 0.0, 0.0, 0.0
        self._joined = ""
        self._orders = PendingRequests()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._answers: dict[int, tuple[float, bytes]] = {}
        self._outbox: list[VisitResult] = []
        self._size = 0
        self._flush: asyncio.TimerHandle | None = None
        self._visits: Visitor | None = None
        self._aside: set[asyncio.Task[None]] = set()
        self._draining = False
        self._end: ThresherError | None = None
        self._is_over = False
        self._kick = asyncio.Event()

    async def run(self) -> None:
        """Work until told to leave, or until the crawl is gone; raise what else ended it."""
        await self.transport.open(self._hear, self._gone)
        try:
            while not self._is_over and not (self._draining and not self._held()):
                self._kick.clear()
                if self._joined:
                    self._beat()
                await self._pause()
                if self.epoch and not self.is_leased():
                    self._drop_all()
            if self._joined and not self._is_over:
                self._say(Heartbeat(SPEAKS, self.epoch, self.now(), 0, [], processor_seconds(), True))
        finally:
            self._drop_all()
            await self.transport.close()
            await self._let_go()
        if self._end:
            raise self._end

    def drain(self) -> None:
        """Take nothing new, answer what is held, and leave."""
        self._draining = True
        self._kick.set()

    @property
    def is_draining(self) -> bool:
        """Whether it takes nothing new any more."""
        return self._draining

    def stop(self) -> None:
        """Leave now."""
        self._is_over = True
        self._kick.set()

    def is_leased(self) -> bool:
        """Tell whether a request may still be begun."""
        return self.now() < self._until

    def leave(self) -> None:
        """Let a request be made, or drop the visit whose lease has run out."""
        if not self.is_leased():
            raise asyncio.CancelledError

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(BEAT):
                await self._kick.wait()
        except TimeoutError:
            return

    def _held(self) -> list[int]:
        return [*self._tasks, *self._answers]

    def _beat(self) -> None:
        capacity, spent = 0 if self._draining else self.capacity, processor_seconds()
        self._say(Heartbeat(SPEAKS, self.epoch, self.now(), capacity, self._held(), spent, self._draining))

    def _say(self, message: Heartbeat | VisitResults) -> None:
        self.transport.say(encode(message))

    def _gone(self, why: ThresherError | None) -> None:
        """Hear that the crawl is gone, and no other can be reached this way."""
        self._end = why
        self.stop()

    def _hear(self, message: bytes) -> None:
        try:
            heard = from_crawl(message)
        except (MsgspecError, RecursionError):
            log.warning("A message that cannot be read was dropped: is the crawl of another version?")
            return
        if isinstance(heard, CrawlAnnouncement):
            self._hear_call(heard)
        elif isinstance(heard, WorkerRefusal):
            self._end = UsageError(f"The crawl does not take this worker: {heard.sentence}.")
            self.stop()
        elif isinstance(heard, Hello):
            self._begin(heard)
        elif heard.epoch != self.epoch:
            return
        elif isinstance(heard, LeaseRenewal):
            self._until = max(self._until, heard.echo + self._lease)
            self._offset = heard.now - self.wall()
            self._settle(set(heard.owed))
        else:
            self._take(heard)

    def _hear_call(self, call: CrawlAnnouncement) -> None:
        """Join a crawl that calls, if it is ours or we have none; let go of one that says good-bye."""
        if self.crawl and call.crawl != self.crawl:
            return
        if call.bye:
            if call.epoch == self.epoch:
                self._drop_all()
                self.epoch, self._joined = "", ""
        elif not self._joined:
            self._joined = call.crawl
            self._beside(self._join(call.crawl))
        elif call.crawl == self._joined and call.epoch != self.epoch:
            self._kick.set()

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something be done meanwhile; what is not done at the end is waited for a moment."""
        task = asyncio.create_task(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _join(self, crawl: str) -> None:
        await self.transport.join(crawl)
        self._kick.set()

    def _begin(self, hello: Hello) -> None:
        """Work for a crawl that is new, or has come back: what was held for an earlier one is void."""
        if hello.epoch == self.epoch:
            return
        self._drop_all()
        before, self._visits = self._visits, None
        if before:
            self._beside(before.close())
        try:
            self._visits = self.make(hello.task, self.leave, self._orders, Secrets(self._orders))
        except ThresherError as error:
            self._end = error
            return self.stop()
        self.epoch, self._lease, self._until = hello.epoch, hello.lease, 0.0
        self._kick.set()

    def _take(self, order: VisitOrder) -> None:
        """Begin a visit, unless it is under way or done already."""
        number = order.number
        if number in self._answers:
            self._send(number)
        elif number not in self._tasks:
            self._orders[number] = order
            self._tasks[number] = asyncio.create_task(self._visit(order))

    def _settle(self, owed: set[int]) -> None:
        """Drop what is no longer waited for, and send again what was lost on the way."""
        for number in [each for each in self._tasks if each not in owed]:
            self._tasks.pop(number).cancel()
            del self._orders[number]
        for number in [each for each in self._answers if each not in owed]:
            del self._answers[number]
        now = self.now()
        for number in [each for each, (sent, _) in self._answers.items() if now - sent > AGAIN]:
            self._send(number)
        if self._draining and not self._held():
            self._kick.set()

    async def _visit(self, order: VisitOrder) -> None:
        number, me = order.number, asyncio.current_task()
        assert self._visits is not None
        try:
            visit = await self._visits.visit(order.candidate)
        except asyncio.CancelledError:
            if self._tasks.get(number) is not me:
                raise  # it is no longer waited for
            if not self.is_leased():
                self._forget(number)
                raise
            reason = "cancelled from within"  # by a library: the candidate is owed its visit all the same
            visit = Visit(
                order.candidate, Outcome.FAILED, self.wall(), reason=reason, detail=Detail.CANCELLED
            )
        if self._tasks.get(number) is me:
            self._forget(number)
            self._answers[number] = (0.0, self._sealed(visit))
            self._send(number)

    def _sealed(self, visit: Visit) -> bytes:
        """Return a visit as it travels; one that is too large for a message has failed."""
        data = seal(visit, self._offset)
        if len(data) <= self.transport.most - ENVELOPE:
            return data
        reason = f"its answer has {len(data):,} bytes, and a message at most {self.transport.most:,}"
        failed = Visit(visit.candidate, Outcome.FAILED, visit.at, reason=reason, detail=Detail.TOO_LARGE)
        return seal(failed, self._offset)

    def _forget(self, number: int) -> None:
        del self._tasks[number], self._orders[number]

    def _send(self, number: int) -> None:
        """Send an answer, together with others that are ready in this moment."""
        data = self._answers[number][1]
        self._answers[number] = (self.now(), data)
        if self._size + len(data) > TOGETHER:
            self._send_now()
        self._outbox.append(VisitResult(number, data))
        self._size += len(data)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(GATHER, self._send_now)

    def _send_now(self) -> None:
        if self._flush:
            self._flush.cancel()
        self._flush = None
        if self._outbox:
            self._say(VisitResults(self.epoch, self._outbox))
            self._outbox, self._size = [], 0

    def _drop_all(self) -> None:
        """Let go of everything: the lease has run out, or the crawl is another."""
        tasks = list(self._tasks.values())
        for held in (self._tasks, self._orders, self._answers, self._outbox):
            held.clear()
        self._size = 0
        for task in tasks:
            task.cancel()

    async def _let_go(self) -> None:
        if self._visits:
            await self._visits.close()
        if self._aside:
            await asyncio.wait(self._aside, timeout=BEAT)
