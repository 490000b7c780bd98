"""A crawl of many short lives: killed at random moments and at named points, then held to its word."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.killing.driver import REACHED
from tests.faults.killing.evidence import Acknowledged, acknowledged, check_clean, check_readable
from tests.faults.killing.site import NETWORK, Sites
from thresher.core import files
from thresher.store.folder import CrawlFolder

ROOT = Path(__file__).resolve().parents[3]
AT_ONCE = 8  # requests in flight
MOST_AGAIN = 16  # answered requests that may be made again after a kill
FAST = 100  # pages a second from which on it may be those of a second
PATIENCE = 120.0  # seconds until a life that should have ended counts as hung
RANDOM = "a random moment"
UNCOMMITTED = (files.AFTER_ARCHIVE, files.BEFORE_COMMIT)  # in the archive, but not acknowledged
LIVES = (
    RANDOM,
    files.AFTER_FETCH,
    files.AFTER_ARCHIVE,
    files.IN_RECOVERY,  # what the kill before left is being recovered
    files.IN_CUT,  # and now that recovery is
    RANDOM,
    files.BEFORE_COMMIT,
    files.IN_CUT,
    files.AFTER_COMMIT,
)
"""The order of the kills: after one between archive and commit there is something to recover."""


def allowed(answered: list[float]) -> int:
    """Return how many answered requests a kill may cost: 16, or one second's worth above 100 a second."""
    last_second = sum(moment > answered[-1] - 1.0 for moment in answered) if answered else 0
    return last_second if last_second > FAST else MOST_AGAIN


@dataclass
class KilledCrawl:
    """One crawl from its first life to its end, with everything it must not do counted."""

    folder: Path
    sites: Sites
    dice: random.Random
    workers: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    again: list[int] = field(default_factory=list)  # requests of each life answered and not acknowledged
    lives: tuple[str, ...] = LIVES
    _known: list[Acknowledged] = field(default_factory=list)

    def run(self, most: int) -> None:
        """Kill until that many kills are done or the crawl is, let it finish, and check what is there."""
        finished, turn = False, 0
        while self.kills.total() < most and not finished:
            finished = self.live(self.lives[turn % len(self.lives)])
            turn += 1
        if not finished:
            assert self.live(""), "the last life was not allowed to end"
        self.check_end()

    def live(self, point: str) -> bool:
        """Start or resume the crawl, kill it at a point, and return whether it finished before that."""
        before = len(self.sites.answered)
        process = self._start(point)
        killed = self._kill(process, point)
        answered = self.sites.answered[before:]
        lost = len(answered) - self._take_stock()
        assert lost <= (allowed(answered) if killed else 0), f"{lost} requests of this life were for nothing"
        self.again += [lost] if killed else []
        if killed:
            self.kills[point] += 1
            self._examine(point)
        else:
            assert process.returncode == 0, self.complaints.read_text()
        return not killed

    def check_end(self) -> None:
        """See that every page is there, once, and as it was acknowledged."""
        visits = acknowledged(self.folder)
        assert {visit.url: visit.outcome for visit in visits} == self.sites.expected()
        assert max(Counter(visit.url for visit in visits).values()) == 1
        store = CrawlFolder(self.folder).open()
        pages = Counter(visit.candidate.url for visit in store.pages())
        store.close()
        fetched = Counter(visit.url for visit in visits if visit.outcome == "fetched")
        assert pages == fetched
        check_clean(self.folder, visits)

    @property
    def complaints(self) -> Path:
        """What the life at hand says on stderr."""
        return self.folder.with_name("stderr")

    @property
    def refetched(self) -> int:
        """How many requests were made more than once."""
        return self.sites.hits.total() - len(self.sites.hits)

    def _start(self, point: str) -> "subprocess.Popen[str]":
        named = "" if point == RANDOM else point
        times = 1 if point in (files.IN_RECOVERY, files.IN_CUT) else self.dice.randint(1, 4)
        command = [sys.executable, "-m", "tests.faults.killing.driver", named, str(times), *self._arguments()]
        with self.complaints.open("w") as complaints:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                start_new_session=True,
            )

    def _arguments(self) -> list[str]:
        if CrawlFolder(self.folder).is_begun():
            return ["resume", str(self.folder)]
        seeds = [f"--seed={seed}" for seed in self.sites.seeds]
        limits = ["--pages=0", "--delay=0", f"--concurrency={AT_ONCE}", "--per-host=4"]
        limits += [f"--allow-network={NETWORK}", f"--workers={self.workers}"]
        return ["crawl", "honey", "-o", str(self.folder), *seeds, *limits]

    def _kill(self, process: "subprocess.Popen[str]", point: str) -> bool:
        """Kill the whole group at the point, and return whether it came to that."""
        assert process.stdout is not None
        with process.stdout:
            if point == RANDOM:
                reached = self._wait_a_while(process)
            else:
                reached = process.stdout.readline().strip() == REACHED
            if reached:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.stdout.read()
            process.wait(PATIENCE)
        return process.returncode == -signal.SIGKILL

    def _wait_a_while(self, process: "subprocess.Popen[str]") -> bool:
        """Return after some requests or some time, perhaps before the first, unless the crawl ends before."""
        target = self.sites.hits.total() + self.dice.randint(1, 60)
        end = time.monotonic() + self.dice.choice([PATIENCE, self.dice.uniform(0.1, 1.5)])
        while process.poll() is None and self.sites.hits.total() < target and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(self.dice.uniform(0.0, 0.05))
        return process.poll() is None

    def _take_stock(self) -> int:
        """Check that everything acknowledged before still is, and return how much has come on top."""
        now = acknowledged(self.folder)
        assert now[: len(self._known)] == self._known, "something acknowledged is lost or has changed"
        substantive, self._known = len(now) - len(self._known), now
        return substantive

    def _examine(self, point: str) -> None:
        """Read the archive as the kill left it; now and then recover it here and read it again."""
        check_readable(self.folder, self._known)
        recovers_next = point in (*UNCOMMITTED, files.IN_RECOVERY)
        if self._known and not recovers_next:
            CrawlFolder(self.folder).resume().close()
            check_clean(self.folder, self._known)
