"""The frontier at size: a million URLs waiting on ten thousand hosts, on disk, under a crawl's own load.

python benchmarks/bench_frontier.py [WAITING]

A round is what one visit does to the frontier: take a candidate, be done with it, offer the fifty links of
its page. Half of the links are known, most of those wait on disk, and half of them get a better priority;
the others are new. Links lead to any host, which is the worst case for a disk. 16 rounds are one
transaction. The times are those of the clock: on a busy machine look at the processor time beside them.
"""

import gc
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from thresher.core.records import Candidate, Link, Url
from thresher.core.url import host_of
from thresher.frontier.frontier import Workbench
from thresher.store.database import GROUP, Database

HOSTS = 10_000
LINKS = 50
ROUNDS = 4_000
SIZES = (100_000, 1_000_000)
WORDS = "a study of honey bees and the hives they build in the hollow trees of the northern forests".split()


class Load:
    """Candidates made from numbers, so that the load itself takes no memory; the same seed, the same load."""

    def __init__(self, hosts: int = HOSTS) -> None:
        self.hosts, self.offered = hosts, 0
        self.random = random.Random(1)

    def new(self) -> Candidate:
        self.offered += 1
        return self.candidate(self.offered - 1)

    def known(self) -> Candidate:
        return self.candidate(self.random.randrange(self.offered))

    def candidate(self, number: int) -> Candidate:
        url = Url(f"http://www.host-{number % self.hosts}.example.org/articles/{number:07d}/reading.html")
        words = " ".join(self.random.sample(WORDS, 12))
        source = Url(f"http://www.host-{number % 977}.example.org/index.html")
        link = Link(source, url, words[:30], words, place="html/body/div/p/a")
        return Candidate(url, self.random.random(), link, depth=3)


def fill(frontier: Workbench, store: Database, load: Load, size: int) -> None:
    """Offer new URLs, a page's worth at a time, until that many wait."""
    while len(frontier) < size:
        for _ in range(GROUP):
            frontier.offer([load.new() for _ in range(LINKS)])
        store.commit()


class Times(NamedTuple):
    """Seconds by the clock for each transaction, and of the processor for all of them."""

    groups: list[float]
    processor: float

    def __str__(self) -> str:
        rounds = GROUP * len(self.groups)
        return (
            f"{rounds / sum(self.groups):.0f} rounds/s ({1000 * self.processor / rounds:.2f} ms of CPU "
            f"each); a transaction took {1000 * statistics.median(self.groups):.0f} ms, the longest "
            f"{1000 * max(self.groups):.0f} ms"
        )


def turn(frontier: Workbench, store: Database, load: Load, rounds: int) -> Times:
    """Go some rounds and return how long they took; making the load does not count."""
    groups, processor, now = [], 0.0, time.time()
    for _ in range(rounds // GROUP):
        pages = [[load.known() if place % 2 else load.new() for place in range(LINKS)] for _ in range(GROUP)]
        began, worked = time.perf_counter(), time.process_time()
        for page in pages:
            now += 0.003  # as a crawl of 333 pages a second would see the clock
            taken = frontier.take(now)
            assert taken, "no host is ready"
            frontier.done(taken, now)
            frontier.offer(page)
        store.commit()
        groups.append(time.perf_counter() - began)
        processor += time.process_time() - worked
    return Times(groups, processor)


def resident() -> int:
    """Return the bytes this process holds in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="frontier-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def measure(size: int) -> None:
    """Fill, turn, close and open again; print what it cost."""
    with scratch() as folder:
        before, load = resident(), Load()
        store = Database(folder / "crawl.db")
        frontier = Workbench(delay=1.0, shelf=store.shelf)
        fill(frontier, store, load, size)
        times = turn(frontier, store, load, ROUNDS)
        waiting, memory = len(frontier), resident() - before
        store.close()
        del frontier, store  # as if in a new process
        disk = sum(path.stat().st_size for path in folder.iterdir())
        opening, worked = reopen(folder / "crawl.db", waiting)
    print(f"{waiting:>9,} waiting: {times}")
    print(f"{'':19}{memory / waiting:.0f} bytes in memory and {disk / waiting:.0f} on disk a URL;", end=" ")
    print(f"opened again in {opening:.1f} s ({worked:.1f} s of the processor)", flush=True)


def reopen(path: Path, waiting: int) -> tuple[float, float]:
    """Open a frontier and take its best; return the time by the clock and that of the processor."""
    began, worked = time.perf_counter(), time.process_time()
    store = Database(path)
    frontier = Workbench(delay=1.0, shelf=store.shelf)
    assert frontier.take(time.time() + 3600)
    times = time.perf_counter() - began, time.process_time() - worked
    assert len(frontier) == waiting - 1
    store.close()
    return times


def check_order(size: int = 10_000, hosts: int = 100) -> None:
    """See every URL come out once, and within a host in the order of its priority."""
    with scratch() as folder:
        store, load = Database(folder / "crawl.db"), Load(hosts)
        frontier = Workbench(delay=0.0, shelf=store.shelf, hot_candidates=1_000)
        fill(frontier, store, load, size)
        frontier.offer([load.known() for _ in range(size // 4)])
        waiting, taken, last = len(frontier), set(), dict[str, float]()
        for now in range(waiting):
            candidate = frontier.take(float(now))
            assert candidate and candidate.url not in taken, "nothing came out, or something twice"
            assert candidate.priority <= last.get(host_of(candidate.url), 1.0), "a better one came later"
            taken.add(candidate.url)
            last[host_of(candidate.url)] = candidate.priority
            frontier.done(candidate, float(now))
        assert len(taken) == waiting and not frontier
        store.close()
    print(
        f"{waiting:>9,} waiting: every URL came out once, and within its host in the order of its priority",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    else:
        check_order()
        for each in SIZES:  # in a process of its own, or the second would get the memory of the first
            subprocess.run([sys.executable, __file__, str(each)], check=True)
