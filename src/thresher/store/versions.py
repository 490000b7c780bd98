"""What the looks at the pages of a crawl have found, for whoever reads it."""

import sqlite3
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from thresher.core.enums import ChangeKind
from thresher.core.records import Url
from thresher.freshness.change import Furniture
from thresher.freshness.page_state import Standing, Trust

_decode_numbers = msgspec.msgpack.Decoder(tuple[int, ...]).decode


class Version(Struct, frozen=True):
    """One change of one page, and whether it is news in the light of the whole host."""

    visit: int
    url: Url
    at: float
    since: float  # the look before
    kind: ChangeKind
    news: bool
    distance: int
    was: float  # relevance before and after
    relevance: float
    diff: str
    told: bool


class Look(Struct, frozen=True):
    """One look: what had changed, if anything."""

    url: Url
    at: float
    since: float
    kind: ChangeKind | None
    news: bool


class VersionReading:
    """The part of the reading face that knows of looks and versions; a crawl never revisited has none."""

    _connection: sqlite3.Connection

    def is_watched(self) -> bool:
        """Tell whether the pages of this crawl were ever looked at again."""
        query = "SELECT count(*) FROM sqlite_master WHERE name = 'version'"
        return bool(self._connection.execute(query).fetchone()[0])

    def versions(self, since: float = 0.0) -> list[Version]:
        """Return the changes found since a moment, oldest first."""
        return list(self.each_version(since))

    def each_version(self, since: float = 0.0, newest_first: bool = False) -> Iterator[Version]:
        """Yield the changes found since a moment, one by one."""
        if not self.is_watched():
            return
        every = "SELECT host, key, edits FROM version WHERE news"
        furniture = Furniture(
            (host, key, _decode_numbers(edits)) for host, key, edits in self._connection.execute(every)
        )
        rows = self._connection.execute(
            "SELECT host, edits, visit, url, at, since, kind, news, distance, was, relevance, diff, told"
            f" FROM version WHERE at >= ? ORDER BY visit {'DESC' if newest_first else ''}",
            (since,),
        )
        for host, edits, *row in rows:
            row[4] = ChangeKind(row[4])
            row[5] = bool(row[5]) and not furniture.covers(host, _decode_numbers(edits))
            yield Version(*row)

    def looks(self) -> Iterator[Look]:
        """Yield every look at a page, oldest first."""
        if self.is_watched():
            query = "SELECT url, look.at, since, kind, news FROM look JOIN visit ON number = visit"
            for url, at, since, kind, news in self._connection.execute(f"{query} ORDER BY number"):
                yield Look(url, at, since, ChangeKind(kind) if kind else None, bool(news))

    def news_count(self) -> int:
        """Return how many changes were news, by what the pages themselves show."""
        if not self.is_watched():
            return 0
        return int(self._connection.execute("SELECT count(*) FROM version WHERE news").fetchone()[0])

    def kinds_of(self, key: int) -> dict[int, str]:
        """Return what each look at a page found to be different, by visit."""
        if not self.is_watched():
            return {}
        return dict(self._connection.execute("SELECT visit, kind FROM look WHERE key = ?", (key,)).fetchall())

    def watch_list(self) -> Sequence[tuple[Url, float, float, float, float]]:
        """Return address, looks, changes, days before changes and days of every page under watch."""
        if not self.is_watched():
            return []
        return self._connection.execute(
            "SELECT url, looks, changes, changed_days, days FROM watched ORDER BY key"
        ).fetchall()

    def lost(self, at_once: bool = False) -> frozenset[Url]:
        """Return the pages that were given up, or those that were not found at the last look already."""
        if not self.is_watched():
            return frozenset()
        given_up = f"standing IN ({Standing.VANISHED:d}, {Standing.BROKEN:d})"
        clause = f"{given_up} OR misses > 0" if at_once else given_up
        return frozenset(
            url for (url,) in self._connection.execute(f"SELECT url FROM watched WHERE {clause}")
        )

    def trusts(self) -> dict[str, Trust]:
        """Return what each host's own word on its pages was worth."""
        if not self.is_watched():
            return {}
        rows = self._connection.execute("SELECT host, right, wrong, lies, fickle FROM trust ORDER BY host")
        return {host: Trust(*row) for host, *row in rows}
