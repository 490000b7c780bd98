"""The folded figures of a crawl, read from its index: a million pages take no longer than a hundred."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from msgspec import Struct

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.search.index import opened
from thresher.search.indexer import BUCKET, COLUMNS
from thresher.serve.answers import Count
from thresher.serve.limits import bounded
from thresher.store.folder import CrawlFolder

SPARKS = 60
POINTS = 1000
RECENT = 100


class Sums(Struct, frozen=True):
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


@dataclass(frozen=True)
class Ledger:
    """The index of one crawl while a question is answered; labels go before what the judge said."""

    index: sqlite3.Connection
    labels: Mapping[Url, bool]

    def sums(self) -> Sums:
        """Return the sums, with the labels over them."""
        columns = ", ".join(Sums.__struct_fields__)
        sums = Sums(*self.index.execute(f"SELECT {columns} FROM done").fetchone())
        turned = self.turned(sums.threshold)
        return Sums(
            *(getattr(sums, name) + (turned if name == "relevant" else 0) for name in Sums.__struct_fields__)
        )

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

    def tallies(self, kind: str) -> list[Count]:
        """Return how often each outcome or cause was, the commonest first."""
        query = "SELECT name, count FROM tally WHERE kind = ? ORDER BY count DESC, name LIMIT 12"
        return [Count(*row) for row in self.index.execute(query, (kind,))]

    def histogram(self) -> list[int]:
        """Return the pages by relevance, in columns of equal width."""
        counts = dict(self.index.execute("SELECT number, pages FROM score").fetchall())
        return [counts.get(number, 0) for number in range(COLUMNS)]


@contextmanager
def ledger(folder: CrawlFolder) -> Iterator[Ledger]:
    """Open the index of a crawl for one question."""
    store = folder.open()
    try:
        with opened(folder) as index:
            yield Ledger(bounded(index), store.labels())
    finally:
        store.close()
