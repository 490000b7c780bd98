"""Every strategy goes on after an interruption as if there had been none."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from tests.faults.killing.driver import REACHED
from thresher.assemble.running import run
from thresher.assemble.worlds import VIRTUAL_START, World
from thresher.core import points
from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.crawling.clock import VirtualClock
from thresher.settings.reading import read
from thresher.store.folder import CrawlFolder
from thresher.strategies import ALL_STRATEGIES
from thresher.web.practice import PracticeWeb

PAGES = 90
CUTS = 10
ROOT = Path(__file__).resolve().parents[2]
WITH_STATE = [name for name, kind in ALL_STRATEGIES.items() if {"changes", "remember"} & set(dir(kind))]

Log = list[tuple[str, str, float, float, str]]


class Cut(Exception):
    """The power fails."""


@cache
def practice() -> PracticeWeb:
    return PracticeWeb(1)


def crawl(strategy: str, folder: Path, *, resume: bool = False, visits: int = 0) -> None:
    """Crawl with one pair of hands; if a number of visits is given, it is cut off after them."""
    clock = VirtualClock(VIRTUAL_START)
    topic = next(each for each in practice().topics if each.name == "beekeeping")
    asked = {
        "topic": topic.name,
        "strategy": strategy,
        "pages": PAGES,
        "web.kind": "practice",
        "web.delay": 0.0,
        "web.concurrency": 1,
        "scope.rules": False,  # what these learned is not kept, and they are none of the strategy's
    }
    world = World(PracticeWeb(1, clock, atlas=practice().atlas), clock, topic)
    settings = read(None, list(asked.items()))
    asyncio.run(run(settings, CrawlFolder(folder), cut_after(visits), world=world, resume=resume))


def cut_after(visits: int) -> Callable[[Visit, Progress], None]:
    """Return a witness who cuts the crawl off: what is not committed by then is lost."""
    seen = count(1)

    def watch(visit: Visit, progress: Progress) -> None:
        if next(seen) == visits:
            raise Cut

    return watch


def log_of(folder: Path) -> Log:
    store = CrawlFolder(folder).open()
    visits = [(visit.candidate, visit) for visit in store.visits()]
    store.close()
    return [
        (made.url, visit.outcome.value, visit.relevance, made.priority, made.via.source if made.via else "")
        for made, visit in visits
    ]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Log]:
    folder = tmp_path_factory.mktemp("whole")

    def log(strategy: str) -> Log:
        if not (folder / strategy).exists():
            crawl(strategy, folder / strategy)
        return log_of(folder / strategy)

    return log


@pytest.mark.parametrize("strategy", list(ALL_STRATEGIES))
def test_cut_off_at_ten_random_visits_and_resumed_the_log_is_the_same(
    strategy: str, tmp_path: Path, uninterrupted: Callable[[str], Log]
) -> None:
    whole, dice, folder = uninterrupted(strategy), random.Random(strategy), tmp_path / "crawl"
    assert len(whole) >= PAGES
    for number in range(CUTS):
        with pytest.raises(Cut):
            crawl(strategy, folder, resume=number > 0, visits=dice.randint(1, 22))
        so_far = log_of(folder)
        assert so_far == whole[: len(so_far)]
        if len(so_far) > PAGES - 25:
            break
    crawl(strategy, folder, resume=True)
    assert log_of(folder) == whole


@pytest.mark.parametrize("strategy", WITH_STATE)
def test_killed_and_resumed_the_log_is_the_same(
    strategy: str, tmp_path: Path, uninterrupted: Callable[[str], Log]
) -> None:
    folder = tmp_path / "crawl"
    arguments = ["crawl", "beekeeping", "--strategy", strategy, "--pages", str(PAGES), "--delay", "0"]
    arguments += ["--concurrency", "1", "--set", "scope.rules=false", "-o", str(folder)]
    driver = [sys.executable, "-m", "tests.faults.killing.driver", points.BEFORE_COMMIT, "3", *arguments]
    process = subprocess.Popen(
        driver,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline().strip() == REACHED
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    assert 0 < len(log_of(folder)) < PAGES
    crawl(strategy, folder, resume=True)
    assert log_of(folder) == uninterrupted(strategy)
