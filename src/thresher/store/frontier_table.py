"""The frontier's shelf in the store's own database, so that both are one transaction."""

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from typing_extensions import override

from thresher.core.enums import REVISITS, Request
from thresher.core.interfaces import FrontierStorage
from thresher.core.records import Candidate, QueueColumns, QueuedRequest
from thresher.core.url import asked_key
from thresher.store.codecs import pack, unpack
from thresher.store.errors import DiskErrorHandler

SOME = 1_000  # rows held in memory at a time
MANY = 5_000  # dropped before they are written: a trap may leave tens of thousands at once


class SqliteShelf(FrontierStorage):
    """Every waiting candidate as one row, in the order of arrival: what is new goes to the end.

    What changes is written when the transaction ends: a priority may change again before, and the best do not
    wait that long.
    """

    def __init__(
        self, connection: sqlite3.Connection, begin: Callable[[], None], named: DiskErrorHandler
    ) -> None:
        """Share the store's connection, its transactions and its names for failures."""
        self._connection, self._begin, self._named = connection, begin, named
        self._ids: dict[str, int] = dict(connection.execute("SELECT name, id FROM host"))
        self._names = {number: name for name, number in self._ids.items()}
        self._put: dict[int, QueuedRequest] = {}  # by number of arrival
        self._dropped: list[tuple[int]] = []
        self._rests: dict[str, float] = {}

    @override
    def put(self, waiting: Sequence[QueuedRequest]) -> None:
        self._begin()
        self._put.update([(each.arrival, each) for each in waiting])

    @override
    def get(self, arrivals: Sequence[int]) -> Sequence[QueuedRequest]:
        with self._named:
            return [self._put.get(arrival) or self._read(arrival) for arrival in arrivals]

    @override
    def drop(self, arrival: int) -> None:
        self._begin()
        self._put.pop(arrival, None)
        self._dropped.append((arrival,))
        if len(self._dropped) >= MANY:
            self.write()

    @override
    def rest(self, host: str, until: float) -> None:
        self._begin()
        self._rests[host] = until

    def write(self) -> None:
        """Write what has changed."""
        with self._named:
            self._connection.executemany("DELETE FROM waiting WHERE arrival = ?", self._dropped)
            self._connection.executemany(
                "INSERT OR REPLACE INTO waiting VALUES (?,?,?,?,?,?,?,?)", self._rows()
            )
            rests = [(until, self._id(host)) for host, until in self._rests.items()]
            self._connection.executemany("UPDATE host SET ready_at = ? WHERE id = ?", rests)
        for changes in (self._dropped, self._put, self._rests):
            changes.clear()

    @override
    def visited(self) -> Iterable[int]:
        """Return the keys of all that was asked: of the pages visited, and of questions about pages."""
        pages = self._connection.execute("SELECT key FROM visit WHERE request != 'backlinks'")
        yield from (key for (key,) in pages)
        questions = self._connection.execute("SELECT url FROM visit WHERE request = 'backlinks'")
        yield from (asked_key(Candidate(url, kind=Request.BACKLINKS)) for (url,) in questions)

    @override
    def hosts(self) -> Iterable[tuple[int, str, float]]:
        self.write()
        return self._connection.execute("SELECT id, name, ready_at FROM host").fetchall()

    @override
    def backlog(self) -> QueueColumns:
        self.write()
        columns: list[array[Any]] = [array(kind) for kind in "qqdqqq"]
        rows = self._connection.execute(
            "SELECT host, key, negated_priority, arrival, hops_left, depth FROM waiting"
            " WHERE NOT revisit ORDER BY arrival"
        )
        while some := rows.fetchmany(SOME):
            for column, values in zip(columns, zip(*some, strict=True), strict=True):
                column.extend(values)
        hosts, keys, negated, arrivals, lives, depths = columns
        return QueueColumns(hosts, keys, (negated, arrivals, lives, depths))

    @override
    def postponed(self) -> Sequence[QueuedRequest]:
        self.write()
        rows = self._connection.execute("SELECT arrival FROM waiting WHERE revisit")
        return self.get([arrival for (arrival,) in rows.fetchall()])

    def _read(self, arrival: int) -> QueuedRequest:
        query = "SELECT key, host, candidate FROM waiting WHERE arrival = ?"
        key, host, packed = self._connection.execute(query, (arrival,)).fetchone()
        return QueuedRequest(key, self._names[host], arrival, unpack(packed))

    def _rows(self) -> list[tuple[Any, ...]]:
        """Return what was put as rows of the table."""
        rows, ids = list[tuple[Any, ...]](), self._ids
        for each in self._put.values():
            host, candidate = ids.get(each.host) or self._id(each.host), each.candidate
            standing = (-candidate.priority, candidate.hops_left, candidate.depth, candidate.kind in REVISITS)
            rows.append((each.arrival, each.key, host, *standing, pack(candidate)))
        return rows

    def _id(self, host: str) -> int:
        found = self._ids.get(host)
        if found is None:
            cursor = self._connection.execute("INSERT INTO host (name, ready_at) VALUES (?, 0)", (host,))
            found = self._ids[host] = int(cursor.lastrowid or 0)
            self._names[found] = host
        return found
