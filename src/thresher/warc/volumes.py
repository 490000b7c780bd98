"""Archive files kept open, so that a record can be read at its place again and again."""

import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import IO, BinaryIO, cast

from thresher.warc.faults import Faults
from thresher.warc.reader import read_at
from thresher.warc.record import Record
from thresher.warc.unpack import members

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
