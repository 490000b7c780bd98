"""A web without end that takes no memory: what a strategy keeps of it is all that grows."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.store import schema

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5}, path=("Animals", "Bees"))
LINKS = 50  # of a page; half of them lead to pages that others link to as well
ANCHORS = ("honey and bees", "home", "the old mill", "keeping bees in the city", "contact", "a page of news")
TEXTS = (
    "Bees make honey. This is how they do it.",
    "The mill has stood here for long. It is open on Sundays.",
)


@dataclass
class EndlessWeb:
    """Page n links to pages 25n + 1 to 25n + 50; they are fetched in the order of their numbers.

    It is the memory of the crawl as well: what a strategy asks is worked out, not remembered.
    """

    strategy: Strategy
    links: int = 0  # that were shown
    offered: int = 0
    _next: int = 0
    _started: bool = field(default=False)
    _kept: sqlite3.Connection = field(default_factory=lambda: sqlite3.connect("", isolation_level=None))

    def __post_init__(self) -> None:
        """Keep what the strategy leaves in a file, as a crawl does."""
        self._kept.executescript(schema.STATE)

    def crawl(self, pages: int) -> None:
        """Show so many pages to the strategy, let it offer more after each, and keep nothing of it."""
        if not self._started:
            self._started = True
            self.offered += len(list(self.strategy.start([address(0)])))
        for visit in islice(self._visits(), pages):
            self.links += LINKS
            self.offered += sum(1 for _ in self.strategy.on_visit(visit, self))  # type: ignore[misc,arg-type]
            self.offered += sum(1 for _ in self.strategy.on_empty(self))  # type: ignore[misc,arg-type]
            if saved := self.strategy.save():
                self._kept.executemany("INSERT OR REPLACE INTO strategy_state VALUES (?, ?)", saved.rows)

    def outlinks(self, url: Url) -> Sequence[Link]:
        """Return the links of a page."""
        first = 25 * number_of(url) + 1
        return tuple(
            Link(url, address(target), ANCHORS[target % 6], ANCHORS[target % 5])
            for target in range(first, first + LINKS)
        )

    def entries_at(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return what the strategy left under these keys."""
        marks = ",".join(map(str, keys))
        return dict(self._kept.execute(f"SELECT key, value FROM strategy_state WHERE key IN ({marks})"))

    def inlinks(self, url: Url) -> Sequence[Link]:
        """Return the links to a page."""
        return [link for source in self.sources(url) for link in self.outlinks(source) if link.target == url]

    def sources(self, url: Url) -> Sequence[Url]:
        """Return the pages that link to a page and were fetched."""
        last = (number_of(url) - 1) // 25
        return [address(number) for number in (last - 1, last) if 0 <= number < self._next]

    def page(self, url: Url) -> Page | None:
        """Return a page that was fetched."""
        if number_of(url) >= self._next:
            return None
        return Page(url, text=TEXTS[number_of(url) % 2], links=tuple(self.outlinks(url)))

    def relevance(self, url: Url) -> float | None:
        """Return the relevance of a page that was fetched: every other one is about bees."""
        return None if number_of(url) >= self._next else 0.8 * (number_of(url) % 2 == 0)

    guidance = relevance

    def history(self, url: Url) -> Sequence[Visit]:
        """Return the visit to a page, if it was fetched."""
        return [] if number_of(url) >= self._next else [self._visit(number_of(url))]

    def _visits(self) -> Iterator[Visit]:
        while True:
            number, self._next = self._next, self._next + 1
            yield self._visit(number)

    def _visit(self, number: int) -> Visit:
        url = address(number)
        via = Link(address((number - 1) // 25), url, ANCHORS[number % 6]) if number else None
        candidate = Candidate(url, 0.5, via, hops_left=3, depth=min(number, 1))
        return Visit(candidate, Outcome.FETCHED, float(number), self.page(url), self.relevance(url) or 0.0)


def address(number: int) -> Url:
    """Return the URL of a page."""
    return Url(f"http://host{number % 997}.test/articles/{number}.html")


def number_of(url: Url) -> int:
    """Return the number of a page."""
    return int(url.rpartition("/")[2].removesuffix(".html"))
