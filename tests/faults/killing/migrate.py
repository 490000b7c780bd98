"""A migration of many short lives: python -m tests.faults.killing.migrate [--kills 10] [--pages 5000]."""

import argparse
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from tests.faults.killing.driver import REACHED
from tests.faults.killing.harness import ROOT
from tests.unit.former_crawl import contents, grown, put_back
from thresher.core import files
from thresher.store.folder import CrawlFolder
from thresher.store.rewrite import FORMER, SOME
from thresher.store.schema import VERSION

TABLES = 3  # that have a row for every page: visits, pages, links


def kill(root: Path, pages: int, kills: int) -> list[int]:
    """Kill the migration of a crawl at so many points, and return the version found after each."""
    wanted = grown(root / "crawl", pages)
    told = contents(wanted)
    former = put_back(wanted)
    before = _digest(former)
    found = []
    for point, times in points(pages, kills):
        _kill(former, point, times)
        found.append(_version(former))
        assert found[-1] == VERSION or _digest(former) == before, f"neither old nor new: {point} {times}"
        assert found[-1] == FORMER or contents(former) == told, f"not what it was: {point} {times}"
        if found[-1] == VERSION:
            put_back(former)
    assert contents(former) == told, "not what it was after all"
    assert not list(former.path.glob(".crawl.db*")), "something was left"
    return found


def points(pages: int, kills: int) -> list[tuple[str, int]]:
    """Return where to kill: within the tables all the way, before the swap and after it."""
    most = TABLES * -(-(pages - 1) // SOME)
    within = [1 + number * (most - 1) // max(1, kills - 3) for number in range(kills - 2)]
    ways = [(files.IN_REWRITE, times) for times in within]
    return [*ways, (files.BEFORE_SWAP, 1), (files.AFTER_SWAP, 1)]


def _kill(folder: CrawlFolder, point: str, times: int) -> None:
    driver = [sys.executable, "-m", "tests.faults.killing.driver"]
    command = [*driver, point, str(times), "migrate", str(folder.path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as life:
        assert life.stdout and life.stdout.readline().strip() == REACHED, f"never came to {point} {times}"
        life.kill()


def _version(folder: CrawlFolder) -> int:
    with closing(sqlite3.connect(folder.database)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def _digest(folder: CrawlFolder) -> str:
    with closing(sqlite3.connect(folder.database)) as database:
        return sha256("".join(database.iterdump()).encode()).hexdigest()


def main() -> None:
    """Kill as often as is asked, and say what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--pages", type=int, default=5000)
    asked = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="killed-migration-"))
    try:
        found = kill(root, asked.pages, asked.kills)
        old = found.count(FORMER)
        print(f"{asked.pages} pages, killed {len(found)} times: {old} times old, {len(found) - old} new.")
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
