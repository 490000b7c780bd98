"""What Linux, macOS and Windows do differently, in one place.

Only Linux is tried. What another system lacks is either done in its own way, or left out where the crawl does
not depend on it: a folder's names reach the disk when Windows likes, a reader there has no limit of memory.
"""

import errno
import io
import os
import select
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

try:
    import fcntl
    import resource

    POSIX = True
except ImportError:  # Windows
    POSIX = False

LINUX = sys.platform.startswith("linux")
STOPS = (signal.SIGINT, signal.SIGTERM)

_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_PLAIN: int = getattr(os, "O_CLOEXEC", 0) | getattr(
    os, "O_BINARY", 0
)  # Windows would change the ends of lines
_AT_ONCE: int = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # to open a pipe would wait for who writes to it
_MMAP_THRESHOLD, _LARGE_BLOCK = -3, 1 << 20  # bytes
_LOCKED = 1 << 30  # the byte that stands for a file: a locked one cannot be read on Windows, and here is none
_TRIES, _PAUSE = 20, 0.05  # for a file that is open for a moment on Windows


def open_file(path: Path, flags: int, mode: int = 0o644) -> int:
    """Return a descriptor of the file itself, bytes as they are; a link in its place is not followed."""
    if not _NO_FOLLOW and path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return os.open(path, flags | _NO_FOLLOW | _PLAIN, mode)


def read_note(path: Path, most: int) -> bytes:
    """Return how a small file begins; a pipe in its place, which others may hold open, is empty."""
    descriptor = open_file(path, _AT_ONCE)
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def replace(source: Path, target: Path) -> None:
    """Give a file the name of another; Windows refuses while that one is read, so try again."""
    for _ in range(0 if POSIX else _TRIES):
        with suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(_PAUSE)
    source.replace(target)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder have reached the disk, where a system can be asked for that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder
        if POSIX:
            raise
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file for us alone until it is closed; without waiting, raise OSError if it is locked."""
    if POSIX:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    import msvcrt

    os.lseek(descriptor, _LOCKED, os.SEEK_SET)
    while True:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            return
        except OSError:
            if not wait:
                raise
        time.sleep(_PAUSE)


def is_locked(path: Path) -> bool:
    """Return whether a file is locked; a missing file is not."""
    try:
        descriptor = open_file(path, _AT_ONCE if POSIX else os.O_RDWR)
    except OSError:
        return False
    try:
        if POSIX:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        else:
            lock(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def cores_here() -> int:
    """Return how many cores we may use, which may be fewer than there are."""
    return len(os.sched_getaffinity(0)) if LINUX else os.cpu_count() or 1


def is_root() -> bool:
    """Tell whether we may do everything on a system that knows such a user."""
    return POSIX and os.geteuid() == 0


def can_others_read(path: Path) -> bool:
    """Return whether other users may read a file, by its mode; on Windows that says nothing."""
    return POSIX and bool(path.stat().st_mode & 0o077)


def process_exists(process: int) -> bool:
    """Tell whether a process of that number is there."""
    if not POSIX:
        return _lives_on_windows(process)  # where to send it nothing would end it
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def owner_and_command(process: int) -> tuple[bool, str]:
    """Return whether a process is the user's, and its command; where that cannot be told, it is not."""
    import subprocess

    if not POSIX or not shutil.which("ps"):
        return False, ""
    asked = ["ps", "-o", "uid=,args=", "-p", str(process)]
    shown = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    owner, _, command = shown.partition(" ")
    return owner.strip() == str(os.getuid()), command


def kill_process_group(process: int) -> None:
    """End a process that has a session of its own, with everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        if POSIX:
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)  # which ends it at once on Windows


def words_of(command: str) -> list[str]:
    """Return the words of a command line; a backslash is part of a path on Windows."""
    return shlex.split(command, posix=POSIX)


def force_utf8_output() -> None:
    """Write UTF-8 to files and pipes whatever the system calls usual; a terminal gets what it can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", newline="\n")


@contextmanager
def ignoring_sigint() -> Iterator[None]:
    """Start child processes with SIGINT ignored."""
    if not POSIX:
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def on_stop(act: Callable[[], object]) -> Callable[[], None]:
    """Let the running loop act when it is asked to stop; return what ends that."""
    import asyncio  # measured: 15 ms, which verbs that only read need not pay

    loop = asyncio.get_running_loop()

    def hear(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)

    before = {} if POSIX else {each: signal.signal(each, hear) for each in STOPS}
    for each in STOPS if POSIX else ():
        loop.add_signal_handler(each, act)

    def end() -> None:
        for each in STOPS:
            signal.signal(each, before[each]) if before else loop.remove_signal_handler(each)

    return end


def limit_memory(most: int) -> None:
    """Let this process have so many bytes of address space, where the system keeps such a promise."""
    if POSIX:
        with suppress(ValueError, OSError):  # macOS
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


def set_malloc_threshold() -> None:
    """Let large blocks of memory go back to the system as soon as they are free.

    Else the C library raises the size from which on they do with every one it sees, and keeps those below.
    """
    if LINUX and (set_option := getattr(_library(), "mallopt", None)):
        set_option(_MMAP_THRESHOLD, _LARGE_BLOCK)


def _library() -> Any:
    import ctypes

    return ctypes.CDLL(None)


def most_files(wanted: int) -> int:
    """Return how many files this process can have open, after asking for as many as it may, up to so many."""
    if not POSIX:
        return 512  # what a process on Windows may have
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wanted), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def peak_memory() -> int:
    """Return the most bytes this process ever had; 0 where that cannot be told."""
    if not POSIX:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def processor_seconds() -> float:
    """Return what this process and those that it has seen end have taken of the processor."""
    if not POSIX:
        return sum(os.times()[:4])
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _lives_on_windows(process: int) -> bool:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(0x1000, False, process)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return bool(kernel.GetLastError() == 5)  # access denied: it is there, and another user's
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259  # STILL_ACTIVE


@contextmanager
def pressed_keys() -> Iterator[Callable[[], str]]:
    """Give what returns the key that was pressed, if any; the terminal is as before when the context ends."""
    import termios  # not on Windows
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)  # Ctrl-C stays what it is

    def pressed() -> str:
        is_pressed = select.select([terminal], [], [], 0)[0]
        return os.read(terminal, 1).decode(errors="ignore").lower() if is_pressed else ""

    try:
        yield pressed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
