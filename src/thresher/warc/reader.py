"""Reads WARC 0.17 to 1.1 and ARC, packed or plain: what can be read is given, the rest counted and named."""

from collections.abc import Iterator
from typing import BinaryIO

from thresher.core.records import Headers
from thresher.warc.record import HTTP_RESPONSE, Record, RecordLocation
from thresher.warc.stream import Faults, Window, members

VERSIONS = frozenset({"0.17", "0.18", "1.0", "1.1"})
LARGEST = 256_000_000
_WARC_LINE_ENDS = (b"\r\n\r\n", b"\n\n")
_ARC_LINE_ENDS = (b"\n", b"\r\n")


def read_at(file: BinaryIO, name: str, offset: int, skip: int = 0) -> Record | None:
    """Return the record at a place in an open file, or None if there is none."""
    reader = WarcReader(file, name, Faults(name))
    return next((record for record in reader.records(offset) if record.skip >= skip), None)


def rendered_at(file: BinaryIO, name: str, offset: int) -> Record | None:
    """Return what a browser made of the response at a place in an open file, or None if nothing was."""
    for number, record in enumerate(WarcReader(file, name, Faults(name)).records(offset)):
        if record.kind == "resource":
            return record
        if number and record.kind not in ("request", "metadata"):  # of another response
            return None
    return None


class WarcReader:
    """One pass over the records of an open file."""

    def __init__(self, file: BinaryIO, name: str, faults: Faults, largest: int = LARGEST) -> None:
        self._file, self._name, self._faults, self._largest = file, name, faults, largest
        self._arc_version = 1

    def records(self, start: int = 0) -> Iterator[Record]:
        """Yield the records from an offset on."""
        window = Window(members(self._file, self._faults, start))
        while window.open_next():
            while window.skip_newlines():
                record = self._record(window)
                if record:
                    yield record
                else:
                    self._pass_over(window)

    def _record(self, window: Window) -> Record | None:
        """Return the record that begins here, or None if none does."""
        begin = window.tell()
        if not window.starts_warc():
            return self._arc_record(window, begin) if window.starts_arc() else None
        head = window.take_head()
        while head is None and window.join_next():
            head = window.take_head()
        if head is None:
            return None
        version, headers, broken = _parse_head(head)
        if broken or version not in VERSIONS:
            self._complain(window.start + begin, version, broken)
        named = dict(reversed(headers))  # the first of a name counts
        length = _number(named.get("content-length", ""))
        block, fault = self._block(window, length, window.start + begin, _WARC_LINE_ENDS)
        return self._finish(
            window, begin, (named.get("warc-type", "").lower(), headers, block, version, fault)
        )

    def _arc_record(self, window: Window, begin: int) -> Record:
        kind, headers, length = parse_arc_line(window.take_line(), self._arc_version)
        block, fault = self._block(window, length, window.start + begin, _ARC_LINE_ENDS)
        if kind == "warcinfo":
            self._arc_version = arc_version_of(block)
        return self._finish(window, begin, (kind, headers, block, "arc", fault))

    def _complain(self, offset: int, version: str, broken: int) -> None:
        if broken:
            self._faults.add(offset, "header", f"{broken} lines that are no header")
        if version not in VERSIONS:
            self._faults.add(offset, "version", f"WARC/{version}")

    def _finish(self, window: Window, begin: int, read: tuple[str, Headers, bytes, str, str]) -> Record:
        """Look whether another record follows, which says how many bytes of the file are this one's."""
        kind, headers, block, version, fault = read
        follows = window.skip_newlines()
        member = window.member
        if not member.packed:
            place, begin = RecordLocation(self._name, window.start + begin, window.tell() - begin), 0
        else:
            alone = begin == 0 and not follows and not window.joined
            place = RecordLocation(self._name, window.start, member.length if alone else 0)
        return Record(kind, headers, block, place, version, begin, fault or member.fault)

    def _block(
        self, window: Window, length: int | None, offset: int, line_ends: tuple[bytes, ...]
    ) -> tuple[bytes, str]:
        """Take a block and name what is wrong with it, if anything."""
        if length is None:
            self._faults.add(offset, "length", "none, or not a number")
            return _without_line_ends(window.take_to_next(self._largest)), "length"
        wanted = min(length, self._largest)
        block = window.take(wanted)
        while len(block) < wanted and window.join_next():
            block += window.take(wanted - len(block))
        if len(block) < wanted or (wanted == length and not window.ends_record(line_ends)):
            return self._mend(window, block, length, offset)
        if wanted == length:
            return block, ""
        window.drop(length - wanted)
        self._faults.add(offset, "large", f"{length} bytes, of which {wanted} are given")
        return block, "large"

    def _mend(self, window: Window, block: bytes, length: int, offset: int) -> tuple[bytes, str]:
        """Find where a block really ends that does not end where its header says."""
        window.put_back(block)
        taken = window.take_to_next(self._largest)
        if len(taken) < length and not window.see(1):
            if not window.member.fault:
                self._faults.add(offset, "cut", f"{len(taken)} of {length} bytes")
            return taken, "cut"
        block = _without_line_ends(taken)
        self._faults.add(offset, "length", f"says {length} bytes, has {len(block)}")
        return block, "length"

    def _pass_over(self, window: Window) -> None:
        """Go on to the next record and count what lay between."""
        begin = window.tell()
        kind = "header" if window.starts_warc() else "garbage"
        window.take_to_next(0)
        if not window.member.fault:  # counted already, and this is its rest
            self._faults.add(window.start + begin, kind, f"{window.tell() - begin} bytes passed over")


def _parse_head(head: bytes) -> tuple[str, Headers, int]:
    """Return the version, the headers, and how many lines were none."""
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    version, *lines = text.rstrip("\r\n").split("\n")
    headers: list[tuple[str, str]] = []
    broken = 0
    for line in lines:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:
            name, value = headers.pop()
            headers.append((name, f"{value} {line.strip()}".strip()))
        elif colon:
            headers.append((name.strip().lower(), value.strip()))
        else:
            broken += 1
    return version.strip()[5:], tuple(headers), broken


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _without_line_ends(block: bytes) -> bytes:
    """Take off the two line ends that follow a block."""
    for _ in range(2):
        block = block.removesuffix(b"\n").removesuffix(b"\r")
    return block


_FILE_HEADER = "filedesc://"


def parse_arc_line(line: bytes, version: int) -> tuple[str, Headers, int | None]:
    """Return the kind, the headers in WARC's words and the length that an ARC header line tells."""
    text = line.decode("utf-8", "replace").strip()
    words = text.rsplit(" ", 9 if version == 2 and text.count(" ") >= 9 else 4)
    url, address, date, mime = (words + [""] * 4)[:4]
    length = int(words[-1]) if words[-1].isascii() and words[-1].isdigit() else None
    if url.startswith(_FILE_HEADER):
        return "warcinfo", (("warc-filename", url.removeprefix(_FILE_HEADER)), ("warc-date", date)), length
    headers = (
        ("warc-target-uri", url),
        ("warc-ip-address", address),
        ("warc-date", date),
        ("warc-identified-payload-type", mime),
        ("content-type", HTTP_RESPONSE if url.lower().startswith("http") else mime),
    )
    return "response", headers, length


def arc_version_of(block: bytes) -> int:
    """Return the ARC version that the block of a file header declares."""
    return 2 if block.startswith(b"2 ") else 1
