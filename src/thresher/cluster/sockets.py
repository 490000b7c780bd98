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
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from typing_extensions import override

from thresher.cluster.messages import CrawlTransport, Ended, Gone, Hear, WorkerTransport
from thresher.core.errors import ThresherError, UsageError
from thresher.core.platform import LINUX, POSIX, ignoring_sigint

# The processes that a crawl starts: workers on this machine, and the engine for those elsewhere


PROGRAM = (sys.executable, "-P", "-c", "from thresher.cli.main import main; main()")
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


class Process(Protocol):
    """A worker that was started."""

    def kill(self) -> None:
        """End it now."""

    async def wait(self) -> int:
        """Return when it has ended."""


class Child(Process):
    """A process of ours."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Know the process."""
        self._process = process

    @property
    def returncode(self) -> int | None:
        """How it ended, if it has."""
        return self._process.returncode

    @override
    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    @override
    async def wait(self) -> int:
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
LONGEST = 64 << 20  # bytes of a message; an answer comes in parts
STARTS = 5  # workers that may end before they say a word, until the crawl gives up
ENDING = 2.0  # seconds a worker may take to end when the crawl does


Start = Callable[[socket.socket], Awaitable[Process]]
"""Starts a worker at one end of a pair of sockets, and closes that end here."""


class Frames(asyncio.Protocol):
    """One end of a pair of sockets: messages with their length before them."""

    def __init__(self, hear: Callable[["Frames", bytes], None], gone: Callable[["Frames"], None]) -> None:
        """Store the receivers of messages, and of the end."""
        self._hear, self._gone = hear, gone
        self._held = bytearray()
        self._transport: asyncio.Transport | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by name

    @override
    def data_received(self, data: bytes) -> None:
        """Take in bytes, and tell of every message that is whole."""
        self._held += data
        start, held = 0, len(self._held)
        while held - start >= PREFIX:
            length = int.from_bytes(self._held[start : start + PREFIX], "big")
            if length > LONGEST:
                return self._break_off()
            end = start + PREFIX + length
            if end > held:
                break
            self._hear(self, bytes(memoryview(self._held)[start + PREFIX : end]))
            start = end
        del self._held[:start]

    def _break_off(self) -> None:
        """Close a connection that announces a message too large to hold."""
        self._held.clear()
        if self._transport:
            self._transport.abort()

    @override
    def connection_lost(self, error: Exception | None) -> None:
        """Tell of the end."""
        self._gone(self)

    def say(self, message: bytes) -> None:
        """Send a message, if the other end is still there."""
        if self._transport and not self._transport.is_closing():
            self._transport.writelines((len(message).to_bytes(PREFIX, "big"), message))

    def close(self) -> None:
        """Hang up, after what was said is sent."""
        if self._transport:
            self._transport.close()


@dataclass
class _Slot:
    """A place for one worker at a time."""

    frames: Frames
    process: Process
    name: str = ""


@dataclass
class SocketTransport(CrawlTransport):
    """The crawl's end: so many processes of our own, whatever becomes of each."""

    count: int
    start: Start
    _slots: list[_Slot] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    failure: ThresherError | None = None
    _is_closing: bool = False
    _mute: int = 0  # workers in a row that ended before they said a word

    @override
    async def open(self, hear: Hear, gone: Gone) -> None:
        """Start the workers."""
        self._hear, self._gone = hear, gone
        for _ in range(self.count):
            await self._begin()

    @override
    def say(self, worker: str, message: bytes) -> None:
        for slot in self._slots:
            if slot.name == worker:
                slot.frames.say(message)

    @override
    def call(self, message: bytes) -> None:
        for slot in self._slots:
            slot.frames.say(message)

    @override
    def lost(self, worker: str) -> None:
        """End a worker that is not heard any more; another takes its place."""
        for slot in self._slots:
            if slot.name == worker:
                slot.process.kill()

    @override
    async def close(self) -> None:
        """Hang up, and see every worker end."""
        self._is_closing = True
        for task in self._tasks:
            task.cancel()
        for slot in self._slots:
            slot.frames.close()
        await asyncio.gather(*(_ended(slot.process) for slot in self._slots))

    async def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        process = await self.start(theirs)
        frames = Frames(self._heard, self._lost)
        self._slots.append(_Slot(frames, process))
        await asyncio.get_running_loop().create_connection(lambda: frames, sock=ours)

    def _heard(self, frames: Frames, message: bytes) -> None:
        slot = next(each for each in self._slots if each.frames is frames)
        if slot.name:
            return self._hear(message)
        slot.name = message.decode("utf-8", "replace")  # the first word of a worker is its name
        self._mute = 0

    def _lost(self, frames: Frames) -> None:
        """Know that a worker is gone, and start another in its place."""
        slot = next(each for each in self._slots if each.frames is frames)
        self._slots.remove(slot)
        self._mute += not slot.name
        if self._is_closing:
            return
        task = asyncio.get_running_loop().create_task(self._replace(slot))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, slot: _Slot) -> None:
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


async def _ended(process: Process) -> None:
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

    @override
    async def open(self, hear: Hear, gone: Ended) -> None:
        """Say our name, and begin to hear."""
        self.socket.setblocking(False)
        loop = asyncio.get_running_loop()
        self._frames = Frames(lambda _, message: hear(message), lambda _: gone(None))
        await loop.create_connection(lambda: self._frames, sock=self.socket)
        self._frames.say(self.name.encode())

    @override
    async def join(self, crawl: str) -> None:
        """Do nothing: there is one crawl at the other end."""

    @override
    def say(self, message: bytes) -> None:
        self._frames.say(message)

    @override
    async def close(self) -> None:
        """Hang up."""
        self._frames.close()


def inherited(descriptor: int) -> socket.socket:
    """Return the socket that a crawl left us under a number."""
    try:
        return socket.socket(fileno=descriptor)
    except OSError as error:
        raise UsageError(f"fd:{descriptor} is no socket of a crawl ({error.strerror}).") from None
