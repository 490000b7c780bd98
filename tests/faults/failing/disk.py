"""The disk that fails: under the archive through its opener, under SQLite through a layer below its files."""

import ctypes
import errno
import os
import sqlite3
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, cast
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any

from thresher.warc.files import DiskFile

IOERR_WRITE, IOERR_FSYNC = sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC


class Fault(Enum):
    """What goes wrong, and for how long."""

    ERROR = "an I/O error, once"
    FULL = "no room, from then on"
    SHORT = "half a write, and then no room"


class Trigger:
    """Counts the writes and fsyncs, and says of each whether it fails."""

    def __init__(self, at: int, fault: Fault) -> None:
        self.at, self.fault = at, fault
        self.done, self.failed = 0, ""

    def pulled(self, operation: str) -> bool:
        """Count an operation and tell whether it fails; `failed` is the first that did."""
        self.done += 1
        self.failed = operation if self.is_first() else self.failed
        return self.is_first() or (0 < self.at < self.done and self.fault is not Fault.ERROR)

    def is_first(self) -> bool:
        return self.done == self.at


class FailingFile(DiskFile):
    """A file of the archive on the failing disk."""

    def __init__(self, path: Path, trigger: Trigger) -> None:
        super().__init__(path)
        self._trigger = trigger

    def write(self, data: bytes) -> int:
        if not self._trigger.pulled("write"):
            return super().write(data)
        if self._trigger.fault is Fault.SHORT and self._trigger.is_first() and len(data) > 1:
            return super().write(data[: len(data) // 2])
        raise self._error()

    def sync(self) -> None:
        if self._trigger.pulled("fsync"):
            raise self._error()
        super().sync()

    def _error(self) -> OSError:
        code = errno.EIO if self._trigger.fault is Fault.ERROR else errno.ENOSPC
        return OSError(code, os.strerror(code))


_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)
_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)  # SQLite keeps the path it gave us


class _Methods(Structure):
    """sqlite3_io_methods: what can be done with an open file."""

    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        *((f"other{number}", c_void_p) for number in range(13)),
    ]


class _System(Structure):
    """sqlite3_vfs: how files are opened."""

    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("following", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        *((f"other{number}", c_void_p) for number in range(15)),
    ]


class FailingSqlite:
    """While its context lasts, every file that SQLite opens in this process is on the failing disk."""

    def __init__(self, trigger: Trigger) -> None:
        self._trigger, self._library = trigger, library()
        self._library.sqlite3_vfs_find.restype = POINTER(_System)
        self._wrapped: dict[int, tuple[_Methods, Any, Any]] = {}  # by the address of the plain methods

    def __enter__(self) -> "FailingSqlite":
        self._plain = self._library.sqlite3_vfs_find(None)
        self._system = _System.from_buffer_copy(self._plain.contents)
        self._system.name = b"failing"
        self._open = _Open(self._opened(_Open(self._plain.contents.open)))  # kept, or it would be collected
        self._system.open = cast(self._open, c_void_p)
        self._library.sqlite3_vfs_register(ctypes.byref(self._system), 1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._system))
        self._library.sqlite3_vfs_register(self._plain, 1)

    def _opened(self, plain: Callable[..., int]) -> Callable[..., int]:
        """Return the opening of a file whose writes and fsyncs are ours afterwards."""

        def open_file(system: int, path: int, file: int, flags: int, out: int) -> int:
            code = plain(ctypes.addressof(self._plain.contents), path, file, flags, out)
            methods = cast(file, POINTER(c_void_p))
            if code == sqlite3.SQLITE_OK and methods[0]:
                methods[0] = ctypes.addressof(self._methods(methods[0]))
            return code

        return open_file

    def _methods(self, address: int) -> _Methods:
        if address not in self._wrapped:
            ours = _Methods.from_buffer_copy(_Methods.from_address(address))
            write, sync = _Write(self._written(_Write(ours.write))), _Sync(self._synced(_Sync(ours.sync)))
            ours.write, ours.sync = cast(write, c_void_p), cast(sync, c_void_p)
            self._wrapped[address] = ours, write, sync
        return self._wrapped[address][0]

    def _written(self, plain: Callable[..., int]) -> Callable[..., int]:
        def write(file: int, data: int, size: int, offset: int) -> int:
            if not self._trigger.pulled("write"):
                return plain(file, data, size, offset)
            if self._trigger.fault is Fault.SHORT and self._trigger.is_first():
                plain(file, data, size // 2, offset)
            return IOERR_WRITE if self._trigger.fault is Fault.ERROR else sqlite3.SQLITE_FULL

        return write

    def _synced(self, plain: Callable[..., int]) -> Callable[..., int]:
        return lambda file, flags: IOERR_FSYNC if self._trigger.pulled("fsync") else plain(file, flags)


def library() -> ctypes.CDLL:
    """Return the SQLite that this Python uses; it raises LookupError when it cannot be reached."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if "libsqlite3" in line:
            return ctypes.CDLL(line.split(maxsplit=5)[5])
    raise LookupError("SQLite is built into this Python, out of reach.")
