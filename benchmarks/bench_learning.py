"""What the learner costs when very many URLs wait: memory of their rows, and the time to price them all anew.

python benchmarks/bench_learning.py [WAITING]
"""

import resource
import sys
from time import process_time

import numpy as np

from thresher.core.records import Topic, Url
from thresher.judges.cosine import Cosine
from thresher.strategies.learned.features import NAMES, WIDTH_OF_GROUPS
from thresher.strategies.learned.strategy import Thresher
from thresher.strategies.learned.table import GROUPS

HOSTS, FOLDERS = 5_000, 8


def main(waiting: str = "1000000") -> None:
    """Fill the table as a large crawl would, then fit and price everything."""
    topic = Topic("bees", {"bee": 1.0, "honey": 1.0})
    strategy = Thresher(judge=Cosine(topic), topic=topic)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = int(waiting)
    _fill(strategy, count)
    _teach(strategy, 4_000)
    course = strategy._course
    course.pages, course.asked, course.next_fit = 50_000, 60_000, 51_000
    strategy._price_again()
    strategy._evidence.count(strategy._evidence.groups(0), 1.0)
    began = process_time()
    offers = strategy._price_again()
    seconds = process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{count} waiting: {grown:.0f} MB at most, priced anew in {seconds:.2f} s, {len(offers)} told")


def _fill(strategy: Thresher, count: int) -> None:
    evidence, generator = strategy._evidence, np.random.Generator(np.random.PCG64(1))
    parents = np.array([evidence.tallies["page"].number(place) for place in range(1, 20_001)])
    for number in range(count):
        host = f"https://www.host{number % HOSTS}.example"
        folder = f"{host}/section{number % FOLDERS}"
        groups = (host[12:], host, folder)
        numbers = [evidence.tallies[name].number(group) for name, group in zip(GROUPS, groups, strict=True)]
        row = evidence.table.add([Url(f"{folder}/page-{number}.html")], 3)
        evidence.table.cells["groups"][row] = numbers
        evidence.table.changed.clear()  # as if a transaction had kept it
    rows = evidence.table.waiting()
    cells = evidence.table.cells
    cells["evidence"][rows, :5] = generator.random((count, 5), np.float32)
    cells["parents"][rows, 0] = parents[generator.integers(0, len(parents), count)]
    cells["sections"][rows, 0] = evidence.tallies["section"].number("html/body/a")
    cells["mentions"][rows], cells["told"][rows] = 1, 0.0


def _teach(strategy: Thresher, visits: int) -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    for number in range(visits):
        row = generator.random(len(NAMES))
        strategy._history.add(
            Url(f"http://a.test/{number}"), row, np.zeros(WIDTH_OF_GROUPS, np.int32), row[0]
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
