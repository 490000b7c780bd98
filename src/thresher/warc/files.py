"""The files under an archive: read in ranges, appended to, cut back to what is known to be whole."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Protocol

from typing_extensions import override

from thresher.core import files
from thresher.core.errors import ArchiveLost, StoreFailed
from thresher.core.files import atomic_write, open_in_place, plain_file
from thresher.core.platform import open_file, sync_folder

log = logging.getLogger(__name__)

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


WARC = ".warc.gz"


class Volume:
    """A place for WARC files that are finished: listed, read in ranges, taken in and removed as a whole."""

    def names(self) -> list[str]:
        """Return the names of the files, in order."""
        raise NotImplementedError

    def size(self, name: str) -> int | None:
        """Return how long a file is, or None if it is not here."""
        raise NotImplementedError

    def open(self, name: str) -> BinaryIO:
        """Open a file to read any part of it; raise FileNotFoundError if it is not here."""
        raise NotImplementedError

    def put(self, file: Path) -> None:
        """Take in a finished file, whole or not at all."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Remove a file, if it is here."""
        raise NotImplementedError

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return a part of a file."""
        with self.open(name) as file:
            file.seek(offset)
            return file.read(length)


class LocalVolume(Volume):
    """The folder of a crawl's archive: the one volume that is appended to, and whose files are replaced."""

    def __init__(
        self,
        folder: Path,
        opener: Opener = DiskFile,
        elsewhere: Callable[[], Volume | None] = lambda: None,
    ) -> None:
        """Name the folder, and how to find the volume to which finished files move."""
        self.folder, self._opener, self._elsewhere = folder, opener, elsewhere

    @cached_property
    def elsewhere(self) -> Volume | None:
        """The volume to which finished files move, if there is one."""
        return self._elsewhere()

    def names_here(self) -> list[str]:
        """Return the names of the files in the folder itself."""
        return sorted(path.name for path in self.folder.glob(f"*{WARC}"))

    @override
    def names(self) -> list[str]:
        return sorted({*self.names_here(), *(self.elsewhere.names() if self.elsewhere else ())})

    @override
    def size(self, name: str) -> int | None:
        path = plain_file(self.folder, name)
        if path.is_file():
            return path.stat().st_size
        return self.elsewhere.size(name) if self.elsewhere else None

    @override
    def open(self, name: str) -> BinaryIO:
        path = plain_file(self.folder, name)
        if not path.exists() and self.elsewhere:
            return self.elsewhere.open(name)
        return open_in_place(path)

    @override
    def remove(self, name: str) -> None:
        plain_file(self.folder, name).unlink(missing_ok=True)
        if self.elsewhere:
            self.elsewhere.remove(name)

    def move(self, names: Iterable[str]) -> None:
        """Move finished files elsewhere, if there is such a place; what cannot go stays."""
        for name in names:
            try:
                if self.elsewhere is None:
                    return
                self.elsewhere.put(self.folder / name)
            except (StoreFailed, OSError) as error:
                log.warning("%s stays here until the next run: %s", name, error)
                return
            (self.folder / name).unlink()

    def taken(self, prefix: str) -> list[str]:
        """Return every name that begins so, those of what was set aside included."""
        return [*self.names(), *(path.name for path in self.folder.glob(f"{prefix}-*"))]

    def append(self, name: str) -> AppendOnly:
        """Open a file to write at its end; it is made, and the folder, if need be."""
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            sync_folder(self.folder.parent)
        return self._opener(self.folder / name)

    def cut(self, name: str, offset: int) -> Path | None:
        """Set aside what a file holds past an offset, as `cut` does."""
        if name not in self.names_here() and offset and self.size(name) == offset:
            return None  # it has moved
        return cut(plain_file(self.folder, name), offset, self._opener)

    def replace(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file that takes its name when it is complete and on the disk."""
        return atomic_write(plain_file(self.folder, name), durable=True)
