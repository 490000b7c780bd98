"""Who works for a crawl: a note beside its folder while it runs, as a table for people and for Prometheus."""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.cluster.ledger import Count, Ledger
from thresher.core.errors import NotACrawl
from thresher.core.files import refuse_link

FILE = "workers.json"


class WorkerStatus(Struct, frozen=True):
    """One worker as the crawl sees it."""

    name: str
    room: int
    orders: int
    answered: int
    pages_per_second: float
    cpu_seconds: float
    heard: float  # seconds ago
    draining: bool
    refused: int


class Status(Struct, frozen=True):
    """All workers of a crawl, and what was counted since it started."""

    crawl: str
    at: float
    workers: tuple[WorkerStatus, ...]
    room: int
    orders: int  # open
    oldest: float  # seconds the oldest of them is open
    counts: dict[str, int]


def status_of(ledger: Ledger, crawl: str, now: float, at: float) -> Status:
    """Return how the workers of a crawl are."""
    workers = [
        WorkerStatus(
            name=each.name,
            room=each.room,
            orders=len(each.owed),
            answered=each.answered,
            pages_per_second=round(each.answered / max(1.0, now - each.joined), 2),
            cpu_seconds=round(each.cpu, 2),
            heard=round(now - each.heard, 1),
            draining=each.draining,
            refused=each.lies,
        )
        for each in ledger.members.values()
    ]
    oldest = max((at - each.since for each in ledger.open.values()), default=0.0)
    counts = {count.value: ledger.counts[count] for count in Count}
    return Status(crawl, at, tuple(workers), ledger.room, len(ledger.open), round(oldest, 1), counts)


def read_status(folder: Path) -> Status:
    """Return the state that a running crawl noted last, or say that there is none."""
    path = folder / FILE
    refuse_link(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Status)
    except FileNotFoundError:
        raise NotACrawl(
            f"No crawl with workers runs in {folder}. Start one with 'thresher crawl ... --workers 4'."
        ) from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NotACrawl(f"{path} cannot be read ({error}): another Thresher wrote it.") from None


_LABEL = re.compile(r"[^\w.-]", re.ASCII)  # what could end a label: the file may be anybody's


def metrics(status: Status) -> str:
    """Return the state in the text format of Prometheus."""
    label = f'{{crawl="{_LABEL.sub("_", status.crawl)}"}}'
    figures = {
        "workers": len(status.workers),
        "room": status.room,
        "orders_open": status.orders,
        "room_used": round(status.orders / status.room, 3) if status.room else 0,
        "oldest_order_seconds": status.oldest,
        "worker_cpu_seconds": round(sum(each.cpu_seconds for each in status.workers), 2),
        **{f"orders_{_LABEL.sub('_', name)}": count for name, count in status.counts.items()},
    }
    return "".join(f"thresher_{name}{label} {value}\n" for name, value in figures.items())
