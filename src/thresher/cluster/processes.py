"""The processes that a crawl starts: workers on this machine, and the engine for those elsewhere."""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence

from thresher.core.errors import UsageError
from thresher.core.platform import LINUX, POSIX, deaf_children

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
        with deaf_children():
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
