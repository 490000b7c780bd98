"""The wire over NATS: subjects of a plain bus that keeps nothing, and nothing needs to be kept.

thresher.CRAWL.crawl          what workers say
thresher.CRAWL.workers        calls to all
thresher.CRAWL.worker.NAME    what is meant for one
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

from thresher.cluster.nats_client import HELD
from thresher.cluster.wires import Ended, Gone, Hear
from thresher.core.errors import ThresherError, UsageError

log = logging.getLogger(__name__)

LAST_WORDS = 2.0  # seconds for what was said before hanging up
PATIENCE = 600.0  # seconds a worker waits for an engine that went away
LOOK = 0.25  # seconds between two looks at whether it is there
AWAY = "The engine has been away for {:g} s. Start it, then this worker again."
CLOSED = "The engine does not take us any more: was a password changed? Come back with the new one."

Connect = Callable[[], Awaitable[Any]]
"""Connects to an engine and returns its client, whose library ships with an extra."""


@dataclass
class _Line:
    """A connection, with what is to be said in its order."""

    connect: Connect
    _client: Any = None
    _queue: "asyncio.Queue[tuple[str, bytes]]" = field(default_factory=asyncio.Queue)
    _carrying: "asyncio.Task[None] | None" = None
    _watching: "asyncio.Task[None] | None" = None

    async def open(self, gone: Ended, patience: float = inf) -> None:
        """Connect; `gone` is told when the engine does not come back in time, or takes us no more."""
        self._client = await self.connect()
        self._carrying = asyncio.create_task(self._carry())
        self._watching = asyncio.create_task(self._watch(gone, patience))

    async def hear(self, subject: str, hear: Hear) -> Any:
        async def each(message: Any) -> None:
            hear(message.data)

        return await self._client.subscribe(subject, cb=each, pending_bytes_limit=HELD)

    def say(self, subject: str, message: bytes) -> None:
        self._queue.put_nowait((subject, message))

    async def sent(self) -> None:
        """Return when the engine has heard of our subscriptions."""
        if self._client:
            with suppress(Exception):
                await self._client.flush(2)

    async def close(self) -> None:
        if self._watching:
            self._watching.cancel()
        if self._carrying:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._queue.join(), LAST_WORDS)
            self._carrying.cancel()
        if self._client:
            await _tried(self._client.drain)
            await _tried(self._client.close)

    async def _carry(self) -> None:
        while True:
            subject, message = await self._queue.get()
            try:
                await self._client.publish(subject, message)
            except Exception as error:  # of an engine that is away; the lists of beats and leases heal it
                log.info("Not said: %r", error)
            self._queue.task_done()

    async def _watch(self, gone: Ended, patience: float) -> None:
        loop = asyncio.get_running_loop()
        seen = loop.time()
        while not self._client.is_closed and loop.time() - seen <= patience:
            await asyncio.sleep(LOOK)
            seen = loop.time() if self._client.is_connected else seen
        gone(UsageError(CLOSED if self._client.is_closed else AWAY.format(patience)))


async def _tried(say: Callable[[], Awaitable[None]]) -> None:
    """Say good-bye, but not for long: the client waits long for an engine that is gone."""
    saying = asyncio.ensure_future(say())
    await asyncio.wait({saying}, timeout=LAST_WORDS)
    saying.cancel()
    saying.add_done_callback(lambda done: done.cancelled() or done.exception())


@dataclass
class NatsCrawlWire:
    """The crawl's end."""

    connect: Connect
    crawl: str
    described: str
    failure: ThresherError | None = None

    async def open(self, hear: Hear, gone: Gone) -> None:
        """Connect, and begin to hear workers."""
        self._line = _Line(self.connect)
        await self._line.open(self._closed)
        await self._line.hear(f"thresher.{self.crawl}.crawl", hear)

    def _closed(self, why: ThresherError | None) -> None:
        """Know that the engine takes us no more; one that is merely away is waited for."""
        self.failure = why

    def say(self, worker: str, message: bytes) -> None:
        """Send to one worker."""
        if worker.isascii() and worker.replace("-", "").replace("_", "").isalnum():  # a part of a subject
            self._line.say(f"thresher.{self.crawl}.worker.{worker}", message)

    def call(self, message: bytes) -> None:
        """Send to all workers."""
        if hasattr(self, "_line"):
            self._line.say(f"thresher.{self.crawl}.workers", message)

    def lost(self, worker: str) -> None:
        """Do nothing: its lease has run out, and its machine is its owner's."""

    async def close(self) -> None:
        """Hang up, after what was said is sent."""
        if hasattr(self, "_line"):
            await self._line.close()

    def __str__(self) -> str:
        return self.described


@dataclass
class NatsWorkerWire:
    """A worker's end; it hears calls of every crawl, or of one."""

    connect: Connect
    name: str
    crawl: str = ""
    patience: float = PATIENCE
    _joined: Any = None

    async def open(self, hear: Hear, gone: Ended) -> None:
        """Connect, and begin to hear calls; an engine that is gone for good is told of."""
        self._hear, self._subject = hear, ""
        self._line = _Line(self.connect)
        await self._line.open(gone, self.patience)
        await self._line.hear(f"thresher.{self.crawl or '*'}.workers", hear)
        await self._line.sent()

    async def join(self, crawl: str) -> None:
        """Hear what that crawl says to this worker, and speak to it."""
        if self._joined:
            with suppress(Exception):
                await self._joined.unsubscribe()
        self._joined = await self._line.hear(f"thresher.{crawl}.worker.{self.name}", self._hear)
        await self._line.sent()
        self._subject = f"thresher.{crawl}.crawl"

    def say(self, message: bytes) -> None:
        """Send to the crawl."""
        if self._subject:
            self._line.say(self._subject, message)

    async def close(self) -> None:
        """Hang up, after what was said is sent."""
        if hasattr(self, "_line"):
            await self._line.close()
