"""Looks at everything that a crawl folder keeps, and says what is not as it was written."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from thresher.core.errors import NotACrawl
from thresher.core.files import atomic_write
from thresher.store import fixity
from thresher.store.archive import INDEX
from thresher.store.errors import open_to_read
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader
from thresher.warc.reader import WarcReader
from thresher.warc.record import Record
from thresher.warc.stream import Faults
from thresher.warc.verify import is_whole

MANIFEST = "manifest-sha256.txt"
NO_PART = ("crawl.lock", "now.json", MANIFEST)  # of what a crawl has found
_PIECE = 1 << 20

Step = Callable[[str], None]
"""Told what is looked at next."""


class Finding(Struct, frozen=True):
    """One thing that is not as it was written: in which file, where, and what."""

    file: str
    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.what}"


def check(folder: CrawlFolder, step: Step = lambda name: None) -> Iterator[Finding]:
    """Yield all that is wrong with a crawl; what a run adds meanwhile is left alone."""
    folder.must_exist()
    step(folder.database.name)
    yield from _pages(folder.database)
    try:
        store = CrawlReader(open_to_read(folder.database))
    except NotACrawl as error:
        yield Finding(folder.database.name, "the file", str(error))
        return
    with store:
        store.hold()
        try:
            yield from _rows(store, folder.database.name)
            yield from _archive(store, folder, step)
        except NotACrawl as error:  # a table that cannot be read to its end
            yield Finding(folder.database.name, "a table", str(error))


def _pages(database: Path) -> Iterator[Finding]:
    """Say which stretches of the database are not as they were written."""
    damaged = fixity.damaged_pages(database)
    for _, run in groupby(enumerate(damaged), lambda pair: pair[1] - pair[0]):
        pages = [page for _, page in run]
        place = f"bytes {pages[0] * fixity.PAGE:,} to {(pages[-1] + 1) * fixity.PAGE - 1:,}"
        yield Finding(database.name, place, "not as it was written")


def _rows(store: CrawlReader, name: str) -> Iterator[Finding]:
    for sentence in store.integrity():
        yield Finding(name, "its structure", sentence)


def _archive(store: CrawlReader, folder: CrawlFolder, step: Step) -> Iterator[Finding]:
    """Read every file of the archive once, and compare it with what the database knows of it."""
    known = store.archive_files()
    places = {(each.capture.file, each.capture.offset): each.capture.digest for each in store.kept()}
    for name, length in known.items():
        step(name)
        size = folder.volume.size(name)
        if size is None or size < length:
            yield Finding(
                name, f"byte {size or 0:,}", f"ends before byte {length:,}, up to which it was written"
            )
        if size is not None:
            yield from _file(folder, name, length, places)
    for file, offset in places:
        yield Finding(file, f"byte {offset:,}", "the response that the database knows of is not here")
    step(INDEX)
    yield from _index(store, folder)


def _file(
    folder: CrawlFolder, name: str, length: int, places: dict[tuple[str, int], str]
) -> Iterator[Finding]:
    """Read the records of a file, and cross out the responses that are as the database knows them."""
    faults = Faults(name)
    with folder.volume.open(name) as file:
        for record in WarcReader(file, name, faults).records():
            if record.place.offset >= length:
                break  # appended since
            wanted = places.pop((name, record.place.offset), "") if not record.skip else ""
            if what := _fault_of(record, wanted):
                yield Finding(name, f"byte {record.place.offset:,}", what)
    for fault in faults.first:
        if fault.offset < length:
            yield Finding(name, f"byte {fault.offset:,}", f"{fault.kind}: {fault.detail}")


def _fault_of(record: Record, payload: str) -> str:
    if not is_whole(record):
        return f"the {record.kind} record of {record.uri or 'the file'} is not as it was written"
    other = payload and record.header("warc-payload-digest") not in ("", payload)  # odd heads have none
    return f"the response of {record.uri} is another than the database knows" if other else ""


def _index(store: CrawlReader, folder: CrawlFolder) -> Iterator[Finding]:
    """Compare the index with the captures that it should list."""
    path, listed = folder.archive / INDEX, store.facts.indexed
    if not listed:
        return
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    wanted = {each.capture.line().strip() for each in store.kept() if each.number <= listed}
    found = {line.strip() for line in lines if not line.startswith("!")}
    if missing := wanted - found:
        yield Finding(INDEX, "its lines", f"{len(missing)} of {len(wanted)} captures are missing or changed")


def files_of(folder: CrawlFolder) -> list[Path]:
    """Return the files of a crawl, without what only says that it runs."""
    every = sorted(path for path in folder.path.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path in every if path.name not in NO_PART and not path.name.endswith(("-wal", "-shm"))]


def write_manifest(folder: CrawlFolder) -> int:
    """Write SHA-256 and name of every file of a crawl, as BagIt does; return how many there are."""
    paths = files_of(folder)
    with atomic_write(folder.path / MANIFEST) as file:
        for path in paths:
            file.write(f"{sha256_of(path)}  {path.relative_to(folder.path).as_posix()}\n".encode())
    return len(paths)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            hasher.update(piece)
    return hasher.hexdigest()
