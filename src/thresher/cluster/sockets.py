"""Workers on this machine: processes of our own, each at the other end of a pair of sockets.

No other process can connect, no secret is needed, and a dead process is known at once: a worker ends when
the crawl is gone, and one that ends before is started again.
"""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from typing_extensions import override

from thresher.cluster.messages import (
    LONGEST,
    CrawlTransport,
    Ended,
    Gone,
    Hear,
    HearWorker,
    WorkerTransport,
)
from thresher.core.errors import ThresherError, UsageError
from thresher.core.platform import LINUX, POSIX, ignoring_sigint

# The processes that a crawl starts: workers on this machine, and the engine for those elsewhere


PROGRAM = (sys.executable, "-P", "-c", "from thresher.cli.main import main; main()")
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


class Child:
    """A process of ours."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Know the process."""
        self._process = process

    @property
    def returncode(self) -> int | None:
        """How it ended, if it has."""
        return self._process.returncode

    def kill(self) -> None:
        """End it now."""
        if self._process.returncode is None:
            self._process.kill()

    async def wait(self) -> int:
        """Return when it has ended."""
        return await self._process.wait()


async def start_worker(end: socket.socket, flags: Sequence[str]) -> Child:
    """Start a worker at one end of a pair of sockets; Ctrl-C in the terminal is not for it."""
    if not POSIX:
        end.close()
        raise UsageError(
            "--workers N needs Linux or macOS: a socket cannot be handed to a process here. "
            "Use --workers bus and 'thresher worker'."
        )
    number = end.fileno()
    command = (*PROGRAM, "worker", "--connect", f"fd:{number}", *flags)
    try:
        with ignoring_sigint():
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, pass_fds=(number,)
            )
    finally:
        end.close()
    return Child(process)


async def start_engine(command: Sequence[str]) -> Child:
    """Start an engine that ends when this process does, whatever ends it."""
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
        preexec_fn=_die_with(os.getpid()),
    )
    return Child(process)


def _die_with(parent: int) -> Callable[[], None] | None:
    """Return what a child does before it begins: it asks the system to end it with its parent."""
    if not LINUX:
        return None
    library = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        library.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return ask


PREFIX = 4  # bytes that say how long a message is
STARTS = 5  # workers that may end before they say a word, until the crawl gives up
ENDING = 2.0  # seconds a worker may take to end when the crawl does


Start = Callable[[socket.socket], Awaitable[Child]]
"""Starts a worker at one end of a pair of sockets, and closes that end here."""


async def messages(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield the messages of one end of a pair, until it is closed or announces one too large to hold."""
    with suppress(asyncio.IncompleteReadError, OSError):
        while (length := int.from_bytes(await reader.readexactly(PREFIX), "big")) <= LONGEST:
            yield await reader.readexactly(length)


def _say(writer: asyncio.StreamWriter, message: bytes) -> None:
    if not writer.is_closing():
        writer.writelines((len(message).to_bytes(PREFIX, "big"), message))


@dataclass
class _Slot:
    """A place for one worker at a time."""

    writer: asyncio.StreamWriter
    process: Child
    name: str = ""


@dataclass
class SocketTransport(CrawlTransport):
    """The crawl's end: so many processes of our own, whatever becomes of each."""

    count: int
    start: Start
    _slots: list[_Slot] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    failure: ThresherError | None = None
    _mute: int = 0  # workers in a row that ended before they said a word

    @override
    async def open(self, hear: HearWorker, gone: Gone) -> None:
        """Start the workers."""
        self._hear, self._gone = hear, gone
        for _ in range(self.count):
            await self._begin()

    @override
    def say(self, worker: str, message: bytes) -> None:
        for slot in self._slots:
            if slot.name == worker:
                _say(slot.writer, message)

    @override
    def call(self, message: bytes) -> None:
        for slot in self._slots:
            _say(slot.writer, message)

    @override
    def lost(self, worker: str) -> None:
        """End a worker that is not heard any more; another takes its place."""
        for slot in self._slots:
            if slot.name == worker:
                slot.process.kill()

    @override
    async def close(self) -> None:
        """Hang up, and see every worker end."""
        for task in self._tasks:
            task.cancel()
        for slot in self._slots:
            slot.writer.close()
        await asyncio.gather(*(_ended(slot.process) for slot in self._slots))

    async def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        process = await self.start(theirs)
        reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST)
        self._slots.append(slot := _Slot(writer, process))
        task = asyncio.create_task(self._listen(slot, reader))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self, slot: _Slot, reader: asyncio.StreamReader) -> None:
        """Hear a worker until it is gone, and start another in its place."""
        async for message in messages(reader):
            if slot.name:
                self._hear(slot.name, message)
            else:  # the first word of a worker is its name
                slot.name, self._mute = message.decode("utf-8", "replace"), 0
        self._slots.remove(slot)
        slot.writer.close()
        self._mute += not slot.name
        slot.process.kill()
        await slot.process.wait()
        if slot.name:
            self._gone(slot.name)
        if self._mute >= STARTS:
            self.failure = UsageError(
                f"{STARTS} workers ended before they could begin. Crawl without --workers, or see what "
                "'thresher worker' says."
            )
        else:
            await self._begin()

    def __str__(self) -> str:
        return f"{self.count} workers on this machine"


async def _ended(process: Child) -> None:
    try:
        await asyncio.wait_for(process.wait(), ENDING)
    except TimeoutError:
        process.kill()
        await process.wait()


@dataclass
class SocketEnd(WorkerTransport):
    """A worker's end: when it is closed, the crawl is gone."""

    socket: socket.socket
    name: str
    most: int = LONGEST

    @override
    async def open(self, hear: Hear, gone: Ended) -> None:
        """Say our name, and begin to hear."""
        reader, self._writer = await asyncio.open_connection(sock=self.socket, limit=LONGEST)
        self.say(self.name.encode())
        self._listening = asyncio.create_task(self._listen(reader, hear, gone))

    async def _listen(self, reader: asyncio.StreamReader, hear: Hear, gone: Ended) -> None:
        async for message in messages(reader):
            hear(message)
        gone(None)

    @override
    async def join(self, crawl: str) -> None:
        """Do nothing: there is one crawl at the other end."""

    @override
    def say(self, message: bytes) -> None:
        _say(self._writer, message)

    @override
    async def close(self) -> None:
        """Hang up."""
        self._listening.cancel()
        self._writer.close()


def inherited(descriptor: int) -> socket.socket:
    """Return the socket that a crawl left us under a number."""
    try:
        return socket.socket(fileno=descriptor)
    except OSError as error:
        raise UsageError(f"fd:{descriptor} is no socket of a crawl ({error.strerror}).") from None
