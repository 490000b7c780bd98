"""The messages between a crawl and its workers: MessagePack, no names of fields.

    worker -> crawl    Beat      I am alive, I hold these orders; `stamp` is my own clock
                       Answers   visits
    crawl -> worker    Call      to all: a crawl is here, or goes
                       Hello     what to fetch with and how to judge; what you hold for another epoch is void
                       Lease     go on until `echo` + lease by your clock; these orders are owed, others void
                       Order     visit this
                       Refusal   you cannot work here, and why

What was not answered is asked again: beats and leases carry both lists, so what is lacking is known
within two beats, and no transport needs to keep anything.
"""

from collections.abc import Callable
from typing import Protocol

import msgspec
from msgspec import Struct

from thresher.core.errors import ThresherError
from thresher.core.records import Candidate
from thresher.fetch.request_headers import VERSION

SPEAKS = f"{VERSION}/3"
"""What crawl and worker must have in common: the version of Thresher, and that of these messages."""

LONGEST = 64 << 20  # bytes of a message: no more than that does NATS take


class Heartbeat(Struct, frozen=True, tag="b", array_like=True):
    """I am alive, and this is what I hold; who says so is known by where it came from."""

    speaks: str
    epoch: str
    stamp: float
    capacity: int
    held: list[int]
    cpu: float = 0.0
    draining: bool = False


class VisitResult(Struct, frozen=True, array_like=True):
    """What an order led to."""

    order: int
    data: bytes


class VisitResults(Struct, frozen=True, tag="a", array_like=True):
    """What orders led to, several in one message: a transport costs by the message."""

    epoch: str
    results: list[VisitResult]


class CrawlAnnouncement(Struct, frozen=True, tag="c", array_like=True):
    """To all workers: a crawl is here, or goes."""

    crawl: str
    epoch: str
    bye: bool = False


class Hello(Struct, frozen=True, tag="h", array_like=True):
    """What the crawl is about, and how long a lease is."""

    epoch: str
    task: bytes
    lease: float


class LeaseRenewal(Struct, frozen=True, tag="l", array_like=True):
    """Leave to go on, by the clock of the worker; `now` is the time of the crawl."""

    epoch: str
    echo: float
    now: float
    owed: list[int]


class VisitOrder(Struct, frozen=True, tag="o", array_like=True):
    """Visit this, under conditions if we have a copy; `secret` are lines for its origin alone."""

    epoch: str
    number: int
    candidate: Candidate
    etag: str = ""
    modified: str = ""
    secret: str = ""


class WorkerRefusal(Struct, frozen=True, tag="r", array_like=True):
    """You cannot work here."""

    sentence: str


encode = msgspec.msgpack.Encoder().encode
from_worker = msgspec.msgpack.Decoder(Heartbeat | VisitResults).decode
from_crawl = msgspec.msgpack.Decoder(
    CrawlAnnouncement | Hello | LeaseRenewal | VisitOrder | WorkerRefusal
).decode


# The transport that carries them: each sender's in their order; it may lose any of them


Hear = Callable[[bytes], None]
HearWorker = Callable[[str, bytes], None]
"""Called with the name of the worker that the transport knows a message to be from."""

Gone = Callable[[str], None]
"""Called with the name of a worker that is known to be dead."""

Ended = Callable[[ThresherError | None], None]
"""Called when no crawl can be reached any more, with the reason if it is no ordinary end."""


class CrawlTransport(Protocol):
    """The crawl's end."""

    @property
    def failure(self) -> ThresherError | None:
        """Why the connection is lost for good, if it is."""

    async def open(self, hear: HearWorker, gone: Gone) -> None:
        """Open the connection. Raises UsageError in a sentence if it cannot be made."""

    def say(self, worker: str, message: bytes) -> None:
        """Send to one worker."""

    def call(self, message: bytes) -> None:
        """Send to all workers."""

    def lost(self, worker: str) -> None:
        """Hear that a worker counts as lost, and end it if that can be done from here."""

    async def close(self) -> None:
        """Close the connections to all workers, after what was sent has left."""


class WorkerTransport(Protocol):
    """A worker's end."""

    @property
    def most(self) -> int:
        """Bytes that one message may have."""

    async def open(self, hear: Hear, gone: Ended) -> None:
        """Begin to hear calls; `gone` is told when the crawl is, if that can be known."""

    async def join(self, crawl: str) -> None:
        """Hear what is meant for this worker, and speak to that crawl from now on."""

    def say(self, message: bytes) -> None:
        """Send to the crawl."""

    async def close(self) -> None:
        """Let go of everything, after what was said is sent."""
