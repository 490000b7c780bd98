"""What watches a crawl: now.json, and counts that follow the labels."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.files import remove_status_file, write_status_file
from thresher.core.progress import Progress
from thresher.core.records import Candidate, Url, Visit
from thresher.core.strategy import LabelFeed
from thresher.store.database import Database

# now.json: what a crawl is fetching at this moment; only this process knows it.
#
# A list of objects with url, priority and since, the moment when it was asked for (seconds since the
# epoch). The whole file is replaced at most once a second, and removed when the crawl ends.


PERIOD = 1.0  # seconds

InFlight = Callable[[], Sequence[tuple[Candidate, float]]]
"""What is being visited, each with the seconds since it was sent."""


class InFlightRequest(Struct, frozen=True):
    """A page that is being fetched."""

    url: Url
    priority: float
    since: float


@asynccontextmanager
async def writing_status(path: Path, under_way: InFlight) -> AsyncIterator[None]:
    """Keep the file up to date while a crawl runs."""
    task = asyncio.create_task(_keep_writing(path, under_way))
    try:
        yield
    finally:
        task.cancel()
        remove_status_file(path)  # one that stays does no harm: a reader asks first whether a crawl runs


async def _keep_writing(path: Path, under_way: InFlight) -> None:
    written = b""
    while True:
        await asyncio.sleep(PERIOD)
        now = time.time()
        flights = [InFlightRequest(each.url, each.priority, round(now - age, 1)) for each, age in under_way()]
        told = msgspec.json.encode(sorted(flights, key=lambda flight: flight.since))
        if told != written:
            write_status_file(path, told)
            written = told


# Counts that follow what the user says of pages while the crawl goes on


@dataclass
class RelevantCounter:
    """Counts the relevant pages anew when the user has said something of one."""

    store: Database
    labels: LabelFeed

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Look for labels after a visit."""
        if self.labels.new_labels():
            progress.relevant = self.store.tally(progress.threshold).relevant

    def __str__(self) -> str:
        return "recount by labels"
