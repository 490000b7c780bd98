"""One process writes a crawl: the second is refused by name."""

import os
from pathlib import Path

from thresher.core.errors import CrawlRunning
from thresher.core.platform import lock, open_file

WIDTH = 20  # characters for the number of a process: what was there before is written over, never cut off


class Lock:
    """A lock the system takes back whatever becomes of the process that holds it."""

    def __init__(self, path: Path) -> None:
        """Take the lock, or say who has it."""
        self._descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            lock(self._descriptor)
        except OSError:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            holder = os.read(self._descriptor, WIDTH).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise CrawlRunning(
                f"Process {holder or 'unknown'} is crawling in {path.parent}. Wait for it, or stop it first."
            ) from None
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, f"{os.getpid():<{WIDTH}}".encode())

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._descriptor)
