"""Scans of archives: one pass over a file that notes every answer to a request for a page."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from thresher.core.errors import NotAnArchive
from thresher.core.files import atomic_write
from thresher.warc.reader import LARGEST, WarcReader
from thresher.warc.record import Record, moment, parse_message, parse_status
from thresher.warc.stream import Faults

SUFFIXES = (".warc.gz", ".warc", ".arc.gz", ".arc")
_FORMAT = "1"  # of the notes: change it with Sighting
_ENDS = 65_536
_LATENCY = re.compile(rb"^fetchTimeMs:[ \t]*(\d{1,9})", re.MULTILINE)


def read_file(path: Path, faults: Faults | None = None, largest: int = LARGEST) -> Iterator[Record]:
    """Yield the records of a file in order; what is wrong with it goes to `faults`."""
    faults = Faults() if faults is None else faults
    faults.file = path.name
    with path.open("rb") as file:
        yield from WarcReader(file, path.name, faults, largest).records()


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
