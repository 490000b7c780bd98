"""One million pages under watch: what it takes to read their histories and to choose the next looks.

python benchmarks/bench_revisit.py [--pages 1000000] [--budget 100000]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from thresher.core.url import parse
from thresher.freshness.page_state import Watched
from thresher.freshness.schedule import choose
from thresher.store.revisits import RevisitDatabase

START = 1_700_000_000.0
LIMIT_SECONDS, LIMIT_MEGABYTES = 5.0, 200.0


def main() -> None:
    asked = arguments()
    if asked.measure:
        measure(Path(asked.measure), asked.budget)
        return
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "crawl.db"
        fill(database, asked.pages)
        command = [sys.executable, __file__, "--measure", str(database), "--budget", str(asked.budget)]
        raise SystemExit(subprocess.run(command, check=False).returncode)


def fill(database: Path, pages: int) -> None:
    """Write pages on hosts of all sizes, each with a history of revisits."""
    dice = np.random.default_rng(1)
    store = RevisitDatabase(database)
    hosts = dice.zipf(1.3, pages) % 20_000
    revisits, relevance = dice.integers(0, 30, pages), dice.random(pages)
    changes = dice.binomial(revisits, dice.beta(0.5, 2.0, pages))
    for start in range(0, pages, 10_000):
        store._begin()
        store._insert(
            [
                Watched(
                    parse(f"http://h{hosts[row]}.example/{row % 7}/{row}"),
                    START - float(dice.random()) * 864_000,
                    float(relevance[row]),
                    float(revisits[row]),
                    float(changes[row]),
                    float(changes[row] * 2.5),
                    float(revisits[row] * 2.5),
                )
                for row in range(start, min(pages, start + 10_000))
            ]
        )
        store.commit()
    store.close()


def measure(database: Path, budget: float) -> None:
    """Schedule once, and say what it took."""
    before = memory()
    store = RevisitDatabase(database)
    began, processor = time.perf_counter(), time.process_time()
    table = store.table()
    read = time.perf_counter()
    chosen = choose(table, START, budget, 3600.0, max(1, round(budget / 24)))
    done = time.perf_counter()
    store.close()
    total, most, busy = done - began, memory(), time.process_time() - processor
    print(
        f"{len(table):,} pages: {read - began:.2f} s to read, {done - read:.2f} s to choose "
        f"{len(chosen.rows):,}, {total:.2f} s in all, {busy:.2f} s of them on the processor; "
        f"{most:.0f} MB at most, {before:.0f} MB of it at the start"
    )
    raise SystemExit(busy > LIMIT_SECONDS or most > LIMIT_MEGABYTES)


def memory() -> float:
    """Return the most megabytes this process has held; `ru_maxrss` would count its parent's, too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--budget", type=float, default=100_000.0, help="visits a day")
    parser.add_argument("--measure", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
