"""Becomes the browser: without a network, gone when the crawl is, and its pipes where it looks for them.

Run by its path, as a program of its own: `python -I -S launch.py WALLED READ WRITE COMMAND...`.
"""

import ctypes
import os
import signal
import sys

NEW_USER, NEW_NET = 0x1000_0000, 0x4000_0000
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
TOLD, TELLS = 3, 4  # where a browser with --remote-debugging-pipe reads and writes


def main(walled: str, read: str, write: str, *command: str) -> None:
    """Set up this process and become the browser."""
    os.setsid()
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if walled == "1":
            leave_network(library)
    place(int(read), int(write))
    os.execvp(command[0], command)


def leave_network(library: ctypes.CDLL) -> None:
    """Enter a network namespace that has no interface; where the system forbids that, stay."""
    if library.unshare(NEW_NET) == 0:
        return
    user, group = os.getuid(), os.getgid()
    if library.unshare(NEW_USER | NEW_NET) != 0:
        return
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(line)


def place(read: int, write: int) -> None:
    """Put the two ends where the browser looks for them, whatever stands there now; all others are closed."""
    import fcntl  # which Windows lacks; it is never reached there

    safe = [fcntl.fcntl(end, fcntl.F_DUPFD, TELLS + 1) for end in (read, write)]
    for end, target in zip(safe, (TOLD, TELLS), strict=True):
        os.dup2(end, target, inheritable=True)
    os.closerange(TELLS + 1, max(*safe, read, write) + 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
