"""A damaged database is one sentence, whoever comes upon the damage and however late."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import msgspec

from thresher.core.errors import NotACrawl

NOT_DAMAGED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY})
"""What SQLite may say of a file that is whole."""

Asked = ParamSpec("Asked")
Made = TypeVar("Made")


def open_to_read(file: Path) -> sqlite3.Connection:
    """Open a database to read it, also while somebody writes it, and where nobody could."""
    address = f"{file.resolve().as_uri()}?mode=ro"
    connection = _connect(address)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except NotACrawl:
        log = file.with_name(f"{file.name}-wal")
        if log.exists() and log.stat().st_size:
            connection.close()
            raise
        connection.close()
        return _connect(f"{address}&immutable=1")  # read-only media: there is no room for a log of reading
    return connection


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, factory=_Connection)
    sqlite3.Connection.execute(connection, "PRAGMA trusted_schema = OFF")  # the file may be anybody's
    return connection


class _Cursor(sqlite3.Cursor):
    """Rows of a file that may turn out to be damaged at any of them."""

    def execute(self, *asked: Any) -> "_Cursor":
        with _told():
            super().execute(*asked)
        return self

    def fetchone(self) -> Any:
        with _told():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with _told():
            return super().fetchall()

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        with _told():
            return super().fetchmany(size or 1)

    def __next__(self) -> Any:
        with _told():
            return super().__next__()


class _Connection(sqlite3.Connection):
    def execute(self, *asked: Any) -> _Cursor:
        return self.cursor(_Cursor).execute(*asked)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_DAMAGED:
            raise
        raise damaged(error) from None


def damaged(error: object) -> NotACrawl:
    """Return the sentence about a database that cannot be read."""
    return NotACrawl(
        f"The database of the crawl is damaged ({error}). Put it back from a backup; "
        "the WARC files of the crawl are whole and can be read without it."
    )


def row_reader(read: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """Let a function that reads a row say that the row is damaged, if it is."""

    @wraps(read)
    def reader(*asked: Asked.args, **named: Asked.kwargs) -> Made:
        try:
            return read(*asked, **named)
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
            raise damaged(error) from None

    return reader
