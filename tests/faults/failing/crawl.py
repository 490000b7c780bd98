"""A small crawl in memory but for its folder, run on a disk that fails and then on one that does not."""

import asyncio
import random
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tests.faults.failing.disk import FailingFile, FailingSqlite, Fault, Trigger
from tests.faults.killing.evidence import acknowledged, check_clean
from thresher.build import run
from thresher.build.webs import WebContext
from thresher.core.clock import VirtualClock
from thresher.core.errors import DiskFull, StoreFailed
from thresher.core.interfaces import Web
from thresher.core.records import Candidate, Fetched, Topic, Url
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.warc.files import DiskFile

PAGES = 40
SEED = Url("http://small.test/0")


class TreeWeb(Web):
    """Forty pages in memory, each linked from one other page; the bytes are there for the archive."""

    async def get(self, candidate: Candidate) -> Fetched:
        await asyncio.sleep(0)
        number = int(candidate.url.rpartition("/")[2])
        children = [child for child in (2 * number + 1, 2 * number + 2) if child < PAGES]
        links = "".join(f'<a href="/{child}">{child}</a>' for child in children)
        letters = random.Random(number)  # else the pages differ in numbers alone, as those of a trap do
        words = " ".join("".join(letters.choices("abcdefgh", k=6)) for _ in range(60))
        body = f"<html><title>{number}</title><p>{words}</p>{links}</html>".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        headers = (("content-type", "text/html"),)
        return Fetched(candidate, candidate.url, 200, headers, body, 1.7e9 + number, head=head, raw_body=body)

    async def close(self) -> None:
        pass


def expected() -> dict[str, str]:
    return {f"http://small.test/{number}": "fetched" for number in range(PAGES)}


def crawl(folder: Path, opener: Callable[[Path], DiskFile] = DiskFile) -> None:
    """Crawl all pages into a folder, or go on with what is there."""
    world = WebContext(TreeWeb(), VirtualClock(1.7e9), Topic("words", {"word": 1.0}))
    asked = {"topic": "words", "seeds": (SEED,), "strategy": "best_first", "pages": 1000, "web.delay": 0.0}
    settings = read(None, list(asked.items()))
    crawled = CrawlFolder(folder, opener)
    asyncio.run(run(settings, crawled, world=world, resume=crawled.is_begun()))


class Archive:
    """The archive is on the failing disk."""

    def __init__(self, trigger: Trigger) -> None:
        self.context: AbstractContextManager[object] = nullcontext()
        self.opener: Callable[[Path], DiskFile] = lambda path: FailingFile(path, trigger)


class Database:
    """The database is on the failing disk."""

    def __init__(self, trigger: Trigger) -> None:
        self.context: AbstractContextManager[object] = FailingSqlite(trigger)
        self.opener: Callable[[Path], DiskFile] = DiskFile


Part = type[Archive] | type[Database]


def operations(part: Part, folder: Path) -> int:
    """Return how many writes and fsyncs a crawl makes when nothing fails."""
    trigger = Trigger(0, Fault.ERROR)
    disk = part(trigger)
    with disk.context:
        crawl(folder, disk.opener)
    return trigger.done


def fail_and_resume(part: Part, faults: Iterable[tuple[int, Fault]], folder: Path) -> int:
    """Let operations of one run after the other fail, then crawl to the end; return how many runs failed.

    Not every failure stops a run: what fails while the database is put in order is made good later.
    """
    stopped, before = 0, acknowledged(folder)
    for at, fault in faults:
        stopped += fails(part, Trigger(at, fault), folder)
        after = acknowledged(folder)
        assert after[: len(before)] == before
        before = after
    crawl(folder)
    visits = acknowledged(folder)
    assert visits[: len(before)] == before
    assert {visit.url: visit.outcome for visit in visits} == expected()
    assert len(visits) == PAGES
    check_clean(folder, visits)
    return stopped


def fails(part: Part, trigger: Trigger, folder: Path) -> bool:
    """Crawl on the failing disk; return whether that failed, which must take one sentence."""
    disk = part(trigger)
    try:
        with disk.context:
            crawl(folder, disk.opener)
    except StoreFailed as failure:
        assert f"'thresher resume {folder}'" in str(failure) and "\n" not in str(failure)
        if trigger.failed == "write":  # SQLite does not say why an fsync failed
            assert isinstance(failure, DiskFull) == (trigger.fault is not Fault.ERROR), failure
        return True
    return False
