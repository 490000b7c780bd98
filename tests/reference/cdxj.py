"""An index of any folder of archives, made of its records: what ours is held against."""

import json
from pathlib import Path

from thresher.core.files import atomic_write
from thresher.warc.cdxj import CdxLine, surt
from thresher.warc.record import ArchivedMessage, Record, digest, moment, parse_message
from thresher.warc.stream import Faults
from thresher_lab.archive_scan import archive_files, read_file


def capture(record: Record) -> CdxLine | None:
    """Return what an index says of a record, or None for kinds that are no captures."""
    if record.kind not in ("response", "revisit") or not record.uri:
        return None
    message = parse_message(record.block) or ArchivedMessage(0, body=record.block)
    mime = "warc/revisit" if record.kind == "revisit" else _mime(record, message)
    labelled = record.header("warc-payload-digest") or digest((record.block[len(message.head) :],))
    place = record.place
    return CdxLine(
        surt(record.uri),
        record.at,
        record.uri,
        mime,
        message.status,
        labelled,
        place.file,
        place.offset,
        place.length,
    )


def write_index(folder: Path, target: Path, faults: Faults | None = None) -> int:
    """Write the sorted index of every archive in a folder and return how many captures it lists."""
    records = (record for path in archive_files(folder) for record in read_file(path, faults))
    lines = sorted(f"{found.line()}\n".encode() for found in map(capture, records) if found)
    with atomic_write(target) as out:
        out.writelines(lines)
    return len(lines)


def parse_line(line: str) -> CdxLine:
    """Return the capture that a line tells of."""
    key, at, facts = line.rstrip("\n").split(" ", 2)
    told = json.loads(facts)
    return CdxLine(
        key=key,
        at=moment(at),
        url=told["url"],
        mime=told.get("mime", ""),
        status=int(told.get("status") or 0),
        digest=told.get("digest", ""),
        file=told["filename"],
        offset=int(told["offset"]),
        length=int(told.get("length") or 0),
    )


def _mime(record: Record, message: ArchivedMessage) -> str:
    said = message.header("content-type") or record.header("warc-identified-payload-type")
    return said.partition(";")[0].strip().lower()
