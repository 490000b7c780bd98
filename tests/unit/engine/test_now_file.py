"""now.json: what is in flight, told once a second by the only process that knows it."""

import asyncio
import json
import time

import pytest

from thresher.core.clock import SteadyClock
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Url, Visit
from thresher.engine import observers
from thresher.engine.observers import writing_status
from thresher.engine.workers import LocalWorkers
from thresher.serve.overview import _in_flight
from thresher.store.folder import CrawlFolder

SLOW = Candidate(Url("http://slow.test/page"), 0.75)


class Slow:
    """Visits that take until somebody lets them end."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    def stages(self):
        return []

    async def visit(self, candidate):
        await self.end.wait()
        return Visit(candidate, Outcome.FETCHED, 0.0)

    async def close(self):
        pass


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    monkeypatch.setattr(observers, "PERIOD", 0.01)


async def test_a_page_is_told_of_while_it_is_fetched_and_the_file_goes_with_the_crawl(tmp_path):
    folder, slow = CrawlFolder(tmp_path), Slow()
    workers = LocalWorkers(slow, 4, SteadyClock())  # type: ignore[arg-type]
    async with writing_status(folder.now, workers.under_way):
        workers.send(SLOW)
        await asyncio.sleep(0.1)
        (told,) = json.loads(folder.now.read_bytes())
        (seen,) = _in_flight(folder) or []
        slow.end.set()
        assert await workers.next(None)
        await asyncio.sleep(0.05)
        assert json.loads(folder.now.read_bytes()) == []
    assert (told["url"], told["priority"]) == (SLOW.url, 0.75) and abs(told["since"] - time.time()) < 5
    assert (seen.host, seen.priority) == ("http://slow.test", 0.75) and 0 <= seen.seconds < 5
    assert not folder.now.exists()


async def test_a_file_that_cannot_be_written_does_not_end_the_crawl(tmp_path):
    async with writing_status(tmp_path / "missing" / "now.json", lambda: [(SLOW, 1.0)]):
        await asyncio.sleep(0.05)


@pytest.mark.posix
def test_a_reader_takes_no_link_and_no_nonsense_for_it(tmp_path):
    folder = CrawlFolder(tmp_path)
    assert _in_flight(folder) is None
    folder.now.write_text("[{")
    assert _in_flight(folder) is None
    folder.now.unlink()
    folder.now.symlink_to("/etc/hostname")
    assert _in_flight(folder) is None
