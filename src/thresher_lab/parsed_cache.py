"""Pages parsed once and kept across runs, so that comparing ten strategies costs little more than one."""

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from thresher.core.records import Candidate, Fetched, Page

Parse = Callable[[Fetched], Page]

_TABLE = "CREATE TABLE IF NOT EXISTS page (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
_GROUP = 256


class ParsedCache:
    """A parser that remembers. Equal content in, equal page out, whether it was parsed now or in another run.

    The key is a digest of all a parser may read (URL, status, headers, body) and of the parser's version;
    the parser sees neither the candidate nor the time, which are not part of it.
    Several processes may share one file: each writes in short transactions.
    """

    def __init__(self, parse: Parse, version: str, path: Path | None = None) -> None:
        """Keep pages in an SQLite file, or in memory only."""
        self.hits = self.misses = 0
        self._parse, self._version = parse, version.encode()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Page).decode
        self._waiting: dict[bytes, bytes] = {}
        self._database = _open(path)

    def __call__(self, fetched: Fetched) -> Page:
        """Return the page, parsing it only once."""
        key = self._key(fetched)
        kept = self._waiting.get(key) or self._kept(key)
        if kept is not None:
            self.hits += 1
            return self._decode(kept)
        self.misses += 1
        page = self._parse(replace(fetched, candidate=Candidate(fetched.url), fetched_at=0.0))
        self._waiting[key] = self._encode(page)
        if len(self._waiting) >= _GROUP:
            self.flush()
        return page

    def flush(self) -> None:
        """Write what waits, in one transaction."""
        with self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO page VALUES (?, ?)", sorted(self._waiting.items())
            )
        self._waiting.clear()

    def close(self) -> None:
        """Write what waits and let go of the file."""
        self.flush()
        self._database.close()

    def _key(self, fetched: Fetched) -> bytes:
        hasher = hashlib.blake2b(self._version, digest_size=16)
        told = (fetched.url, fetched.status, fetched.headers, fetched.truncated, fetched.body_error)
        hasher.update(self._encode(told))
        hasher.update(fetched.body)
        return hasher.digest()

    def _kept(self, key: bytes) -> bytes | None:
        row = self._database.execute("SELECT value FROM page WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None


def _open(path: Path | None) -> sqlite3.Connection:
    """Open the file; one that is damaged is begun again, as a cache loses nothing."""
    if path is None:
        return _prepared(sqlite3.connect(":memory:"))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _prepared(sqlite3.connect(path, timeout=60.0))
    except sqlite3.OperationalError:  # locked or not allowed: that is for the user to know
        raise
    except sqlite3.DatabaseError:
        path.unlink()
        return _prepared(sqlite3.connect(path, timeout=60.0))


def _prepared(database: sqlite3.Connection) -> sqlite3.Connection:
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")  # what a power cut takes is parsed again
        database.execute("PRAGMA mmap_size = 1000000000")
        database.execute(_TABLE)
    except sqlite3.Error:
        database.close()
        raise
    return database
