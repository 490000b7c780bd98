"""Reads WARC 0.17 to 1.1 and ARC, packed or plain: what can be read is given, the rest counted and named."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from thresher.core.errors import NotAnArchive
from thresher.core.files import atomic_write
from thresher.core.records import Headers
from thresher.warc.record import HTTP_RESPONSE, Record, RecordLocation, moment, parse_message, parse_status
from thresher.warc.stream import Faults, Window, members

VERSIONS = frozenset({"0.17", "0.18", "1.0", "1.1"})
LARGEST = 256_000_000
_WARC_LINE_ENDS = (b"\r\n\r\n", b"\n\n")
_ARC_LINE_ENDS = (b"\n", b"\r\n")
SUFFIXES = (".warc.gz", ".warc", ".arc.gz", ".arc")


def read_file(path: Path, faults: Faults | None = None, largest: int = LARGEST) -> Iterator[Record]:
    """Yield the records of a file in order; what is wrong with it goes to `faults`."""
    faults = Faults() if faults is None else faults
    faults.file = path.name
    with path.open("rb") as file:
        yield from WarcReader(file, path.name, faults, largest).records()


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


def archive_files(paths: Path | list[Path]) -> list[Path]:
    """Return the archive files among some paths and inside the folders among them, by name."""
    found: list[Path] = []
    for path in [paths] if isinstance(paths, Path) else paths:
        inside = path.rglob("*") if path.is_dir() else [path]
        files = (file for file in inside if file.is_file())
        found += sorted(file for file in files if file == path or file.name.endswith(SUFFIXES))
    if not found:
        shown = ", ".join(map(str, [paths] if isinstance(paths, Path) else paths)) or "the given paths"
        raise NotAnArchive(
            f"No WARC or ARC file in {shown}. Name a .warc or .warc.gz file, or a folder of them."
        )
    return found


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


# Scans: one pass over an archive file that notes every answer to a request for a page


_FORMAT = "1"  # of the notes: change it with Sighting
_ENDS = 65_536
_LATENCY = re.compile(rb"^fetchTimeMs:[ \t]*(\d{1,9})", re.MULTILINE)


class AnswerLocation(msgspec.Struct, array_like=True):
    """One archived answer: where it lies, and what tells it from the others."""

    spelling: str  # the URL as the archive writes it
    offset: int
    skip: int
    status: int
    at: float
    id: str
    digest: str = ""
    location: str = ""
    fault: str = ""
    is_revisit: bool = False
    refers_to: str = ""  # the record, or the URL, that a revisit points back to
    refers_to_url: str = ""
    refers_to_at: float = 0.0
    latency: float = 0.0  # seconds the answer took, where the archive says so


class Scan(msgspec.Struct):
    """What one file holds, and what was wrong with it."""

    sightings: list[AnswerLocation]
    faults: dict[str, int]


def scan(path: Path, cache: Path | None = None) -> Scan:
    """Return the answers in a file, from the notes in the cache folder if it was scanned before."""
    if cache is None:
        return _scan(path)
    notes = cache / f"{path.name}-{_identity(path)}.scan"
    try:
        return msgspec.msgpack.decode(notes.read_bytes(), type=Scan)
    except (OSError, msgspec.DecodeError):
        found = _scan(path)
        _keep(found, notes)
        return found


def _scan(path: Path) -> Scan:
    faults = Faults()
    sightings: dict[str, AnswerLocation] = {}
    not_asked: set[str] = set()  # records that belong to something other than a GET
    pairs: dict[str, str] = {}
    for record in read_file(path, faults):
        if record.kind == "request" and not record.block.startswith(b"GET "):
            not_asked.update((record.id, record.header("warc-concurrent-to")))
        elif record.kind == "metadata":
            _note_latency(record, sightings)
        elif seen := _sighting(record):
            name = seen.id if seen.id and seen.id not in sightings else f"{seen.offset}+{seen.skip}"
            sightings[name] = seen
            pairs[name] = record.header("warc-concurrent-to")
    not_asked.discard("")
    kept = [seen for name, seen in sightings.items() if not {name, pairs[name]} & not_asked]
    return Scan(kept, dict(sorted(faults.counts.items())))


def _sighting(record: Record) -> AnswerLocation | None:
    uri = record.uri
    if record.kind not in ("response", "revisit", "resource") or uri[:4].lower() != "http":
        return None
    status = parse_status(record.block) or 200  # a page stored without its head is a page all the same
    if record.kind == "response" and (status == 304 or status < 200):
        return None
    seen = AnswerLocation(
        uri, record.place.offset, record.skip, status, record.at, record.id, fault=record.fault
    )
    seen.digest = record.header("warc-payload-digest")
    if 300 <= status < 400 and (message := parse_message(record.block)):
        seen.location = message.header("location")
    if record.kind == "revisit":
        seen.is_revisit = True
        seen.refers_to = record.header("warc-refers-to")
        seen.refers_to_url = record.header("warc-refers-to-target-uri")
        seen.refers_to_at = moment(record.header("warc-refers-to-date"))
    return seen


def _note_latency(record: Record, sightings: dict[str, AnswerLocation]) -> None:
    about = record.header("warc-concurrent-to") or record.header("warc-refers-to")
    found = _LATENCY.search(record.block)
    if found and about in sightings:
        sightings[about].latency = int(found[1]) / 1000


def _identity(path: Path) -> str:
    """Return a name for the content of a file: its size, its age and both its ends."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        hasher = hashlib.blake2b(f"{_FORMAT} {status.st_size} {status.st_mtime_ns}".encode(), digest_size=12)
        hasher.update(file.read(_ENDS))
        file.seek(max(0, status.st_size - _ENDS))
        hasher.update(file.read(_ENDS))
    return hasher.hexdigest()


def _keep(found: Scan, notes: Path) -> None:
    notes.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(notes) as file:
        file.write(msgspec.msgpack.encode(found))
