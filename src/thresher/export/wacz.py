"""WACZ 1.1.1: archive, index and list of pages in one zip that replays in a browser."""

import hashlib
import struct
import tempfile
import time
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import isal.igzip as gzip
import msgspec

from thresher.export.format import FileFormat, Pages
from thresher.export.warc import index_of, write_records
from thresher.export.words import moment
from thresher.fetch.request_headers import VERSION

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

    def make(self, pages: Pages, path: Path) -> int:
        """Write the package and return how many responses it has."""
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
        """Begin with nothing."""
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
