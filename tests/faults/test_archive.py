"""What the wire brought is in the archive as it came, and readers that are not ours find it so."""

import gzip
import zlib

import brotli
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.faults.killing.evidence import (
    archives,
    captured_by_fastwarc,
    captured_by_warcio,
    is_clean,
    wrong_digests,
)
from tests.faults.server import Answer, FaultServer, page, raw
from thresher.build.pipeline import make_warcinfo
from thresher.build.webs import WebContext
from thresher.core.clock import SteadyClock
from thresher.core.enums import Outcome
from thresher.core.records import Topic, Visit
from thresher.export.archives import Warc
from thresher.export.items import pages_of
from thresher.fetch.live import LiveWeb
from thresher.settings.model import Settings, WebSettings
from thresher.store.folder import CrawlFolder

TEXT = b"".join(b"<p>Line %d of a page that is packed and cut.</p>" % number for number in range(300))
OTHER = TEXT[::-1]
DAMAGED = gzip.compress(TEXT)[:-900] + bytes(900)


def chunks(body: bytes, *headers: bytes) -> Answer:
    """The body in chunks of a hundred bytes."""
    pieces = [body[start : start + 100] for start in range(0, len(body), 100)]
    head = b"\r\n".join((b"HTTP/1.1 200 OK", b"Transfer-Encoding: chunked", *headers)) + b"\r\n\r\n"
    return raw(
        head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n", close=False
    )


ANSWERS = {
    "/plain": page(TEXT),
    "/chunked": chunks(OTHER),
    "/chunked-again": chunks(OTHER),
    "/whole": page(OTHER),
    "/plain-in-chunks": chunks(TEXT),
    "/empty-chunked": chunks(b""),
    "/gzip": page(gzip.compress(TEXT, mtime=1), Content_Encoding="gzip"),
    "/gzip-chunked": chunks(gzip.compress(TEXT, mtime=2), b"Content-Encoding: gzip"),
    "/br": page(brotli.compress(TEXT), Content_Encoding="br"),
    "/br-chunked": chunks(brotli.compress(OTHER), b"Content-Encoding: br"),
    "/deflate-chunked": chunks(zlib.compress(TEXT), b"Content-Encoding: deflate"),
    "/folded": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    "/damaged": page(DAMAGED, Content_Encoding="gzip"),
    "/damaged-chunked": chunks(DAMAGED[:-1], b"Content-Encoding: gzip"),
    "/broken-off": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf a chunk"),
    "/line-feeds": raw(b"HTTP/1.1 200 OK\nContent-Length: 3\n\nxyz"),
    "/long-head": page(b"a long head", **{f"X_{number}": "v" * 200 for number in range(250)}),
    "/longer-head": page(b"a longer one", Link="l" * 60_000, Cookie="c" * 60_000),
    "/behind": page(b"the page behind"),
}
SEEN_BEFORE = ["/chunked-again", "/whole", "/plain-in-chunks"]


async def crawled(web: LiveWeb, server: FaultServer, folder: CrawlFolder) -> None:
    """Fetch every page and keep it, as a crawl does."""
    store = folder.create()
    settings = Settings(web=WebSettings(contact="https://example.org/bot"))
    store.facts.warcinfo = make_warcinfo(settings, WebContext(web, SteadyClock(), Topic("bees"), robots=True))
    store.commit()
    for path in server.answers:
        fetched = await web.get(server.candidate(path))
        store.add(Visit(fetched.candidate, Outcome.FETCHED, fetched.fetched_at, status=200, fetched=fetched))
    store.close()


@pytest.fixture
async def folder(live, tmp_path):
    async with FaultServer(ANSWERS) as server:
        folder = CrawlFolder(tmp_path / "crawl")
        await crawled(live(), server, folder)
    return folder


async def test_both_readers_find_every_page_and_every_digest_right(folder, tmp_path):
    with pages_of(folder) as pages:
        Warc().save(pages, tmp_path / "out.warc.gz")
    (archive,) = archives(folder.path)
    for path in (archive, tmp_path / "out.warc.gz"):
        assert is_clean(path)
        assert wrong_digests(path) == []
        for found in (captured_by_warcio(path), captured_by_fastwarc(path)):
            assert [f"/{url.split('/', 3)[3]}" for url in found] == list(ANSWERS)


def bodies(folder: CrawlFolder) -> dict[str, bytes]:
    """The bodies of all responses out of their chunks, as warcio finds them."""
    (archive,) = archives(folder.path)
    with archive.open("rb") as file:
        return {
            record.rec_headers.get_header("WARC-Target-URI").split("/", 3)[3]: record.content_stream().read()
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        }


async def test_another_reader_finds_the_pages_that_were_sent(folder):
    found = bodies(folder)
    assert found["plain"] == found["gzip"] == found["gzip-chunked"] == found["deflate-chunked"] == TEXT
    assert (found["chunked"], found["folded"], found["behind"]) == (OTHER, b"abc", b"the page behind")


async def test_the_same_payload_is_kept_once_whatever_its_framing(folder):
    assert set(ANSWERS) - {f"/{name}" for name in bodies(folder)} == set(SEEN_BEFORE)


async def test_a_head_that_others_cannot_read_is_cut_and_says_so(folder):
    (archive,) = archives(folder.path)
    notes = {}
    with archive.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "metadata":
                notes[record.rec_headers.get_header("WARC-Target-URI")] = record.raw_stream.read()
    cut = [url.split("/", 3)[3] for url, note in notes.items() if b"head-cut: " in note]
    assert cut == ["long-head", "longer-head"]


async def test_the_first_record_says_who_crawled_and_never_on_which_machine(folder, tmp_path):
    with pages_of(folder) as pages:
        Warc().save(pages, tmp_path / "out.warc.gz")
    for path in (*archives(folder.path), tmp_path / "out.warc.gz"):
        with path.open("rb") as file:
            first = next(iter(ArchiveIterator(file)))
            fields = dict(line.split(": ", 1) for line in first.raw_stream.read().decode().splitlines())
        assert first.rec_type == "warcinfo"
        assert fields["software"] == "thresher/0.1"
        assert fields["operator"] == "https://example.org/bot"
        assert fields["http-header-user-agent"].endswith("(+https://example.org/bot)")
        assert fields["robots"] == "obeyed, as RFC 9309 says"
        assert fields["isPartOf"] == "bees"
        assert not {"hostname", "ip"} & set(fields)
