"""What a wire must do: carry messages, each sender's in their order; it may lose any of them."""

from collections.abc import Callable
from typing import Protocol

from thresher.core.errors import ThresherError

Hear = Callable[[bytes], None]
Gone = Callable[[str], None]
"""Called with the name of a worker that is known to be dead."""

Ended = Callable[[ThresherError | None], None]
"""Called when no crawl can be reached any more, with the reason if it is no ordinary end."""


class CrawlWire(Protocol):
    """The crawl's end."""

    @property
    def failure(self) -> ThresherError | None:
        """Why nobody can be reached any more, ever, if that is so."""

    async def open(self, hear: Hear, gone: Gone) -> None:
        """Begin to hear; raise UsageError in a sentence if nobody can be reached that way."""

    def say(self, worker: str, message: bytes) -> None:
        """Send to one worker."""

    def call(self, message: bytes) -> None:
        """Send to all workers."""

    def lost(self, worker: str) -> None:
        """Hear that a worker counts as lost, and end it if that can be done from here."""

    async def close(self) -> None:
        """Let go of everything, after what was said is sent."""


class WorkerWire(Protocol):
    """A worker's end."""

    async def open(self, hear: Hear, gone: Ended) -> None:
        """Begin to hear calls; `gone` is told when the crawl is, if that can be known."""

    async def join(self, crawl: str) -> None:
        """Hear what is meant for this worker, and speak to that crawl from now on."""

    def say(self, message: bytes) -> None:
        """Send to the crawl."""

    async def close(self) -> None:
        """Let go of everything, after what was said is sent."""
