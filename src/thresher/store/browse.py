"""Small questions about single visits, hosts and what waits, for whoever looks at a crawl on a screen."""

import sqlite3
from collections.abc import Iterable

from msgspec import Struct

from thresher.core.enums import Detail, Outcome
from thresher.core.records import Url


class Look(Struct, frozen=True):
    """One visit to a page: what came of it, what had changed, and whether the archive has the response."""

    visit: int
    at: float
    outcome: Outcome
    status: int
    size: int
    relevance: float
    has_copy: bool


class Archived(Struct, frozen=True):
    """Where the response of one visit stands in the archive."""

    url: Url
    file: str
    offset: int
    digest: str
    is_rendered: bool = False  # what a browser made of it stands behind it


class Browsing:
    """The part of the reading face that screens ask; each question is answered in one short transaction."""

    _connection: sqlite3.Connection

    def waiting_count(self) -> int:
        """Return how many candidates wait for their turn."""
        return int(self._connection.execute("SELECT count(*) FROM waiting").fetchone()[0])

    def resting(self, now: float) -> dict[str, float]:
        """Return the hosts that are to be left alone, and for how many seconds."""
        query = "SELECT name, ready_at - ? FROM host WHERE ready_at > ?"
        return dict(self._connection.execute(query, (now, now)).fetchall())

    def pages_since(self, at: float) -> int:
        """Return how many pages were fetched since a moment, among the latest few thousand visits."""
        latest = "SELECT at, outcome FROM visit ORDER BY number DESC LIMIT 4000"
        query = f"SELECT count(*) FROM ({latest}) WHERE at >= ? AND outcome = 'fetched'"
        return int(self._connection.execute(query, (at,)).fetchone()[0])

    def nearest(self, threshold: float, most: int) -> list[Url]:
        """Return the pages that the judge is least sure of: those nearest a threshold, the nearest first."""
        rows = self._connection.execute(
            "SELECT url FROM page JOIN visit ON number = visit"
            " ORDER BY abs(page.relevance - ?), number LIMIT ?",
            (threshold, most),
        )
        return [Url(url) for (url,) in rows]

    def url_of(self, key: int) -> Url | None:
        """Return the URL of a key that was visited."""
        row = self._connection.execute("SELECT url FROM visit WHERE key = ? LIMIT 1", (key,)).fetchone()
        return Url(row[0]) if row else None

    def looks_at(self, key: int) -> list[Look]:
        """Return the visits to a page, the latest first."""
        rows = self._connection.execute(
            "SELECT number, at, outcome, status, size, relevance, capture.visit IS NOT NULL"
            " FROM visit LEFT JOIN capture ON capture.visit = number"
            " WHERE key = ? AND request != 'backlinks' ORDER BY number DESC LIMIT 200",
            (key,),
        )
        return [
            Look(number, at, Outcome(outcome), status, size, relevance, bool(kept))
            for number, at, outcome, status, size, relevance, kept in rows
        ]

    def archived(self, visit: int) -> Archived | None:
        """Return where the response of a visit stands, or where the one stands that it was equal to."""
        query = (
            "SELECT url, file, offset, digest, detail IS ?, mime"
            " FROM capture JOIN visit ON number = visit WHERE {}"
            " ORDER BY visit DESC LIMIT 1"
        )
        rendered = Detail.RENDERED.value
        row = self._connection.execute(query.format("visit = ?"), (rendered, visit)).fetchone()
        if row and row[5] == "warc/revisit" and not row[4]:
            same = query.format(
                "digest_key = (SELECT digest_key FROM capture WHERE visit = ?) AND digest = ? AND mime != ?"
            )
            row = self._connection.execute(same, (rendered, visit, row[3], row[5])).fetchone() or row
        return Archived(*row[:5]) if row else None

    def fates(self, keys: Iterable[int]) -> dict[int, tuple[str, float]]:
        """Return what became of URLs: how their latest visit ended and its relevance, or that they wait."""
        wanted = str(list(keys))
        among = "key IN (SELECT value FROM json_each(?))"
        waiting = self._connection.execute(f"SELECT key FROM waiting WHERE {among}", (wanted,))
        fates: dict[int, tuple[str, float]] = {key: ("waiting", 0.0) for (key,) in waiting}
        asked = f"{among} AND request != 'backlinks' ORDER BY number"
        visits = f"SELECT key, outcome, relevance FROM visit WHERE {asked}"
        for key, outcome, relevance in self._connection.execute(visits, (wanted,)):
            fates[key] = (outcome, relevance)
        return fates
