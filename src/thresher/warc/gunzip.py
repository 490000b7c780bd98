"""The bytes of an archive file, unpacked piece by piece, with the place where each gzip member begins.

A plain file is one member. A member that breaks gives what it can; then the next one is looked for.
"""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from isal import igzip_lib

from thresher.warc.problems import Faults

GZIP = b"\x1f\x8b\x08"
_Damaged: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # its stub is wrong
_READ = 32_768  # measured: smaller reads cost calls, larger ones copies of what follows a member
_PIECE = 1 << 20  # no member gives more than this at once, however far it unfolds
_OTHER_PACKINGS = {
    b"\x04\x22\x4d\x18": "lz4",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
}


class Member(Protocol):
    """A stretch of an archive file that unpacks on its own; `length` is known once `ended`."""

    start: int
    length: int
    ended: bool
    packed: bool
    fault: str  # 'cut' or 'gzip' once it is known to be damaged

    def read(self) -> bytes:
        """Return the next piece of unpacked bytes, or nothing at the end."""


class PlainMember:
    """A file, or the rest of one, that is not packed."""

    packed = False
    fault = ""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self.start, self.length, self.ended = start, 0, False

    def read(self) -> bytes:
        """Return the next piece, or nothing at the end."""
        piece = self._file.read(4 * _READ)
        self.length += len(piece)
        self.ended = not piece
        return piece


class GzipMember:
    """One gzip member; what follows it in the bytes read so far is `rest`."""

    packed = True

    def __init__(self, file: BinaryIO, start: int, packed: bytes, faults: Faults) -> None:
        self._file, self._packed, self._faults = file, packed, faults
        self._unpacker = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP)
        self.start, self.length, self.ended, self.rest, self.fault = start, 0, False, b"", ""
        self._given = self._safe = 0

    def read(self) -> bytes:
        """Return the next piece; nothing at the end, or where the member is cut or broken."""
        while not self.ended:
            try:
                piece = self._unpacker.decompress(self._next_packed(), _PIECE)
            except _Damaged as error:
                return self._break(str(error))
            self._given += len(piece)
            if self._unpacker.eof:
                self._end()
            if piece:
                return piece
        return b""

    def _next_packed(self) -> bytes:
        if not self._unpacker.needs_input:
            return b""
        packed = self._packed or self._file.read(_READ)
        self._packed, self._safe = b"", self.length
        self.length += len(packed)
        if not packed:
            self._damage("cut", "the file ends inside a gzip member")
        return packed

    def _end(self) -> None:
        self.ended = True
        self.rest = self._unpacker.unused_data
        self.length -= len(self.rest)

    def _break(self, complaint: str) -> bytes:
        """Give what comes before the damage, by unpacking again, byte by byte where it must be."""
        self._damage("gzip", complaint)
        return b"".join(_salvage(self._file, self.start, self._safe, self._given))

    def _damage(self, kind: str, detail: str) -> None:
        self.ended, self.fault = True, kind
        self._faults.add(self.start, kind, detail)


def members(file: BinaryIO, faults: Faults, start: int = 0) -> Iterator[Member]:
    """Yield the members of a file from an offset on, whichever way it is packed."""
    file.seek(start)
    packed = file.read(_READ)
    packing = next((name for magic, name in _OTHER_PACKINGS.items() if packed.startswith(magic)), "")
    if packing:
        faults.add(
            start, "format", f"packed with {packing}, which is not read here: unpack it or pack it with gzip"
        )
    elif packed.startswith(GZIP):
        yield from _gzip_members(file, faults, start, packed)
    elif packed:
        file.seek(start)
        yield PlainMember(file, start)


def _gzip_members(file: BinaryIO, faults: Faults, start: int, packed: bytes) -> Iterator[GzipMember]:
    while packed:
        if packed.startswith(GZIP):
            member = GzipMember(file, start, packed, faults)
            yield member
            while member.read():  # whoever stopped early still wants the next one
                pass
            start, packed = member.start + member.length, member.rest
            if member.fault:
                start, packed = _next_member(file, member.start + 1)
        else:
            found, packed = _next_member(file, start)
            faults.add(start, "garbage", f"{found - start} bytes between gzip members")
            start = found
        if len(packed) < len(GZIP):
            packed += file.read(_READ)


def _next_member(file: BinaryIO, start: int) -> tuple[int, bytes]:
    """Return where the next gzip member with a record begins, and the bytes from there on."""
    file.seek(start)
    packed = file.read(_READ)
    while packed:
        found = packed.find(GZIP)
        if found >= 0:
            start, packed = start + found, packed[found:] + file.read(_READ)
            if _begins_a_record(packed):
                return start, packed
            start, packed = start + 1, packed[1:]
        else:
            start += max(0, len(packed) - 2)
            tail = packed[-2:]
            more = file.read(_READ)
            packed = tail + more if more else b""
    return file.tell(), b""


def _begins_a_record(packed: bytes) -> bool:
    try:
        opening = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP).decompress(packed[:4096], 64).lstrip()
    except _Damaged:
        return False
    return opening[:5].upper() == b"WARC/" or b"://" in opening


def _salvage(file: BinaryIO, start: int, safe: int, given: int) -> Iterator[bytes]:
    """Yield what a broken member holds past what was given; its first `safe` bytes are sound."""
    file.seek(start)
    unpacker = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP)
    try:
        while packed := file.read(min(safe, _READ) or 1):
            safe -= min(safe, len(packed))
            while packed or not unpacker.needs_input:
                piece = unpacker.decompress(packed, _PIECE)
                yield piece[given:]
                packed, given = b"", max(0, given - len(piece))
    except _Damaged:
        return
