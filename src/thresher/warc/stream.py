"""The unpacked bytes of archive files, and what is wrong with them."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from isal import igzip_lib
from msgspec import Struct

# Problems, counted by kind; the first ones are kept with their place


_MEANING = {
    "cut": "cut in the middle",
    "encoding": "with a payload that cannot be decoded",
    "format": "in a format not read here",
    "garbage": "stretches of bytes that are no record",
    "gzip": "gzip members that do not unpack",
    "header": "with a broken header",
    "large": "larger than the limit",
    "length": "of another length than they say",
    "version": "of an unknown version",
}


class Fault(Struct, frozen=True):
    """One thing wrong, and where."""

    file: str
    offset: int
    kind: str
    detail: str


class Faults:
    """The faults met while reading; the places of the first hundred are kept, all are counted."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.counts: Counter[str] = Counter()
        self.first: list[Fault] = []

    def add(self, offset: int, kind: str, detail: str) -> None:
        """Count a fault and keep its place if there is room."""
        self.counts[kind] += 1
        if len(self.first) < 100:
            self.first.append(Fault(self.file, offset, kind, detail))

    def __len__(self) -> int:
        return self.counts.total()

    def __str__(self) -> str:
        """Return one line: how many of each kind."""
        named = (f"{count} {_MEANING.get(kind, kind)}" for kind, count in sorted(self.counts.items()))
        return ", ".join(named) or "no faults"


# The bytes of an archive file, unpacked piece by piece, with the place where each gzip member begins.
#
# A plain file is one member. A member that breaks gives what it can; then the next one is looked for.


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


class ArchiveMember(Protocol):
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


def members(file: BinaryIO, faults: Faults, start: int = 0) -> Iterator[ArchiveMember]:
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
            while member.read():  # after an early stop the next one is still wanted
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


# A window on the unpacked bytes of one member: look ahead, take, put back


LARGEST_HEAD = 65_536
_NEWLINES = b"\r\n"
_OVERLAP = 8_192  # a first line is never longer: what is kept while looking for one across two pieces

RECORD_START = re.compile(
    rb"(?i:WARC)/\d+\.\d+[ \t]*\r{0,2}\n"  # WARC, any version
    rb"|filedesc://[^\n]{0,4096}\n"  # ARC, the head of the file
    rb"|[A-Za-z][A-Za-z0-9+.-]*:[^\n]{0,4096} [^ \n]+ \d{12,20} [^ \n]+ [^\n]{1,512}\n"  # ARC, a record
)
_BLANK_LINE = re.compile(rb"\n\r{0,2}\n")  # some writers end a line in CR CR LF
_NEXT_START = re.compile(rb"\n(?=" + RECORD_START.pattern + rb")")


class Window:
    """The bytes of a member from `at` on, in memory; `tell` counts from `start`, where the member begins."""

    def __init__(self, members: Iterator[ArchiveMember]) -> None:
        self._members = members
        self._peeked: tuple[ArchiveMember, bytes] | None = None
        self.member: ArchiveMember
        self.start, self.joined = 0, False
        self.data, self.at, self._base = b"", 0, 0

    def open_next(self) -> bool:
        """Go on to the next member and tell whether there was one."""
        following = self._peeked or next(((member, b"") for member in self._members), None)
        if following is None:
            return False
        self.member, self.data = following
        self._peeked, self.at, self._base = None, 0, 0
        self.start, self.joined = self.member.start, False
        return True

    def join_next(self) -> bool:
        """Take the next member as the rest of this one, unless it is damaged or a record begins there."""
        following = next(self._members, None) if not (self.member.fault or self._peeked) else None
        if following is None:
            return False
        piece = following.read()
        if piece[:5].upper() == b"WARC/":
            self._peeked = (following, piece)
            return False
        self.put_back(b"")
        self.member, self.data, self.joined = following, self.data + piece, True
        return True

    def tell(self) -> int:
        """Return how many unpacked bytes lie before this one."""
        return self._base + self.at

    def more(self) -> bool:
        """Bring in the next piece and tell whether there was one."""
        piece = self.member.read()
        self._base += self.at
        self.data = self.data[self.at :] + piece if self.at < len(self.data) else piece
        self.at = 0
        return bool(piece)

    def see(self, count: int) -> bytes:
        """Return the next bytes without moving, fewer only at the end."""
        while len(self.data) - self.at < count and self.more():
            pass
        return self.data[self.at : self.at + count]

    def skip_newlines(self) -> bool:
        """Move past line ends and tell whether anything follows."""
        while True:
            while self.at < len(self.data):
                if self.data[self.at] not in _NEWLINES:
                    return True
                self.at += 1
            if not self.more():
                return False

    def starts_warc(self) -> bool:
        """Tell whether it is a WARC record that begins right here."""
        return self.see(5).upper() == b"WARC/"

    def starts_arc(self) -> bool:
        """Tell whether it is an ARC record that begins right here."""
        return RECORD_START.match(self.see(_OVERLAP)) is not None

    def ends_record(self, line_ends: tuple[bytes, ...]) -> bool:
        """Tell whether a block may well end here: before its line ends, the end, or the next record."""
        if self.see(4).startswith(line_ends):
            return True
        rest = self.see(_OVERLAP).lstrip(b"\r\n")
        return not rest or RECORD_START.match(rest) is not None

    def take_head(self) -> bytes | None:
        """Take everything up to and with the first blank line; None, and nothing, if there is none near."""
        while True:
            limit = self.at + LARGEST_HEAD
            if blank := _BLANK_LINE.search(self.data, self.at, limit):
                head = self.data[self.at : blank.end()]
                self.at = blank.end()
                return head
            if len(self.data) > limit or not self.more():
                return None

    def take_line(self) -> bytes:
        """Take one line with its end, or what there is of it."""
        end = -1
        while (end := self.data.find(b"\n", self.at)) < 0 and len(self.data) - self.at < LARGEST_HEAD:
            if not self.more():
                break
        after = end + 1 if end >= 0 else len(self.data)
        line = self.data[self.at : after]
        self.at = after
        return line

    def take(self, count: int) -> bytes:
        """Take that many bytes, fewer only at the end."""
        taken = self.data[self.at : self.at + count]
        self.at += len(taken)
        if len(taken) == count:
            return taken
        pieces, missing = [taken], count - len(taken)
        while missing and self.more():
            piece = self.data[:missing]
            pieces.append(piece)
            self.at = len(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def drop(self, count: int) -> int:
        """Pass over that many bytes and return how many there were."""
        left = count
        while left and self.see(1):
            step = min(left, len(self.data) - self.at)
            self.at += step
            left -= step
        return count - left

    def put_back(self, taken: bytes) -> None:
        """Return bytes just taken to the front."""
        self.data = taken + self.data[self.at :]
        self._base += self.at - len(taken)
        self.at = 0

    def take_to_next(self, largest: int) -> bytes:
        """Take everything before the next record, or to the end; what exceeds the limit is passed over."""
        pieces: list[bytes] = []
        kept = 0
        while True:
            found = _NEXT_START.search(self.data, self.at)
            safe = found.end() if found else max(self.at, len(self.data) - _OVERLAP)
            piece = self.data[self.at : safe][: max(0, largest - kept)]
            pieces.append(piece)
            kept += len(piece)
            self.at = safe
            if found:
                return b"".join(pieces)
            if not self.more():
                pieces.append(self.data[self.at :][: max(0, largest - kept)])
                self.at = len(self.data)
                return b"".join(pieces)
