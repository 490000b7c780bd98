"""Appends records to numbered WARC files, one gzip member each, and knows how far a file is whole."""

import re
import time
import zlib
from collections.abc import Callable, Mapping, Sequence

from isal import igzip_lib, isal_zlib
from msgspec.structs import replace

from thresher.core.records import ArchivedExchange
from thresher.warc.capture import (
    HttpExchange,
    cut_facts,
    drafts,
    metadata,
    readable,
    request,
    response,
    warcinfo,
)
from thresher.warc.files import WARC, AppendOnly, LocalVolume, write_all
from thresher.warc.record import (
    RecordDraft,
    RecordLocation,
    chunked,
    digest,
    joined_as_promised,
    new_id,
    timestamp,
)

_NAME = re.compile(r"-\d{14}-(\d+)\.warc\.gz")


class WarcWriter:
    """A folder of WARC files that grows at one end.

    Appended records wait in memory until `flush`. What was flushed lies in the file up to `good`; when a
    write fails the writer says so ever after, and `volume.cut(writer.name, writer.good)` mends it.
    """

    def __init__(
        self,
        volume: LocalVolume,
        prefix: str = "thresher",
        *,
        roll_at: int = 1_000_000_000,
        level: int = 1,
        algorithm: str = "sha256",
        facts: Mapping[str, str] | None = None,
        resume: str = "",
        now: Callable[[], float] = time.time,
        make_id: Callable[[], str] = new_id,
        buffer: int = 4_000_000,
    ) -> None:
        """Store what to do; a file is opened by the first record, `resume` being the one to go on with."""
        self.name = resume
        self.good = (volume.size(resume) or 0) if resume else 0
        self._volume, self._prefix = volume, prefix
        self.facts = dict(facts or {})  # that open every file
        self._roll_at, self._level, self._algorithm, self._buffer = roll_at, level, algorithm, buffer
        self._now, self._make_id = now, make_id
        self._file: AppendOnly | None = None
        self._waiting: list[bytes] = []
        self._end = self._synced = self.good
        self._failure: OSError | None = None

    def write(self, exchange: HttpExchange) -> RecordLocation:
        """Append the records of an exchange and return the place of its response."""
        return self.append(*drafts(exchange, self._make_id, self._algorithm))

    def append(self, first: RecordDraft, *more: RecordDraft) -> RecordLocation:
        """Append records that belong together, in one file, and return the place of the first."""
        return self.append_packed([compressed(draft, self._level) for draft in (first, *more)])

    def append_packed(self, members: Sequence[bytes]) -> RecordLocation:
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
        if self._file is None and self.name:
            self._file = self._volume.append(self.name)
        if self._file is not None and self._end >= self._roll_at:
            self.flush(sync=True)  # a full file is never reopened
            self._file.close()
            self._file = None
            self.name = ""
        if not self.name:
            self._start_file()
        elif self._end == 0:
            self._introduce()

    def _start_file(self) -> None:
        now = self._now()
        self.name = f"{self._prefix}-{timestamp(now)}-{self._next_serial():05d}{WARC}"
        self.good = self._end = self._synced = 0
        self._file = self._volume.append(self.name)
        self._introduce()

    def _introduce(self) -> None:
        record = warcinfo(self._make_id(), self._now(), self.name, self.facts, self._algorithm)
        self._put(compressed(record, self._level))

    def _next_serial(self) -> int:
        """Count on from every name in the folder, those set aside included: no name is ever used twice."""
        serials = (
            int(found[1]) for name in self._volume.taken(self._prefix) if (found := _NAME.search(name))
        )
        return max(serials, default=-1) + 1

    def _put(self, packed: bytes) -> RecordLocation:
        self._waiting.append(packed)
        place = RecordLocation(self.name, self._end, len(packed))
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
            self.good = self._synced  # after a failed fsync the state of the disk is unknown
            raise
        self._synced = self.good


# Exchanges that a worker has packed: its gzip members are checked before they are appended


_GZIP = 31
_Damaged: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # its stub is wrong
_ID = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}>")
_MORE = 4096  # bytes that the head of a record may take beyond its block


class NotOurRecord(ValueError):
    """A member that is not what an honest worker makes of the exchange it tells of."""


def compressed(draft: RecordDraft, level: int = 1) -> bytes:
    """Return a record as one member of a file; what is packed already is only wrapped."""
    data = draft.encode()
    return zlib.compress(data, 0, _GZIP) if draft.is_dense else isal_zlib.compress(data, level, _GZIP)


def pack(exchange: HttpExchange) -> ArchivedExchange:
    """Return the response and the request of an exchange as finished members."""
    exchange, cut = readable(exchange)
    ids = (new_id(), new_id())
    drafts = [response(exchange, ids[0])]
    if exchange.request:
        drafts.append(request(exchange, ids[1], ids[0]))
    return ArchivedExchange(tuple(map(compressed, drafts)), ids[: len(drafts)], cut)


def with_facts(exchange: HttpExchange, packed: ArchivedExchange) -> list[bytes]:
    """Return the members of a finished exchange, and one with what we know of it beyond its bytes."""
    told = cut_facts(exchange, packed.cut)
    if not told.facts:
        return list(packed.members)
    return [*packed.members, compressed(metadata(told, new_id(), packed.ids[0]))]


def unpack(
    exchange: HttpExchange, packed: ArchivedExchange, head_size: int, most: int
) -> tuple[HttpExchange, bytes]:
    """Return a finished exchange with its bytes, and the body with its chunks joined, or raise NotOurRecord.

    Address, time and the like come with `exchange`; head, body and request are read off the members, which
    must then be, to the byte, the records that we would have made of them.
    """
    if not 0 < len(packed.ids) == len(packed.members) <= 2 or not all(map(_ID.fullmatch, packed.ids)):
        raise NotOurRecord("members without a name")
    record = _inflated(packed.members[0], most)
    block = _block(record)
    head, body = block[:head_size], block[head_size:]
    raw_body = joined_as_promised(head, body)
    if chunked(head, raw_body) != body:
        raise NotOurRecord("a body in other chunks than ours")
    whole = replace(exchange, head=head, body=body, payload_digest=digest((body,)))
    if response(whole, packed.ids[0]).encode() != record:
        raise NotOurRecord("a response that differs from its record")
    if len(packed.members) == 1:
        return whole, raw_body
    asked = _inflated(packed.members[1], most)
    whole = replace(whole, request=_block(asked))
    if request(whole, packed.ids[1], packed.ids[0]).encode() != asked:
        raise NotOurRecord("a request that differs from its record")
    return whole, raw_body


def _inflated(member: bytes, most: int) -> bytes:
    """Return the one record of a member; what does not end in time is none."""
    unpacker = isal_zlib.decompressobj(_GZIP)
    try:
        record = unpacker.decompress(member, most + _MORE)
    except _Damaged as error:
        raise NotOurRecord(f"a broken gzip member: {error}") from None
    if not unpacker.eof or unpacker.unused_data:
        raise NotOurRecord("a member that is not one whole record")
    return record


def _block(record: bytes) -> bytes:
    return record.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")
