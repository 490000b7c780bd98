"""A disk that fails is one sentence that says what to do, whoever noticed it first."""

import errno
import sqlite3
from pathlib import Path
from types import TracebackType

from thresher.core.errors import DiskFull, StoreFailed

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


class Named:
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
        rest = f"What was acknowledged is safe: {{}}, then 'thresher resume {self._folder}'."
        if code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) in NO_ROOM:
            return DiskFull(f"The disk of {self._folder} is full. {rest.format('make room')}")
        reason = getattr(error, "strerror", None) or error
        return StoreFailed(f"{self._folder} cannot be written ({reason}). {rest.format('see to the disk')}")
