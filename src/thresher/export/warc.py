"""WARC with CDXJ: what the wire carried, out of a crawl into one file that any replay tool opens."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import BinaryIO

import isal.isal_zlib as zlib
from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.files import open_in_place, plain_file, whole_file
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.export.format import Counted, Format, Pages
from thresher.export.select import EVERYTHING
from thresher.store.queries import Kept
from thresher.warc.capture import warcinfo
from thresher.warc.cdxj import Capture, write_lines
from thresher.warc.record import new_id

REVISIT = "warc/revisit"


class Warc(Format):
    """Requests and responses byte for byte in one file, the index beside it."""

    name = "warc"
    suffixes = (".warc.gz",)
    use = "WARC: requests and responses byte for byte. For web archives."
    noun = "response"
    beside = ", and their index beside it"

    def save(self, pages: Pages, target: Path) -> int:
        """Write the archive of the chosen pages and its index, and return how many responses it has."""
        index = target.with_name(target.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")
        with whole_file(target) as file:
            return index_of(write_records(pages, file, target.name), index)


def index_of(captures: Iterable[Capture], target: Path) -> int:
    """Write the index of captures as they come, and return how many there were."""
    counted = Counted(captures)
    write_lines((capture.line() for capture in counted), target)
    return counted.count


def write_records(pages: Pages, file: BinaryIO, name: str) -> Iterator[Capture]:
    """Write the records of a crawl and yield where each response lies in the new file."""
    folder, store = pages.folder, pages.store
    first = next(store.kept(), None)
    info = warcinfo(new_id(), first.capture.at if first else 0.0, name, store.facts.warcinfo)
    written = file.write(zlib.compress(info.encode(), 1, 31))
    for each in _chosen(pages):
        records = _bytes(plain_file(folder.archive, each.capture.file), each)
        yield replace(each.capture, file=name, offset=written)
        written += file.write(records)


def _chosen(pages: Pages) -> Iterator[Kept]:
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


def _fetched(pages: Pages, keys: AbstractSet[int]) -> Iterator[Kept]:
    return (each for each in pages.store.kept() if _is_of(each, keys))


def _is_of(each: Kept, keys: AbstractSet[int]) -> bool:
    """Tell whether a response brought one of the pages."""
    return each.outcome is Outcome.FETCHED and key_of(Url(each.capture.url)) in keys


def _bytes(path: Path, each: Kept) -> bytes:
    """Return the response with the request and the metadata that follow it, packed as they are."""
    with open_in_place(path) as file:
        file.seek(each.capture.offset)
        return file.read(each.end - each.capture.offset)
