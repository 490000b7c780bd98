"""A disk that fails or is full stops the crawl with one sentence, and nothing acknowledged is lost."""

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.faults.failing.crawl import Archive, Database, Part, crawl, fail_and_resume, operations
from tests.faults.failing.disk import FailingFile, FailingSqlite, Fault, Trigger, library
from tests.faults.killing.evidence import acknowledged
from tests.nightly import cases

pytestmark = pytest.mark.posix
resource = pytest.importorskip("resource")

STEP = {Archive: 1, Database: 9}  # at night; `make kill` tries every operation of both
HERE = 6  # operations that fail in each run

try:
    library()
    reachable = True
except LookupError:
    reachable = False
needs_sqlite = pytest.mark.skipif(not reachable, reason="SQLite is built into this Python, out of reach")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("part", [Archive, pytest.param(Database, marks=needs_sqlite)])
@pytest.mark.parametrize("many", cases([False, True], here=[False]), ids=["some", "many"])
def test_whichever_write_or_fsync_fails_the_crawl_can_be_resumed_and_is_complete(
    part: Part, fault, many, tmp_path
):
    count = operations(part, tmp_path / "whole")
    failing = range(1, count + 1, STEP[part] if many else count // HERE)
    stopped = sum(fail_and_resume(part, [(at, fault)], tmp_path / str(at)) for at in failing)
    assert stopped > len(failing) / 2


@pytest.mark.parametrize("part", [Archive, pytest.param(Database, marks=needs_sqlite)])
def test_a_disk_that_fails_again_when_the_crawl_is_resumed_does_no_harm(part: Part, tmp_path):
    count, stopped = operations(part, tmp_path / "whole"), 0
    for at in range(2, count + 1, max(2, count // 8)):
        faults = [(at, Fault.SHORT), (max(1, at // 2), Fault.ERROR), (at, Fault.FULL)]
        stopped += fail_and_resume(part, faults, tmp_path / str(at))
    assert stopped > 2


class Witness(Trigger):
    """Fails nothing, and writes down who did what."""

    def __init__(self, who: str, seen: list[str]) -> None:
        super().__init__(0, Fault.ERROR)
        self.who, self.seen = who, seen

    def pulled(self, operation: str) -> bool:
        self.seen.append(f"{self.who} {operation}")
        return False


@needs_sqlite
def test_what_the_archive_has_is_on_the_disk_before_the_database_says_so(tmp_path):
    """The order of a visit, as the disk sees it: a power failure at any line loses nothing acknowledged."""
    seen: list[str] = []
    with FailingSqlite(Witness("database", seen)):
        crawl(tmp_path / "crawl", lambda path: FailingFile(path, Witness("archive", seen)))
    steps = [step for step, _ in groupby(seen)]
    written = [place for place, step in enumerate(steps) if step == "archive write"]
    assert len(written) == 5  # forty visits in groups of eight
    for place in written:
        order = ["archive write", "archive fsync", "database write", "database fsync"]
        assert steps[place : place + 4] == order


@needs_sqlite
def test_the_command_line_says_it_in_one_sentence_and_leaves_with_1(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with FailingSqlite(Trigger(150, Fault.FULL)):
        ran = thresher("crawl", "beekeeping", "--pages", "60", "--delay", "0")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "The disk of beekeeping is full. Everything saved so far is safe: make room, "
        "then 'thresher resume beekeeping'.\n"
    )
    assert thresher("resume").code == 0


def test_a_limit_of_the_system_on_the_size_of_files_is_a_failure_like_any_other(tmp_path):
    """Here the kernel itself cuts a write short and refuses the next."""

    def thresher(
        *arguments: str, largest: int = resource.RLIM_INFINITY
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "thresher", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY)),
            capture_output=True,
            text=True,
        )

    ran = thresher("crawl", "beekeeping", "--pages", "100", "--delay", "0", largest=300_000)
    assert ran.returncode == 1
    assert ran.stderr.startswith("beekeeping cannot be written (") and ran.stderr.count("\n") == 1
    before = acknowledged(tmp_path / "beekeeping")
    assert thresher("resume").returncode == 0
    after = acknowledged(tmp_path / "beekeeping")
    assert after[: len(before)] == before
    assert sum(visit.outcome == "fetched" for visit in after) == 100
