"""One process writes a crawl: the second is refused by name."""

import fcntl
import os
from pathlib import Path

from thresher.core.errors import CrawlRunning


class Lock:
    """A lock the system takes back whatever becomes of the process that holds it."""

    def __init__(self, path: Path) -> None:
        """Take the lock, or say who has it."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._descriptor, 20).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise CrawlRunning(
                f"Process {holder or 'unknown'} is crawling in {path.parent}. Wait for it, or stop it first."
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, str(os.getpid()).encode())

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._descriptor)
