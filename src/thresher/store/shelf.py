"""The frontier's shelf in the store's own database, so that both are one transaction."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence

import msgspec

from thresher.core.records import Candidate, Shelved

_ROW = "key, host.name, arrival, candidate"
_FROM = "FROM waiting JOIN host ON host.id = waiting.host"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Candidate).decode


class SqliteShelf:
    """Every waiting candidate as one row, in the order in which its host would hand it out."""

    def __init__(self, connection: sqlite3.Connection, begin: Callable[[], None]) -> None:
        """Share the store's connection and its transactions."""
        self._connection = connection
        self._begin = begin
        self._ids: dict[str, int] = dict(connection.execute("SELECT name, id FROM host"))

    def put(self, waiting: Sequence[Shelved]) -> None:
        """Keep candidates, or keep them again under a new price."""
        self._begin()
        self._connection.executemany(
            "INSERT INTO waiting VALUES (?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET"
            " price = excluded.price, not_before = excluded.not_before, candidate = excluded.candidate",
            [self._row(each) for each in waiting],
        )

    def get(self, key: int) -> Shelved | None:
        """Return the candidate of a key, if it waits."""
        found = self._connection.execute(f"SELECT {_ROW} {_FROM} WHERE key = ?", (key,)).fetchone()
        return _shelved(found) if found else None

    def head(self, host: str, after: tuple[float, int], most: int, now: float) -> Sequence[Shelved]:
        """Return the best candidates of a host that are due and rank (negated price, arrival) after one."""
        rows = self._connection.execute(
            f"SELECT {_ROW} {_FROM} WHERE waiting.host = ? AND (price, arrival) > (?, ?) AND not_before <= ?"
            " ORDER BY price, arrival LIMIT ?",
            (self._id(host), *after, now, most),
        )
        return [_shelved(row) for row in rows]

    def drop(self, key: int) -> None:
        """Forget a candidate: its visit is being stored."""
        self._begin()
        self._connection.execute("DELETE FROM waiting WHERE key = ?", (key,))

    def rest(self, host: str, until: float) -> None:
        """Remember until when a host is to be left alone."""
        self._begin()
        self._connection.execute("UPDATE host SET ready_at = ? WHERE id = ?", (until, self._id(host)))

    def keys(self) -> Iterable[int]:
        """Return the keys of all URLs that were ever offered."""
        for (key,) in self._connection.execute("SELECT key FROM visit UNION ALL SELECT key FROM waiting"):
            yield key

    def hosts(self) -> Iterable[tuple[str, float, int]]:
        """Return each host, when it may be asked again, and how many of its candidates wait."""
        counts = "SELECT host, count(*) AS waiting FROM waiting GROUP BY host"
        query = f"SELECT name, ready_at, ifnull(waiting, 0) FROM host LEFT JOIN ({counts}) ON host = id"
        return self._connection.execute(query).fetchall()

    def postponed(self) -> Iterable[Shelved]:
        """Return the revisits that wait for their time."""
        return [
            _shelved(row) for row in self._connection.execute(f"SELECT {_ROW} {_FROM} WHERE not_before > 0")
        ]

    def arrivals(self) -> int:
        """Return the last number of arrival that was given."""
        return int(self._connection.execute("SELECT ifnull(max(arrival), 0) FROM waiting").fetchone()[0])

    def _row(self, each: Shelved) -> tuple[int, int, float, int, float, bytes]:
        candidate = each.candidate
        price, encoded = -candidate.priority, _encode(candidate)
        return (each.key, self._id(each.host), price, each.arrival, candidate.not_before, encoded)

    def _id(self, host: str) -> int:
        found = self._ids.get(host)
        if found is None:
            cursor = self._connection.execute("INSERT INTO host (name, ready_at) VALUES (?, 0)", (host,))
            found = self._ids[host] = int(cursor.lastrowid or 0)
        return found


def _shelved(row: tuple[int, str, int, bytes]) -> Shelved:
    key, host, arrival, candidate = row
    return Shelved(key, host, arrival, _decode(candidate))
