"""Prints what an archive costs, in microseconds of processor time a page, beside what others take."""

import asyncio
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from time import process_time

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.reference.cdxj import write_index
from thresher.core.records import Candidate
from thresher.warc.capture import HttpExchange
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_scan import read_file
from thresher_lab.archive_web import ArchiveWeb

PAGES = 2_000
ROUNDS = 3
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: example\r\n\r\n"
REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\nUser-Agent: thresher\r\n\r\n"


def bodies() -> list[bytes]:
    """Write pages of about 25 kB that pack about three to one, as real ones do."""
    random = Random(7)
    words = ["".join(random.choices("etaoinshrdlucmfw", k=random.randint(2, 9))) for _ in range(4_000)]
    return [f"<p>{' '.join(random.choices(words, k=3_800))}</p>".encode() for _ in range(PAGES)]


def microseconds(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Return the time a page of the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        before()
        started = process_time()
        work()
        best = min(best, process_time() - started)
    return best / PAGES * 1e6


def write_ours(folder: Path, pages: list[bytes]) -> None:
    writer = WarcWriter(folder)
    for number, body in enumerate(pages):
        facts = {"relevance": "0.5"}
        writer.write(HttpExchange(f"http://example.org/{number}", 1e9 + number, HEAD, body, REQUEST, facts))
        if number % 16 == 15:
            writer.flush()
    writer.close()


def write_theirs(path: Path, pages: list[bytes]) -> None:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, body in enumerate(pages):
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            uri = f"http://example.org/{number}"
            writer.write_record(writer.create_warc_record(uri, "response", BytesIO(body), http_headers=http))


def read_with_fastwarc(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.reader.read()) for record in FastIterator(file, parse_http=False))


def read_with_warcio(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.raw_stream.read()) for record in ArchiveIterator(file, no_record_parse=True))


async def get_all(web: ArchiveWeb) -> None:
    for url in web.index:
        await web.get(Candidate(url))


def clear(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def show(label: str, work: Callable[[], object], before: Callable[[], object] = lambda: None) -> None:
    print(f"{label:<42}{microseconds(work, before):8.1f}")


def main() -> None:
    pages = bodies()
    with tempfile.TemporaryDirectory() as temporary:
        folder, cache = Path(temporary) / "ours", Path(temporary) / "cache"
        folder.mkdir()
        theirs, index = Path(temporary) / "theirs.warc.gz", Path(temporary) / "index.cdxj"
        show("write response, request and metadata", lambda: write_ours(folder, pages), lambda: clear(folder))
        show("write the response, warcio", lambda: write_theirs(theirs, pages))
        (path,) = folder.iterdir()
        show("read", lambda: list(read_file(path)))
        show("read, fastwarc", lambda: read_with_fastwarc(path))
        show("read, warcio", lambda: read_with_warcio(path))
        show("list in CDXJ", lambda: write_index(folder, index))
        show("open as a web", lambda: ArchiveWeb(path))
        ArchiveWeb(path, cache=cache)
        show("open as a web, scanned before", lambda: ArchiveWeb(path, cache=cache))
        with ArchiveWeb(path) as web:
            show("get", lambda: asyncio.run(get_all(web)))


if __name__ == "__main__":
    main()
