"""Errors of SQLite and of the disk as one sentence each that says what to do."""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import msgspec
from typing_extensions import override

from thresher.core.errors import DiskFull, NotACrawl, StoreFailed

# A damaged database


NOT_DAMAGED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY})
"""What SQLite may say of a file that is whole."""

Asked = ParamSpec("Asked")
Made = TypeVar("Made")


def open_to_read(file: Path) -> sqlite3.Connection:
    """Open a database to read it, also while it is written, and where it cannot be written."""
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
    sqlite3.Connection.execute(connection, "PRAGMA trusted_schema = OFF")  # the file may come from elsewhere
    return connection


class _Cursor(sqlite3.Cursor):
    """Rows of a file that may turn out to be damaged at any of them."""

    @override
    def execute(self, *asked: Any) -> "_Cursor":
        with _told():
            super().execute(*asked)
        return self

    @override
    def fetchone(self) -> Any:
        with _told():
            return super().fetchone()

    @override
    def fetchall(self) -> list[Any]:
        with _told():
            return super().fetchall()

    @override
    def fetchmany(self, size: int | None = 1) -> list[Any]:
        with _told():
            return super().fetchmany(size or 1)

    def __next__(self) -> Any:
        with _told():
            return super().__next__()


class _Connection(sqlite3.Connection):
    @override
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
        "the WARC files can be read without it, and 'thresher check' says whether they are whole."
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


# A disk that fails


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
OF_THE_DISK = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    }
)
"""What SQLite may say through no fault of ours; anything else it says is our own mistake and stays one."""


class DiskErrorHandler:
    """A context in which a failure of the disk gets its name; it can be entered again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError | sqlite3.Error) and (named := self._name(error)):
            raise named from error

    def _name(self, error: OSError | sqlite3.Error) -> StoreFailed | None:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the plain code
        if isinstance(error, sqlite3.Error) and code not in OF_THE_DISK:
            return None
        rest = f"Everything saved so far is safe: {{}}, then 'thresher resume {self._folder}'."
        if code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) in NO_ROOM:
            return DiskFull(f"The disk of {self._folder} is full. {rest.format('make room')}")
        reason = getattr(error, "strerror", None) or error
        return StoreFailed(f"{self._folder} cannot be written ({reason}). {rest.format('see to the disk')}")
