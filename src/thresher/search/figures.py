"""Figures read from the index of a crawl: a million pages take no longer than a hundred."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.search.indexer import BUCKET, COLUMNS

SPARKS = 60
POINTS = 1000
RECENT = 100
KEYS = 1 << 64


class CrawlTotals(Struct, frozen=True):
    """What the visits counted so far add up to."""

    visit: int
    threshold: float
    pages: int
    relevant: int
    requests: int
    bytes: int
    began: float
    ended: float
    last_find: float


class IndexedPage(NamedTuple):
    """A page as lists show it."""

    key: int
    url: Url
    title: str
    relevance: float


class HostRow(NamedTuple):
    """A host, what it was asked and what it gave."""

    name: str
    visits: int
    pages: int
    relevant: int
    forbidden: int
    failed: int


@dataclass(frozen=True)
class IndexedFigures:
    """The index of one crawl while a question is answered; labels go before what the judge said."""

    index: sqlite3.Connection
    labels: Mapping[Url, bool]

    def sums(self) -> CrawlTotals:
        """Return the sums, with the labels over them."""
        columns = ", ".join(CrawlTotals.__struct_fields__)
        sums = CrawlTotals(*self.index.execute(f"SELECT {columns} FROM done").fetchone())
        return replace(sums, relevant=sums.relevant + self.turned(sums.threshold))

    def turned(self, threshold: float) -> int:
        """Return by how many relevant pages the labels differ from the judge."""
        keys = {key_of(url): label for url, label in self.labels.items()}
        if not keys:
            return 0
        rows = self.index.execute(
            "SELECT key, relevance FROM fact WHERE key IN (SELECT value FROM json_each(?))",
            (str(list(keys)),),
        )
        return sum(int(keys[key]) - int(relevance >= threshold) for key, relevance in rows)

    def hosts(self) -> tuple[int, int]:
        """Return how many hosts were asked, and how many gave a relevant page."""
        query = "SELECT count(*), (SELECT count(*) FROM host WHERE relevant > 0) FROM host"
        every, paid = self.index.execute(query).fetchone()
        return every, paid

    def recent(self, threshold: float) -> tuple[int, int]:
        """Return how many of the latest pages are relevant, and how many these are."""
        query = "SELECT relevance >= ? FROM fact ORDER BY visit DESC LIMIT ?"
        latest = [row[0] for row in self.index.execute(query, (threshold, RECENT))]
        return sum(latest), len(latest)

    def curve(self, pages: int, most: int = POINTS) -> list[tuple[int, int]]:
        """Return how many relevant pages there were among the first so many, in few enough points."""
        buckets = pages // BUCKET + 1
        step = -(-buckets // most)
        rows = self.index.execute(
            "SELECT number / ? AS place, sum(relevant) FROM bucket GROUP BY place ORDER BY place", (step,)
        )
        points, found = [(0, 0)], 0
        for place, relevant in rows:
            found += relevant
            points.append((min(pages, (place + 1) * step * BUCKET), found))
        return points

    def sparkline(self, pages: int) -> tuple[float, ...]:
        """Return the harvest in stretches of equal length."""
        points = self.curve(pages, SPARKS)
        steps = pairwise(points)
        return tuple(round((y - x) / max(1, b - a), 3) for (a, x), (b, y) in steps)

    def tallies(self, kind: str) -> list[tuple[str, int]]:
        """Return how often each outcome or cause was, the commonest first."""
        query = "SELECT name, count FROM tally WHERE kind = ? ORDER BY count DESC, name LIMIT 12"
        return self.index.execute(query, (kind,)).fetchall()

    def histogram(self) -> list[int]:
        """Return the pages by relevance, in columns of equal width."""
        counts = dict(self.index.execute("SELECT number, pages FROM score").fetchall())
        return [counts.get(number, 0) for number in range(COLUMNS)]

    def relevant_keys(self, share: float = 1.0) -> list[int]:
        """Return the keys of the relevant pages, or of a share of them: keys are spread evenly."""
        below = "" if share == 1.0 else f" AND key < {round(share * KEYS) - KEYS // 2}"
        query = f"SELECT key FROM fact WHERE {_RELEVANT}{below}"
        return [key for (key,) in self.index.execute(query)]

    def relevant_among(self, keys: Collection[int]) -> list[int]:
        """Return which of some pages the crawl has, and calls relevant."""
        query = f"SELECT key FROM fact WHERE key IN (SELECT value FROM json_each(?)) AND {_RELEVANT}"
        return [key for (key,) in self.index.execute(query, (str(list(keys)),))]

    def best(self, most: int) -> list[IndexedPage]:
        """Return the relevant pages, the best first."""
        return self._pages(f"{_RELEVANT} ORDER BY relevance DESC, visit DESC LIMIT ?", most)

    def between(self, low: float, high: float, most: int) -> list[IndexedPage]:
        """Return pages whose relevance lies from one figure up to another, the best first."""
        chosen = "relevance >= ? AND relevance < ? ORDER BY relevance DESC LIMIT ?"
        return self._pages(chosen, low, high, most)

    def pages_from(self, threshold: float) -> int:
        """Return how many pages have that relevance or more."""
        query = "SELECT count(*) FROM fact WHERE relevance >= ?"
        return int(self.index.execute(query, (threshold,)).fetchone()[0])

    def best_hosts(self, most: int) -> list[tuple[str, int]]:
        """Return the hosts that gave most relevant pages, with their number."""
        query = "SELECT name, relevant FROM host WHERE relevant > 0 ORDER BY relevant DESC LIMIT ?"
        return self.index.execute(query, (most,)).fetchall()

    def host_list(
        self, sort: str, most: int, after: tuple[int, int, int] | None
    ) -> list[tuple[tuple[int, int, int], HostRow]]:
        """Return hosts with their places, most relevant pages, pages or errors first, behind a place."""
        second = {"relevant": "pages", "pages": "0", "failed": "visits"}[sort]
        order = (sort, second, "id")
        beyond = f"WHERE ({', '.join(order)}) < (?, ?, ?)" if after else ""
        by = ", ".join(f"{name} DESC" for name in order if name != "0")
        rows = self.index.execute(
            f"SELECT {', '.join(order)}, name, visits, pages, relevant, forbidden, failed FROM host {beyond}"
            f" ORDER BY {by} LIMIT ?",
            (*(after or ()), most),
        )
        return [((first, second, id_), HostRow(*row)) for first, second, id_, *row in rows]

    def _pages(self, clause: str, *values: float) -> list[IndexedPage]:
        rows = self.index.execute(f"SELECT key, url, title, relevance FROM fact WHERE {clause}", values)
        return [IndexedPage(*row) for row in rows]


_RELEVANT = "relevance >= (SELECT threshold FROM done)"
