"""One pass over an archive file that notes every answer to a request for a page, and keeps the notes."""

import hashlib
import os
import re
from pathlib import Path

import msgspec

from thresher.core.files import whole_file
from thresher.warc.http_message import parse_message, parse_status
from thresher.warc.problems import Faults
from thresher.warc.reader import read_file
from thresher.warc.record import Record, moment

_FORMAT = "1"  # of the notes: change it with Sighting
_ENDS = 65_536
_LATENCY = re.compile(rb"^fetchTimeMs:[ \t]*(\d{1,9})", re.MULTILINE)


class Sighting(msgspec.Struct, array_like=True):
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

    sightings: list[Sighting]
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
    sightings: dict[str, Sighting] = {}
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


def _sighting(record: Record) -> Sighting | None:
    uri = record.uri
    if record.kind not in ("response", "revisit", "resource") or uri[:4].lower() != "http":
        return None
    status = parse_status(record.block) or 200  # a page stored without its head is a page all the same
    if record.kind == "response" and (status == 304 or status < 200):
        return None
    seen = Sighting(uri, record.place.offset, record.skip, status, record.at, record.id, fault=record.fault)
    seen.digest = record.header("warc-payload-digest")
    if 300 <= status < 400 and (message := parse_message(record.block)):
        seen.location = message.header("location")
    if record.kind == "revisit":
        seen.is_revisit = True
        seen.refers_to = record.header("warc-refers-to")
        seen.refers_to_url = record.header("warc-refers-to-target-uri")
        seen.refers_to_at = moment(record.header("warc-refers-to-date"))
    return seen


def _note_latency(record: Record, sightings: dict[str, Sighting]) -> None:
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
    with whole_file(notes) as file:
        file.write(msgspec.msgpack.encode(found))
