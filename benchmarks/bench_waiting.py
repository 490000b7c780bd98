"""What it costs to wait for better hosts: a request's share of the frontier, without and with patience.

python benchmarks/bench_waiting.py [WAITING]

Ten thousand hosts and a million URLs wait on disk, as in bench_frontier.py. A round takes a candidate, lets
time pass while nobody may be asked, and is done with it; then the links of its page are offered.
"""

import sys
import time

from bench_frontier import GROUP, LINKS, Load, fill, scratch

from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import steady
from thresher.store.database import Database

ROUNDS = 2_000


def measure(size: int, patience: float) -> str:
    """Fill a frontier, go some rounds, and return what they cost."""
    with scratch() as folder:
        load, store = Load(), Database(folder / "crawl.db")
        frontier = Workbench(delay=1.0, shelf=store.shelf, pace=steady(patience) if patience else None)
        fill(frontier, store, load, size)
        asking = offering = 0.0
        now = time.time()
        for number in range(ROUNDS):
            page = [load.known() if place % 2 else load.new() for place in range(LINKS)]
            began = time.process_time()
            now = ask(frontier, now + 0.003)
            asked = time.process_time()
            frontier.offer(page)
            offering += time.process_time() - asked
            asking += asked - began
            if number % GROUP == 0:
                store.commit()
        store.close()
    each = (1e6 * asking / ROUNDS, 1e6 * offering / ROUNDS)
    return "take and done {:.0f} µs, offer of the links of a page {:.0f} µs".format(*each)


def ask(frontier: Workbench, now: float) -> float:
    """Take the next candidate, whenever it comes, be done with it, and return the time."""
    while (taken := frontier.take(now)) is None:
        wake = frontier.wake()
        assert wake is not None, "work waits but nothing will ever wake"
        now = wake
    frontier.done(taken, now)
    return now


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for patience in (0.0, 2.0):
        print(f"{size:>9,} waiting, patience {patience:g} s: {measure(size, patience)}", flush=True)
