"""Durations are measured by a clock that nobody can set."""

import time
from itertools import pairwise

import pytest

from tests.faults.server import ALLOWED, FaultServer, page
from thresher.build import run
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder

LINKS = b"<title>Bees</title>" + b"".join(b"<a href='/%d'>honey bees</a> " % number for number in range(11))


@pytest.mark.parametrize("jump", [-3_600.0, -600.0, 3_600.0, 172_800.0])
async def test_a_clock_that_is_set_in_the_middle_changes_nothing(tmp_path, monkeypatch, jump):
    now, asked_at = time.time, list[float]()
    fetched = list[str]()

    def watch(visit, progress):
        fetched.append(visit.outcome.value)
        asked_at.append(time.monotonic())
        if len(fetched) == 5:
            monkeypatch.setattr(time, "time", lambda: now() + jump)

    answers = {f"/{number}": page(b"<p>bees %d" % number, Content_Type="text/html") for number in range(11)}
    async with FaultServer({"/": page(LINKS, Content_Type="text/html"), **answers}) as server:
        web = {"kind": "live", "allow_networks": [ALLOWED], "delay": 0.05}
        asked = [("topic", "bees"), ("seeds", (server.url("/"),)), ("web", web)]
        result = await run(read(None, asked), CrawlFolder(tmp_path / "crawl"), watch=watch)
    assert result.pages == 12
    assert max(later - earlier for earlier, later in pairwise(asked_at)) < 5.0
