"""The files under an archive: opened for appending, made durable, cut back to what is known to be whole."""

import os
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, BinaryIO, Protocol, cast

from typing_extensions import override

from thresher.core import files
from thresher.core.errors import ArchiveLost
from thresher.core.platform import open_file, sync_folder
from thresher.warc.reader import read_at
from thresher.warc.record import Record
from thresher.warc.stream import Faults, members

_COPY = 1 << 20


class AppendOnly(Protocol):
    """A file that grows at its end; a harness may put one in between that fails."""

    def write(self, data: bytes) -> int:
        """Append some of the bytes and return how many."""

    def sync(self) -> None:
        """Return when everything written so far has reached the disk."""

    def close(self) -> None:
        """Let go of the file."""


Opener = Callable[[Path], AppendOnly]


class DiskFile(AppendOnly):
    """A file on disk, created if need be; its name is made durable together with its first bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = not path.exists()
        self._descriptor = open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    @override
    def write(self, data: bytes) -> int:
        return os.write(self._descriptor, data)

    @override
    def sync(self) -> None:
        os.fsync(self._descriptor)
        if self._new:
            sync_folder(self._path.parent)
            self._new = False

    @override
    def close(self) -> None:
        os.close(self._descriptor)


def write_all(file: AppendOnly, data: bytes) -> None:
    """Append all of the bytes, however few the file takes at a time."""
    view = memoryview(data)
    while view:
        taken = file.write(bytes(view) if len(view) < len(data) else data)
        if taken <= 0:
            raise OSError(f"The disk took none of {len(view)} bytes.")
        view = view[taken:]


def cut(path: Path, offset: int, opener: Opener = DiskFile) -> Path | None:
    """Set aside what a file holds past an offset; return the file it went to, or None if there was nothing.

    Nothing is ever deleted, and a cut that is itself cut short can be made again.
    """
    size = path.stat().st_size if path.exists() else 0
    if size < offset:
        raise ArchiveLost(
            f"{path} ends at byte {size}, but the crawl knows of records up to {offset}: "
            "put the whole file back from a backup, or crawl again into a new folder."
        )
    if size == offset:
        return None
    aside = _set_aside(path, offset, opener)
    sync_folder(path.parent)
    return aside


def _set_aside(path: Path, offset: int, opener: Opener) -> Path:
    aside = _free_name(path, offset)
    if offset == 0:
        return path.rename(aside)
    if not aside.exists():
        unfinished = aside.with_name(f"{aside.name}.part")
        unfinished.unlink(missing_ok=True)
        with closing(opener(unfinished)) as file:
            for piece in _pieces(path, offset):
                write_all(file, piece)
            file.sync()
        unfinished.rename(aside)
    files.reached(files.IN_CUT)
    _truncate(path, offset)
    return aside


def _free_name(path: Path, offset: int) -> Path:
    """Return a free name, or that of a copy made by a cut that did not come to its end."""
    number = 1
    while True:
        name = path.with_name(f"{path.name}.tail-{offset}" + (f"-{number}" if number > 1 else ""))
        if not name.exists() or (offset > 0 and _same(_pieces(name, 0), _pieces(path, offset))):
            return name
        number += 1


def _same(one: Iterator[bytes], other: Iterator[bytes]) -> bool:
    return all(next(other, b"") == piece for piece in one) and not next(other, b"")


def _pieces(path: Path, offset: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(_COPY):
            yield piece


def _truncate(path: Path, offset: int) -> None:
    descriptor = open_file(path, os.O_WRONLY)
    try:
        os.ftruncate(descriptor, offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_MOST_OPEN = 64


class Volumes:
    """Opens files when they are asked for and keeps the latest open.

    A file packed as one whole cannot be entered in the middle: it is unpacked once, into a nameless file.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Path, BinaryIO] = OrderedDict()
        self._unpacked: dict[Path, tuple[IO[bytes], dict[int, int]]] = {}

    def read(self, path: Path, offset: int, skip: int = 0) -> Record | None:
        """Return the record at a place, or None if there is none."""
        if skip == 0 and path not in self._unpacked:
            return read_at(self._file(path), path.name, offset)
        file, starts = self._unpack(path)
        return read_at(cast(BinaryIO, file), path.name, starts[offset] + skip)

    def close(self) -> None:
        """Let go of every file."""
        for file in self._open.values():
            file.close()
        for unpacked, _ in self._unpacked.values():
            unpacked.close()
        self._open.clear()
        self._unpacked.clear()

    def _file(self, path: Path) -> BinaryIO:
        if path in self._open:
            self._open.move_to_end(path)
        else:
            self._open[path] = cast(BinaryIO, path.open("rb", buffering=0))
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        return self._open[path]

    def _unpack(self, path: Path) -> tuple[IO[bytes], dict[int, int]]:
        """Return the unpacked copy of a file, and where each of its members begins there."""
        if path not in self._unpacked:
            copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the volumes
            starts: dict[int, int] = {}
            for member in members(self._file(path), Faults()):
                starts[member.start] = copy.tell()
                while piece := member.read():
                    copy.write(piece)
            self._unpacked[path] = (copy, starts)
        return self._unpacked[path]
