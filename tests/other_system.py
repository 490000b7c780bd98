"""Python as on a system that is no Unix, as far as this one can pretend: `python other_system.py CODE`.

Modules and functions that Windows lacks are gone for Thresher (the standard library keeps what it has taken
already), a loop hears no signals, and files are locked as `msvcrt` does: byte by byte, by whoever holds them.
"""

import asyncio
import builtins
import concurrent.futures
import fcntl
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import types
from typing import Any

GONE = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "uvloop", "posix"}
NO_FUNCTIONS = (
    (os, "O_NOFOLLOW O_CLOEXEC geteuid getuid getgid killpg setsid fork pwrite pread sysconf mkfifo"),
    (signal, "pthread_sigmask SIGKILL SIGHUP SIGUSR1 SIGSTOP"),
)
TAKEN = (concurrent.futures, multiprocessing, shutil, sqlite3, subprocess, tempfile)

really_import = builtins.__import__
lock_bytes = fcntl.lockf


def importing(name: str, *rest: Any, **more: Any) -> Any:
    """Import what Windows has as well, or what others than Thresher ask for."""
    asking = (rest[0] or {}).get("__name__", "") if rest else ""
    if name.partition(".")[0] in GONE and asking.startswith("thresher"):
        raise ImportError(f"No module named {name!r} on this system")
    return really_import(name, *rest, **more)


def locking(descriptor: int, mode: int, count: int) -> None:
    """Lock bytes from where the file is; mandatory on Windows, and here as good as this system has it."""
    lock_bytes(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, count, os.lseek(descriptor, 0, os.SEEK_CUR), 0)


def no_signals(*_: Any) -> None:
    """Answer as the loop of Windows does."""
    raise NotImplementedError


def become() -> None:
    """Take away what another system lacks."""
    asyncio.new_event_loop().close()
    msvcrt: Any = types.ModuleType("msvcrt")
    msvcrt.locking, msvcrt.LK_NBLCK = locking, 2
    sys.modules["msvcrt"] = msvcrt
    for module, names in NO_FUNCTIONS:
        for name in names.split():
            delattr(module, name)
    setattr(asyncio.SelectorEventLoop, "add_signal_handler", no_signals)  # noqa: B010
    builtins.__import__ = importing


if __name__ == "__main__":
    code, sys.argv = sys.argv[1], ["thresher", *sys.argv[2:]]
    sys.path.pop(0)
    become()
    exec(code)
