"""What a crawl has acknowledged and archived, seen from outside: by SQLite, warcio and FastWARC."""

import json
import sqlite3
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker

BufferedReader.DECOMPRESSORS.pop("br", None)  # warcio 1.8 crashes with brotli 1.2, whatever the payload


class Acknowledged(NamedTuple):
    """One visit as it stands in the database."""

    number: int
    url: str
    outcome: str
    record: str


def acknowledged(folder: Path) -> list[Acknowledged]:
    """Return every visit that is committed, read by another process than the one that writes."""
    if not (folder / "crawl.db").exists():
        return []
    connection = sqlite3.connect(f"{(folder / 'crawl.db').as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT number, url, outcome, record FROM visit ORDER BY number").fetchall()
        return [Acknowledged(*row) for row in rows]
    except sqlite3.OperationalError:  # killed before there were tables
        return []
    finally:
        connection.close()


def archives(folder: Path) -> list[Path]:
    return sorted((folder / "warc").glob("*.warc.gz"))


def captured_by_warcio(path: Path) -> list[str]:
    """Return the URLs of the responses that warcio reads in a file, to its end or to where it is torn."""
    found: list[str] = []
    with path.open("rb") as file:
        try:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit"):
                    record.content_stream().read()
                    found.append(record.rec_headers.get_header("WARC-Target-URI"))
        except Exception:  # a torn tail, which is cut off when the crawl is opened next
            return found
    return found


def captured_by_fastwarc(path: Path) -> list[str]:
    """Return the same as FastWARC reads it."""
    found: list[str] = []
    with path.open("rb") as file:
        try:
            kinds = WarcRecordType.response | WarcRecordType.revisit
            for record in FastIterator(file, record_types=kinds):
                record.reader.read()
                found.append(record.headers["WARC-Target-URI"])
        except Exception:
            return found
    return found


def is_clean(path: Path) -> bool:
    """Tell whether `warcio check` finds nothing wrong with a file."""
    return Checker(SimpleNamespace(inputs=[str(path)], verbose=False)).process_all() == 0


def wrong_digests(path: Path) -> list[str]:
    """Return what FastWARC finds wrong with the digests of a file, by the address of the record."""
    wrong: list[str] = []
    with path.open("rb") as file:
        for record in FastIterator(file, parse_http=False, verify_digests=False):
            uri = record.headers.get("WARC-Target-URI", "")
            if not record.verify_block_digest(consume=False):
                wrong.append(f"block of {uri}")
            if "WARC-Payload-Digest" in record.headers and record.record_type == WarcRecordType.response:
                record.parse_http()
                if not record.verify_payload_digest(consume=True):
                    wrong.append(f"payload of {uri}")
    return wrong


def check_readable(folder: Path, visits: list[Acknowledged]) -> None:
    """See that both readers get at every acknowledged response, whatever the last moment left behind."""
    wanted = {visit.url for visit in visits if visit.record}
    for reader in (captured_by_warcio, captured_by_fastwarc):
        missing = wanted - {url for path in archives(folder) for url in reader(path)}
        assert not missing, f"{reader.__name__} does not find {len(missing)} acknowledged responses"


def check_clean(folder: Path, visits: list[Acknowledged]) -> None:
    """See that a recovered archive and its index hold each acknowledged response once, and nothing else."""
    wanted = Counter(visit.url for visit in visits if visit.record)
    for path in archives(folder):
        assert is_clean(path), path
    for reader in (captured_by_warcio, captured_by_fastwarc):
        found = Counter(url for path in archives(folder) for url in reader(path))
        assert found == wanted, f"{reader.__name__}: {found - wanted} too many, {wanted - found} missing"
    assert indexed(folder) == sorted(visit.record for visit in visits if visit.record)


def indexed(folder: Path) -> list[str]:
    """Return the places that the index lists, each checked to be in its order."""
    index = folder / "warc" / "index.cdxj"
    lines = index.read_text().splitlines() if index.exists() else []
    assert lines == sorted(lines)
    facts = [json.loads(line.split(" ", 2)[2]) for line in lines]
    return sorted(f"{each['filename']}#{each['offset']}" for each in facts)
