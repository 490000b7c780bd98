"""One visit as data flowing: how many calls it takes, how deep, and through how many packages."""

import asyncio
import sys
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import FrameType

import pytest

import thresher
from thresher.build.crawl import run
from thresher.engine.workers import LocalWorkers
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder

ROOT = f"{Path(thresher.__file__).parent}/"
Call = tuple[int, str]  # how deep it is, and its package


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[Call]]:
    """The calls of our functions from the sending of one candidate to that of the next."""
    found, send = list[list[Call]](), LocalWorkers.send

    def noted(workers: LocalWorkers, candidate: object) -> None:
        found.append([])
        send(workers, candidate)  # type: ignore[arg-type]

    def note(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not found or not file.startswith(ROOT):
            return
        depth, above = 0, frame.f_back
        while above is not None:
            depth, above = depth + above.f_code.co_filename.startswith(ROOT), above.f_back
        found[-1].append((depth + 1, file.removeprefix(ROOT).partition("/")[0]))

    monkeypatch.setattr(LocalWorkers, "send", noted)
    settings = read(None, [("topic", "beekeeping"), ("pages", 80), ("web.concurrency", 1)])
    sys.setprofile(note)
    try:
        asyncio.run(run(settings, CrawlFolder(tmp_path / "bees")))
    finally:
        sys.setprofile(None)
    return found[5:-1]


def test_a_visit_takes_a_thousand_calls_eighteen_deep_and_a_hundred_and_fifty_changes_of_package(
    visits: list[list[Call]],
) -> None:
    """By the median of the default strategy on the practice web, as the command crawls it."""
    changes = [sum(a[1] != b[1] for a, b in pairwise(each)) for each in visits]
    assert median(map(len, visits)) <= 1_000
    assert median(max(depth for depth, _ in each) for each in visits) <= 18
    assert median(changes) <= 160
