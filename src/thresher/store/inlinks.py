"""Which pages link to a URL: the links of a visit in one row, and sorted in by their targets for who asks.

A link sorted in by itself costs eight times what it costs to keep it, because each lands elsewhere in the
file; so the latest wait in memory. Few strategies ask for them: nothing is sorted before somebody does.
"""

import sqlite3
import struct
from collections.abc import Iterable, Sequence

from thresher.store.facts import read_facts, write_facts

LATEST = 8_192  # links that wait in memory

LINKS = "SELECT value AS target, source FROM link, json_each(link_keys(targets))"
"""Every link: the key of a URL, and the visit whose page links to it."""

_TABLE = """
CREATE TABLE IF NOT EXISTS cited (
    target INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (target, source)
) WITHOUT ROWID
"""
_SORT_IN = f"INSERT OR IGNORE INTO cited {LINKS} WHERE source > ? ORDER BY target, source"
_ASK = "SELECT source FROM cited WHERE target = ?"
_ASK_LATEST = "SELECT source, targets FROM link WHERE source > ? AND instr(targets, ?)"


def pack_keys(keys: Sequence[int]) -> bytes:
    """Return keys of URLs as bytes, eight each."""
    return struct.pack(f"<{len(keys)}q", *keys)


def unpack_keys(packed: bytes) -> tuple[int, ...]:
    """Return the keys that were packed."""
    return struct.unpack_from(f"<{len(packed) // 8}q", packed)


class Citations:
    """The visits whose pages link to a URL; a reader who may not write finds the same, only slower."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Wait until somebody asks."""
        self._connection = connection
        connection.create_function("link_keys", 1, _as_json, deterministic=True)
        self._latest: dict[int, list[int]] | None = None
        self._waiting = 0

    def sources(self, target: int) -> Sequence[int]:
        """Return the numbers of the visits whose pages have a link to a key, in order."""
        if self._latest is None and not self._begin():
            return self._found(target)
        latest = self._latest or {}
        known = self._connection.execute(_ASK, (target,)).fetchall()
        return sorted({*(source for (source,) in known), *latest.get(target, ())})

    def add(self, visit: int, targets: Iterable[int]) -> None:
        """Note the links of a page that were just kept, if anybody ever asked for such."""
        if self._latest is None:
            return
        for target in targets:
            self._latest.setdefault(target, []).append(visit)
            self._waiting += 1
        if self._waiting >= LATEST:
            self._sort_in()

    def _begin(self) -> bool:
        """Sort in what was kept before, and tell whether that was possible."""
        try:
            self._connection.execute(_TABLE)
            self._sort_in()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY:
                raise
            return False
        return True

    def _sort_in(self) -> None:
        self._connection.execute(_SORT_IN, (self._sorted(),))
        last = self._connection.execute("SELECT ifnull(max(source), 0) FROM link").fetchone()[0]
        write_facts(self._connection, {"links_sorted": last})
        self._latest, self._waiting = {}, 0

    def _sorted(self) -> int:
        return read_facts(self._connection, "links_sorted").links_sorted

    def _found(self, target: int) -> Sequence[int]:
        """Return what a reader finds: what was sorted in, and the rest one by one."""
        known = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cited'").fetchone()
        rows = self._connection.execute(_ASK, (target,)).fetchall() if known else []
        since = self._sorted() if known else 0
        latest = self._connection.execute(_ASK_LATEST, (since, pack_keys([target])))
        found = {source for source, targets in latest if target in unpack_keys(targets)}
        return sorted({source for (source,) in rows} | found)


def _as_json(packed: bytes) -> str:
    return str(list(unpack_keys(packed)))
