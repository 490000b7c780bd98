"""Appends records to numbered WARC files, one gzip member each, and knows how far the file is whole."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from thresher.core.platform import sync_folder
from thresher.warc.capture import Exchange, drafts, warcinfo
from thresher.warc.files import AppendOnly, DiskFile, Opener, write_all
from thresher.warc.packed import compressed
from thresher.warc.record import Draft, Place, new_id, timestamp

_NAME = re.compile(r"-\d{14}-(\d+)\.warc\.gz")


class WarcWriter:
    """A folder of WARC files that grows at one end.

    Appended records wait in memory until `flush`. What was flushed lies in the file up to `good`; when a
    write fails the writer says so ever after, and `cut(writer.path, writer.good)` makes the file whole again.
    """

    def __init__(
        self,
        folder: Path,
        prefix: str = "thresher",
        *,
        roll_at: int = 1_000_000_000,
        level: int = 1,
        algorithm: str = "sha256",
        facts: Mapping[str, str] | None = None,
        resume: Path | None = None,
        now: Callable[[], float] = time.time,
        make_id: Callable[[], str] = new_id,
        opener: Opener = DiskFile,
        buffer: int = 4_000_000,
    ) -> None:
        """Store what to do; a file is opened by the first record, `resume` being the one to go on with."""
        self.path: Path | None = resume
        self.good = resume.stat().st_size if resume else 0
        self._folder, self._prefix = folder, prefix
        self.facts = dict(facts or {})  # that open every file
        self._roll_at, self._level, self._algorithm, self._buffer = roll_at, level, algorithm, buffer
        self._now, self._make_id, self._opener = now, make_id, opener
        self._file: AppendOnly | None = None
        self._waiting: list[bytes] = []
        self._end = self._synced = self.good
        self._failure: OSError | None = None

    def write(self, exchange: Exchange) -> Place:
        """Append the records of an exchange and return the place of its response."""
        return self.append(*drafts(exchange, self._make_id, self._algorithm))

    def append(self, first: Draft, *more: Draft) -> Place:
        """Append records that belong together, in one file, and return the place of the first."""
        return self.append_packed([compressed(draft, self._level) for draft in (first, *more)])

    def append_packed(self, members: Sequence[bytes]) -> Place:
        """Append finished members that belong together, in one file, and return the place of the first."""
        if self._failure:
            raise self._failure
        self._make_room()
        first, *_ = [self._put(member) for member in members]
        if self._end - self.good > self._buffer:
            self.flush()
        return first

    def flush(self, *, sync: bool = False) -> None:
        """Hand everything appended to the system and, if asked, see it onto the disk."""
        if self._failure:
            raise self._failure
        if self._file is None:
            return
        try:
            self._write_out(self._file)
            if sync:
                self._sync(self._file)
        except OSError as failure:
            self._failure = failure
            raise

    def close(self) -> None:
        """Flush, unless a write has failed before, and let go of the file."""
        try:
            if not self._failure:
                self.flush()
        finally:
            if self._file:
                self._file.close()
            self._file = None

    def abandon(self) -> None:
        """Let go of the file without writing what waits in memory; nothing more can be appended."""
        self._waiting.clear()
        self._failure = self._failure or OSError("The archive was given up.")
        self.close()

    def _make_room(self) -> None:
        """See to it that a file is open and not full."""
        if self._file is None and self.path is not None:
            self._file = self._opener(self.path)
        if self._file is not None and self._end >= self._roll_at:
            self.flush(sync=True)  # nobody comes back to a full file
            self._file.close()
            self._file = None
            self.path = None
        if self.path is None:
            self._start_file()
        elif self._end == 0:
            self._introduce(self.path)

    def _start_file(self) -> None:
        if not self._folder.exists():
            self._folder.mkdir(parents=True)
            sync_folder(self._folder.parent)
        now = self._now()
        self.path = self._folder / f"{self._prefix}-{timestamp(now)}-{self._next_serial():05d}.warc.gz"
        self.good = self._end = self._synced = 0
        self._file = self._opener(self.path)
        self._introduce(self.path)

    def _introduce(self, path: Path) -> None:
        record = warcinfo(self._make_id(), self._now(), path.name, self.facts, self._algorithm)
        self._put(compressed(record, self._level))

    def _next_serial(self) -> int:
        """Count on from every name in the folder, those set aside included: no name is ever used twice."""
        names = (entry.name for entry in self._folder.iterdir() if entry.name.startswith(f"{self._prefix}-"))
        serials = (int(found[1]) for name in names if (found := _NAME.search(name)))
        return max(serials, default=-1) + 1

    def _put(self, packed: bytes) -> Place:
        self._waiting.append(packed)
        place = Place(self.path.name if self.path else "", self._end, len(packed))
        self._end += len(packed)
        return place

    def _write_out(self, file: AppendOnly) -> None:
        if self._waiting:
            write_all(file, b"".join(self._waiting))
            self._waiting.clear()
            self.good = self._end

    def _sync(self, file: AppendOnly) -> None:
        try:
            file.sync()
        except OSError:
            self.good = self._synced  # after a failed fsync nobody knows what the disk has
            raise
        self._synced = self.good
