"""One process writes a crawl: the second is refused by name."""

import fcntl
import os
from pathlib import Path

from thresher.core.errors import CrawlRunning

WIDTH = 20  # characters for the number of a process: what was there before is written over, never cut off


class Lock:
    """A lock the system takes back whatever becomes of the process that holds it."""

    def __init__(self, path: Path) -> None:
        """Take the lock, or say who has it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._descriptor, WIDTH).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise CrawlRunning(
                f"Process {holder or 'unknown'} is crawling in {path.parent}. Wait for it, or stop it first."
            ) from None
        os.pwrite(self._descriptor, f"{os.getpid():<{WIDTH}}".encode(), 0)

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._descriptor)
