"""Archives: WARC with CDXJ, and WACZ."""

import hashlib
import struct
import tempfile
import time
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import isal.igzip as gzip
import isal.isal_zlib as zlib
import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import Outcome
from thresher.core.files import atomic_write
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.export.items import EVERYTHING, Counted, ExportFormat, FileFormat, Pages
from thresher.export.wording import moment
from thresher.fetch.request_headers import VERSION
from thresher.store.queries import ArchivedResponse
from thresher.warc.capture import warcinfo
from thresher.warc.cdxj import CdxLine, write_lines
from thresher.warc.record import new_id
from thresher.warc.verify import fault_of

# WARC with CDXJ: what was received, in one file that any replay tool opens


REVISIT = "warc/revisit"


class Warc(ExportFormat):
    """Requests and responses byte for byte in one file, the index beside it."""

    name = "warc"
    suffixes = (".warc.gz",)
    use = "WARC: requests and responses byte for byte. For web archives."
    noun = "response"
    beside = ", and their index beside it"

    @override
    def save(self, pages: Pages, target: Path) -> int:
        index = target.with_name(target.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")
        with atomic_write(target) as file:
            return index_of(write_records(pages, file, target.name), index)


def index_of(captures: Iterable[CdxLine], target: Path) -> int:
    """Write the index of captures as they come, and return how many there were."""
    counted = Counted(captures)
    write_lines((capture.line() for capture in counted), target)
    return counted.count


def write_records(pages: Pages, file: BinaryIO, name: str) -> Iterator[CdxLine]:
    """Write the records of a crawl and yield where each response lies in the new file."""
    folder, store = pages.folder, pages.store
    first = next(store.kept(), None)
    info = warcinfo(new_id(), first.capture.at if first else 0.0, name, store.facts.warcinfo)
    written = file.write(zlib.compress(info.encode(), 1, 31))
    for each in _chosen(pages):
        offset = each.capture.offset  # of the response; the request and the metadata follow it
        records = folder.volume.read(each.capture.file, offset, each.end - offset)
        if fault := fault_of(records, each.capture.digest):
            pages.damaged.append(f"{each.capture.url} ({fault})")
            continue
        yield replace(each.capture, file=name, offset=written)
        written += file.write(records)


def _chosen(pages: Pages) -> Iterator[ArchivedResponse]:
    """Yield the responses of the chosen pages, and those that hold the payload of one that refers to them."""
    if pages.selection == EVERYTHING:
        yield from pages.store.kept()
        return
    keys = {key_of(visit.candidate.url) for visit in pages.visits()}
    payloads = {each.capture.digest for each in _fetched(pages, keys) if each.capture.mime == REVISIT}
    for each in pages.store.kept():
        holds_payload = each.capture.mime != REVISIT and each.capture.digest in payloads
        if holds_payload or _is_of(each, keys):
            yield each


def _fetched(pages: Pages, keys: AbstractSet[int]) -> Iterator[ArchivedResponse]:
    return (each for each in pages.store.kept() if _is_of(each, keys))


def _is_of(each: ArchivedResponse, keys: AbstractSet[int]) -> bool:
    """Tell whether a response brought one of the pages."""
    return each.outcome is Outcome.FETCHED and key_of(Url(each.capture.url)) in keys


# WACZ 1.1.1: archive, index and list of pages in one zip that replays in a browser


ARCHIVE = "data.warc.gz"
BLOCK = 3_000  # lines of the index that are packed together
_PIECE = 1 << 20
_ALIGNED = struct.pack("<HHH", 0xD935, 2, 1)
"""An extra field that says nothing: players look for the one before a file only if its entry has one, too."""


class Wacz(FileFormat):
    """archive, indexes, pages and the package's own description, each with its SHA-256."""

    name = "wacz"
    suffixes = (".wacz",)
    use = "WACZ: the pages as they came, to be looked at again in replayweb.page."
    noun = "response"

    @override
    def make(self, pages: Pages, path: Path) -> int:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".wacz-") as place:
            parts = Path(place)
            with (parts / ARCHIVE).open("wb") as file:
                count = index_of(write_records(pages, file, ARCHIVE), parts / "index.cdxj")
            with ZipFile(path, "w", ZIP_STORED) as package:
                _fill(Package(package), pages, parts)
        return count


def _fill(package: "Package", pages: Pages, parts: Path) -> None:
    package.add(f"archive/{ARCHIVE}", _pieces(parts / ARCHIVE))
    summary = BytesIO()
    package.add("indexes/index.cdx.gz", _blocks(parts / "index.cdxj", summary))
    package.add("indexes/index.idx", iter([summary.getvalue()]))
    package.add("pages/pages.jsonl", _page_list(pages))
    package.finish(pages.store.facts.topic.name)


class Package:
    """A zip that is being filled, and what its description will say of it."""

    def __init__(self, archive: ZipFile) -> None:
        self._zip = archive
        self._resources: list[dict[str, object]] = []

    def add(self, name: str, pieces: Iterator[bytes]) -> None:
        """Put a file into the package, piece by piece."""
        sha, length = hashlib.sha256(), 0
        entry = ZipInfo(name, time.gmtime()[:6])
        entry.extra = _ALIGNED
        with self._zip.open(entry, "w", force_zip64=True) as file:
            for piece in pieces:
                length += _put(file, piece)
                sha.update(piece)
        hashed = f"sha256:{sha.hexdigest()}"
        self._resources.append(
            {"name": name.rpartition("/")[2], "path": name, "hash": hashed, "bytes": length}
        )

    def finish(self, title: str) -> None:
        """Describe what is in the package."""
        description = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "title": title,
            "software": f"thresher {VERSION}",
            "created": moment(time.time()),
            "resources": self._resources,
        }
        data = msgspec.json.format(msgspec.json.encode(description), indent=2)
        self._zip.writestr("datapackage.json", data)
        signed = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        self._zip.writestr("datapackage-digest.json", msgspec.json.encode(signed))


def _put(file: IO[bytes], piece: bytes) -> int:
    return file.write(piece)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _blocks(index: Path, summary: BytesIO) -> Iterator[bytes]:
    """Yield the index in packed blocks, and sum up where each begins."""
    summary.write(b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n')
    offset = 0
    with index.open("rb") as lines:
        while block := list(islice(lines, BLOCK)):
            packed = gzip.compress(b"".join(block), mtime=0)
            facts = {
                "offset": offset,
                "length": len(packed),
                "digest": f"sha256:{hashlib.sha256(packed).hexdigest()}",
            }
            facts["filename"] = "index.cdx.gz"
            key = b" ".join(block[0].split(b" ", 2)[:2])
            summary.write(key + b" " + msgspec.json.encode(facts) + b"\n")
            offset += len(packed)
            yield packed


def _page_list(pages: Pages) -> Iterator[bytes]:
    yield b'{"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": true}\n'
    for item in pages.items():
        page = {
            "id": item.digest or item.url,
            "url": item.url,
            "ts": item.fetched_at,
            "title": item.title,
            "text": item.main,
        }
        yield msgspec.json.encode(page) + b"\n"
