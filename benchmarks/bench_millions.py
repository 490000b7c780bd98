"""A crawl before which millions of URLs wait: memory, disk, what a visit costs, and how long a resume takes.

python benchmarks/bench_millions.py [WAITING [STRATEGY [HOSTS]]]

Strategy, frontier and store are a crawl's own; the pages are made from numbers. The folder is filled by pages
of two hundred new links, and then a thousand visits are made as a crawl makes them: a candidate is taken, its
page of fifty links, half of them known, is learned from, and what the strategy offers is queued; 64 visits
are a transaction. Then another process takes the crawl up again. Times are of the processor.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from thresher.build.resume import load_state
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy, StrategyState
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.store.database import LARGE, Database
from thresher.store.schema import CrawlMetadata, SavedStrategy
from thresher.strategies import ALL_STRATEGIES
from thresher.strategies.learned.strategy import Thresher

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})
WORDS = "a study of honey bees and the hives they build in the hollow trees of the northern forests".split()
ROUNDS, LINKS, AT_ONCE = 1_024, 50, 200


class Pages:
    """Pages made from numbers: the same seed, the same pages, and nothing of them is held."""

    def __init__(self, hosts: int) -> None:
        self.hosts, self.linked, self.random = hosts, 0, random.Random(1)

    def url(self, number: int) -> Url:
        return Url(f"http://www.host-{number % self.hosts}.org/articles/{number:08d}/reading.html")

    def page(self, url: Url, links: int, known: int = 0) -> Page:
        """Return a page with so many links, some of them to what was linked before."""
        numbers = [self.random.randrange(self.linked) for _ in range(known)]
        numbers += range(self.linked, self.linked + links - known)
        self.linked += links - known
        said = [" ".join(self.random.sample(WORDS, 4)) for _ in range(links)]
        targets = zip(map(self.url, numbers), said, strict=True)
        made = tuple(Link(url, target, words, place="html/body/div/p/a") for target, words in targets)
        return Page(url, text=" ".join(self.random.choices(WORDS, k=60)), links=made)


class Kept:
    """What a run leaves to the next, as a crawl leaves it."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def leave(self, facts: CrawlMetadata) -> None:
        self._saved = self._strategy.save() or StrategyState()
        facts.state = SavedStrategy(self._strategy.state_version, self._saved.head)

    def entries(self) -> Iterable[tuple[int, bytes]]:
        return self._saved.rows

    def sightings(self) -> Sequence[bytes]:
        return ()


class Clocks(Counter[str]):
    """Seconds of the processor, by what they were spent on, and the longest of all: all ranked anew."""

    longest = 0.0

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        took = time.process_time() - began
        self[name] += took
        self.longest = max(self.longest, took)


def made(name: str) -> Strategy:
    """Return a strategy that does nothing yet but learn and rank."""
    strategy = ALL_STRATEGIES[name](judge=Cosine(TOPIC), topic=TOPIC)
    if isinstance(strategy, Thresher):
        strategy._course.next_fit = 1 << 40
    return strategy


def filled(strategy: Strategy, frontier: Workbench, store: Database, pages: Pages, size: int) -> float:
    """Offer pages of new links until so many wait, at fixed priorities; return URLs a second."""
    began = time.process_time()
    while len(frontier) < size:
        for number in range(16):
            hub = Url(f"http://hub-{pages.linked}.org/{number}")
            visit = Visit(Candidate(hub), Outcome.FETCHED, 0.0, pages.page(hub, AT_ONCE), 0.4)
            frontier.offer(strategy.on_visit(visit, store))
        store.commit()
    return size / (time.process_time() - began)


def visited(strategy: Strategy, frontier: Workbench, store: Database, pages: Pages) -> Clocks:
    """Make some visits and return what they cost."""
    clocks, now = Clocks(), time.time()
    if isinstance(strategy, Thresher):
        strategy._course.next_fit = strategy._course.pages + ROUNDS // 2
    for number in range(ROUNDS):
        with clocks.of("take"):
            now += 0.003
            taken = frontier.take(now)
            assert taken, "no host is ready"
            frontier.done(taken, now)
        visit = Visit(taken, Outcome.FETCHED, now, pages.page(taken.url, LINKS, LINKS // 2), 0.4)
        with clocks.of("learn"):
            offers = list(strategy.on_visit(visit, store))
        with clocks.of("offer"):
            frontier.offer(offers)
        if number % LARGE == LARGE - 1:
            with clocks.of("commit"):
                store.commit()
    return clocks


def memory() -> str:
    """Return what this process holds, and what it held at most."""
    held = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return f"{held / 1e6:,.0f} MB in memory ({most / 1e6:,.0f} at most)"


def begin(folder: Path, size: int, name: str, hosts: int) -> None:
    """Fill a folder, make some visits, and say what it cost."""
    store, strategy, pages = Database(folder / "crawl.db"), made(name), Pages(hosts)
    frontier = Workbench(delay=1.0, shelf=store.shelf)
    store.follow(Kept(strategy))
    store.facts.strategy = name
    rate = filled(strategy, frontier, store, pages, size)
    print(f"{len(frontier):>10,} wait for {name} on {hosts:,} hosts: {memory()}; ", end="", flush=True)
    clocks = visited(strategy, frontier, store, pages)
    waiting = len(frontier)
    store.close()
    disk = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{disk / 1e6:,.0f} MB on disk; filled with {rate:,.0f} URLs a second")
    spent = ", ".join(f"{what} {1000 * clocks[what] / ROUNDS:.2f}" for what in clocks)
    print(f"{'':11}a visit: {spent} ms, the longest step {clocks.longest:.1f} s; ", end="")
    print(f"{waiting:,} wait after it, {memory()}", flush=True)


def again(folder: Path, name: str) -> None:
    """Take the crawl up in this process, and say how long that took."""
    began, clock = time.process_time(), time.monotonic()
    store, strategy = Database(folder / "crawl.db"), made(name)
    opened = time.process_time()
    load_state(strategy, store)
    known = time.process_time()
    frontier = Workbench(delay=1.0, shelf=store.shelf)
    assert frontier.take(time.time() + 3600), "nothing waits"
    parts = f"strategy {known - opened:.1f}, frontier {time.process_time() - known:.1f}"
    took = (
        f"{time.process_time() - began:.1f} s of the processor, {time.monotonic() - clock:.1f} by the clock"
    )
    print(f"{'':11}resumed in {took} ({parts}); {memory()}", flush=True)
    store.close()


def main(size: str = "1000000", name: str = "thresher", hosts: str = "10000") -> None:
    """Fill in one process, resume in another."""
    with tempfile.TemporaryDirectory(prefix="millions-") as folder:
        for step in ("begin", "again"):
            subprocess.run([sys.executable, __file__, step, folder, size, name, hosts], check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["begin", folder, size, name, hosts]:
            begin(Path(folder), int(size), name, int(hosts))
        case ["again", folder, _, name, _]:
            again(Path(folder), name)
        case asked:
            main(*asked)
