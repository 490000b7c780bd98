"""WARC with CDXJ: what the wire carried, out of a crawl into one file that any replay tool opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import isal.isal_zlib as zlib
from msgspec.structs import replace

from thresher.core.files import open_in_place, plain_file, whole_file
from thresher.core.records import Outcome
from thresher.store.folder import CrawlFolder
from thresher.store.read import Kept
from thresher.warc.capture import warcinfo
from thresher.warc.cdxj import Capture, write_lines
from thresher.warc.record import new_id

REVISIT = "warc/revisit"


def export_archive(folder: CrawlFolder, target: Path, only_relevant: bool = False) -> int:
    """Write the archive of a crawl as one file, its index beside it, and return how many responses it has.

    It may be running: whatever it has acknowledged when we come by is in the file, whole.
    """
    with whole_file(target) as file:
        captures = list(write(folder, file, target.name, only_relevant))
    name = target.name.removesuffix(".gz").removesuffix(".warc")
    write_lines((capture.line() for capture in captures), target.with_name(f"{name}.cdxj"))
    return len(captures)


def write(folder: CrawlFolder, file: BinaryIO, name: str, only_relevant: bool = False) -> Iterator[Capture]:
    """Write the records of a crawl and yield where each response lies in the new file."""
    store = folder.open()
    try:
        kept = list(store.kept())
        facts = store.facts
    finally:
        store.close()
    info = warcinfo(new_id(), kept[0].capture.at if kept else 0.0, name, facts.warcinfo)
    written = file.write(zlib.compress(info.encode(), 1, 31))
    for each in relevant(kept, facts.threshold) if only_relevant else kept:
        records = _bytes(plain_file(folder.archive, each.capture.file), each)
        yield replace(each.capture, file=name, offset=written)
        written += file.write(records)


def relevant(kept: list[Kept], threshold: float) -> list[Kept]:
    """Return the responses of relevant pages, and those that hold the payload of one that refers to them."""
    wanted = [each for each in kept if each.outcome is Outcome.FETCHED and each.relevance >= threshold]
    payloads = {each.capture.digest for each in wanted if each.capture.mime == REVISIT}
    numbers = {each.number for each in wanted}
    return [
        each
        for each in kept
        if each.number in numbers or (each.capture.mime != REVISIT and each.capture.digest in payloads)
    ]


def _bytes(path: Path, each: Kept) -> bytes:
    """Return the response with the request and the metadata that follow it, packed as they are."""
    with open_in_place(path) as file:
        file.seek(each.capture.offset)
        return file.read(each.end - each.capture.offset)
