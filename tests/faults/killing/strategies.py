"""Every form of every strategy is killed at random visits and resumed: its log is that of one never killed.

python -m tests.faults.killing.strategies [--kills 10] [--pages 90] [--seed 1] [FORM...]
"""

import argparse
import asyncio
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.contracts.forms import FORMS
from thresher.build.crawl import run
from thresher.build.webs import VIRTUAL_START, WebContext
from thresher.core import files
from thresher.core.clock import VirtualClock
from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher_practice import PracticeWeb

LONGEST_LIFE = 22  # visits

Log = list[tuple[str, str, float, float, str]]


@dataclass
class Killer:
    """Sends SIGKILL to the process it is in, after so many visits or in the commit that follows them."""

    visits: int
    in_commit: bool

    def watch(self, visit: Visit, progress: Progress) -> None:
        """Count the visits."""
        self.visits -= 1
        if not self.visits and not self.in_commit:
            os.kill(os.getpid(), signal.SIGKILL)

    def reached(self, point: str) -> None:
        """Strike when the archive is written and the database is not."""
        if self.visits <= 0 and point == files.BEFORE_COMMIT:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Kill each form as often as asked, and say what came of it."""
    asked = arguments()
    for form in asked.forms or FORMS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            visits = kill_again_and_again(form, Path(folder), asked.kills, asked.pages, asked.seed)
        took = time.monotonic() - began
        print(f"{form}: {asked.kills} kills, {visits} visits, one log; {took:.1f} s", flush=True)


def kill_again_and_again(form: str, folder: Path, kills: int, pages: int, seed: int) -> int:
    """Hold the log of a crawl that was killed against that of one that was not; return its length."""
    crawl(form, folder / "whole", pages)
    whole, dice, so_far = log_of(folder / "whole"), random.Random(f"{form} {seed}"), Log()
    for number in range(kills):
        life = dice.randint(1, min(LONGEST_LIFE, len(whole) - len(so_far)))
        killer = Killer(life, in_commit=dice.random() < 0.5)
        die(form, folder / "killed", pages, resume=number > 0, killer=killer)
        so_far = log_of(folder / "killed")
        assert so_far == whole[: len(so_far)], f"{form} has another log after {number + 1} kills"
    crawl(form, folder / "killed", pages, resume=True)
    assert log_of(folder / "killed") == whole, f"{form} ends otherwise after {kills} kills"
    return len(whole)


def die(form: str, folder: Path, pages: int, *, resume: bool, killer: Killer) -> None:
    """Crawl in a process that is killed: what is not committed by then is lost."""
    child = os.fork()
    if not child:
        try:
            files.listen(killer.reached)
            crawl(form, folder, pages, resume=resume, watch=killer.watch)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"{form} was not killed"


def crawl(
    form: str,
    folder: Path,
    pages: int,
    *,
    resume: bool = False,
    watch: Callable[[Visit, Progress], None] = lambda visit, progress: None,
) -> None:
    """Crawl the practice web with one pair of hands."""
    clock = VirtualClock(VIRTUAL_START)
    topic = next(each for each in practice().topics if each.name == "beekeeping")
    asked = {
        "topic": topic.name,
        "strategy": {"name": form.partition("+")[0], "parameters": FORMS[form][1]},
        "pages": pages,
        "web.kind": "practice",
        "web.delay": 0.0,
        "web.concurrency": 1,
    }
    world = WebContext(PracticeWeb(1, clock, atlas=practice().atlas), clock, topic)
    settings = read(None, list(asked.items()))
    asyncio.run(run(settings, CrawlFolder(folder), watch, world=world, resume=resume))


def log_of(folder: Path) -> Log:
    """Return every visit of a crawl: where, how it ended, its worth then, its priority and its source."""
    if not (folder / "crawl.db").exists():
        return []
    store = CrawlFolder(folder).open()
    visits = [(visit.candidate, visit.outcome.value) for visit in store.visits()]
    then = {made.url: sum(each.relevance for each in store.history(made.url)) for made, _ in visits}
    store.close()
    return [
        (made.url, outcome, then[made.url], made.priority, made.via.source if made.via else "")
        for made, outcome in visits
    ]


@cache
def practice() -> PracticeWeb:
    """Return the practice web, made once for all crawls."""
    return PracticeWeb(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.killing.strategies", description=__doc__)
    parser.add_argument("forms", nargs="*", choices=[[], *FORMS], metavar="FORM")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--pages", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
