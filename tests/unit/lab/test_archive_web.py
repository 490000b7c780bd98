"""Archives as a web: what was recorded is answered, everything else is 404 and counted."""

import gzip
import random
import zlib
from io import BytesIO

import brotli
import pytest
from msgspec.structs import replace
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from thresher.core.clock import VirtualClock
from thresher.core.errors import InvalidUrl, NotAnArchive, RobotsForbidden
from thresher.core.records import Candidate, Fetched, Page, Url
from thresher.warc.capture import HttpExchange, Original, response
from thresher.warc.files import LocalVolume
from thresher.warc.record import RecordDraft, draft
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.parsed_cache import ParsedCache

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
HOME = "http://example.org/"
DAY = 86_400.0


def page(path="", body=b"<p>hello", head=HEAD, at=DAY, **fields):
    return HttpExchange(HOME + path, at, head, body, **fields)


def archive(folder, *exchanges, name="pages", **options):
    writer = WarcWriter(LocalVolume(folder), name, now=lambda: DAY, **options)
    for exchange in exchanges:
        if isinstance(exchange, RecordDraft):
            writer.append(exchange)
        else:
            writer.write(exchange)
    writer.close()
    return folder / writer.name


def redirect(path, location, at=DAY):
    return page(path, b"", f"HTTP/1.1 301 Moved\r\nLocation: {location}\r\n\r\n".encode(), at)


async def ask(web, path=""):
    return await web.get(Candidate(Url(HOME + path)))


async def answers(paths, *asked, **options):
    with ArchiveWeb(paths, **options) as web:
        return [await ask(web, path) for path in asked]


async def test_a_recorded_page_is_answered_as_it_was_received(tmp_path):
    archive(tmp_path, page("a", b"<p>bytes \xff"))
    (fetched,) = await answers(tmp_path, "a")
    assert (fetched.status, fetched.body, fetched.header("content-type")) == (
        200,
        b"<p>bytes \xff",
        "text/html",
    )
    assert (fetched.head, fetched.raw_body, fetched.fetched_at) == (HEAD, b"<p>bytes \xff", DAY)


async def test_a_url_outside_the_archive_is_404_and_counted(tmp_path):
    archive(tmp_path, page("a"))
    with ArchiveWeb(tmp_path) as web:
        assert [(await ask(web, path)).status for path in ("a", "b", "c")] == [200, 404, 404]
        assert (web.missing, web.hidden) == (2, 0)


async def test_a_hidden_url_is_404_and_counted_apart(tmp_path):
    archive(tmp_path, page("a"), page("b"))
    with ArchiveWeb(tmp_path, hide=["HTTP://example.org:80/a"]) as web:
        assert [(await ask(web, path)).status for path in ("a", "b")] == [404, 200]
        assert (web.missing, web.hidden) == (0, 1)
        assert [url for url, _ in web.pages()] == [HOME + "b"]


async def test_a_redirect_is_answered_with_its_location(tmp_path):
    archive(tmp_path, redirect("old", "/new"))
    (fetched,) = await answers(tmp_path, "old")
    assert (fetched.status, fetched.header("location")) == (301, "/new")


async def test_a_redirect_between_spellings_of_one_url_is_left_out(tmp_path):
    """http://example.org/%7Eann and /~ann are one URL to us: answering the redirect would never end."""
    archive(tmp_path, page("~ann", at=DAY), redirect("%7Eann", HOME + "~ann", at=2 * DAY))
    with ArchiveWeb(tmp_path) as web:
        assert (await ask(web, "~ann")).status == 200
        assert web.index.left_out == {"a redirect to itself": 1}


async def test_the_latest_capture_wins_in_whichever_file_it_lies(tmp_path):
    archive(tmp_path, page("a", b"new", at=3 * DAY), page("a", b"old", at=DAY), name="x")
    archive(tmp_path, page("a", b"between", at=2 * DAY), name="y")
    (fetched,) = await answers(tmp_path, "a")
    assert fetched.body == b"new"


async def test_by_time_the_last_capture_before_now_answers(tmp_path):
    archive(tmp_path, *(page("a", b"day %d" % day, at=day * DAY) for day in (2, 4)))
    clock = VirtualClock()
    with ArchiveWeb(tmp_path, clock=clock, by_time=True) as web:
        found = []
        for _ in range(6):
            found.append((await ask(web, "a")).body)
            await clock.sleep(DAY)
    assert found == [b"day 2"] * 4 + [b"day 4"] * 2


async def test_with_a_clock_a_page_is_fetched_now(tmp_path):
    archive(tmp_path, page("a"))
    (fetched,) = await answers(tmp_path, "a", clock=VirtualClock(7.0))
    assert fetched.fetched_at == 7.0


async def test_a_recorded_latency_passes_in_virtual_time(tmp_path):
    archive(tmp_path, page("a", facts={"fetchTimeMs": "250"}), page("b"))
    clock = VirtualClock()
    await answers(tmp_path, "a", "b", clock=clock)
    assert clock.now() == 0.25


@pytest.mark.parametrize("named", ["by record", "by address and date", "by digest"])
async def test_a_revisit_is_answered_with_the_body_of_its_original(tmp_path, named):
    original = Original(HOME + "a" if named == "by address and date" else "", DAY)
    if named == "by record":
        original = Original("", 0.0, "<urn:uuid:first>")
    head = HEAD.replace(b"\r\n\r\n", b"\r\nX-Again: yes\r\n\r\n")
    first = response(page("a", b"the body"), "<urn:uuid:first>")
    archive(tmp_path, first, name="y")
    archive(tmp_path, page("b", b"the body", head, at=2 * DAY, original=original), name="x")
    (fetched,) = await answers(tmp_path, "b")
    assert (fetched.body, fetched.header("x-again")) == (b"the body", "yes")


async def test_not_modified_is_answered_with_the_page_as_it_was(tmp_path):
    not_modified = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    later = page("a", b"", not_modified, at=2 * DAY, original=Original(HOME + "a", DAY))
    archive(tmp_path, page("a", b"as it was"), later)
    (fetched,) = await answers(tmp_path, "a")
    assert (fetched.status, fetched.body) == (200, b"as it was")


async def test_a_revisit_of_nothing_is_left_out(tmp_path):
    archive(tmp_path, page("a", original=Original(HOME + "gone", DAY)))
    with ArchiveWeb(tmp_path) as web:
        assert (await ask(web, "a")).status == 404
        assert web.index.left_out == {"a revisit of nothing archived": 1}


CODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "identity": bytes,
}


@pytest.mark.parametrize("coding", CODINGS)
async def test_a_coded_body_is_decoded_and_the_wire_kept(tmp_path, coding):
    raw_body = CODINGS[coding](b"<p>hello" * 100)
    head = HEAD.replace(b"\r\n\r\n", f"\r\nContent-Encoding: {coding}\r\n\r\n".encode())
    archive(tmp_path, page("a", raw_body, head))
    (fetched,) = await answers(tmp_path, "a")
    assert (fetched.body, fetched.raw_body, fetched.body_error) == (b"<p>hello" * 100, raw_body, "")


async def test_chunks_are_joined_before_the_body_is_decoded(tmp_path):
    packed = gzip.compress(b"<p>hello")
    raw_body = b"5\r\n" + packed[:5] + b"\r\n" + b"%x\r\n" % (len(packed) - 5) + packed[5:] + b"\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    archive(tmp_path, page("a", raw_body, head))
    (fetched,) = await answers(tmp_path, "a")
    assert fetched.body == b"<p>hello"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
async def test_a_body_that_was_stored_decoded_is_taken_as_it_is(tmp_path, coding):
    head = HEAD.replace(b"\r\n\r\n", f"\r\nContent-Encoding: {coding}\r\n\r\n".encode())
    archive(tmp_path, page("a", b"<p>plain text all the same", head))
    (fetched,) = await answers(tmp_path, "a")
    assert fetched.body == b"<p>plain text all the same"


async def test_a_body_past_the_cap_is_cut_and_says_so(tmp_path):
    archive(tmp_path, page("a", b"x" * 1000))
    (fetched,) = await answers(tmp_path, "a", max_bytes=10)
    assert (fetched.body, fetched.truncated) == (b"x" * 10, True)


async def test_what_was_cut_when_archived_is_cut_when_replayed(tmp_path):
    archive(tmp_path, page("a", truncated="length"))
    (fetched,) = await answers(tmp_path, "a")
    assert fetched.truncated


async def test_a_damaged_archive_answers_what_it_can(tmp_path):
    path = archive(tmp_path, page("a"), page("b", b"<p>" + random.Random(1).randbytes(1000)))
    path.write_bytes(path.read_bytes()[:-50])
    with ArchiveWeb(tmp_path) as web:
        whole, part = await ask(web, "a"), await ask(web, "b")
        assert (whole.truncated, part.truncated) == (False, True)
        assert part.body.startswith(b"<p>") and web.index.faults == {"cut": 1}


async def test_a_whole_capture_wins_over_a_later_damaged_one(tmp_path):
    path = archive(tmp_path, page("a", b"whole"), page("a", b"damaged", at=2 * DAY))
    path.write_bytes(path.read_bytes()[:-10])
    (fetched,) = await answers(tmp_path, "a")
    assert fetched.body == b"whole"


async def test_archived_robots_rules_are_obeyed(tmp_path):
    rules = page("robots.txt", b"User-agent: *\nDisallow: /private\nCrawl-delay: 5")
    archive(tmp_path, rules, page("private"), page("public"))
    with ArchiveWeb(tmp_path) as web:
        assert (await ask(web, "public")).retry_after == 5.0
        assert (await ask(web, "robots.txt")).body.startswith(b"User-agent")
        with pytest.raises(RobotsForbidden):
            await ask(web, "private")


async def test_an_answer_to_a_post_is_no_page(tmp_path):
    form = page("form", b"thanks", request=b"POST /form HTTP/1.1\r\n\r\na=1")
    archive(tmp_path, form, page("page", request=b"GET /page HTTP/1.1\r\n\r\n"))
    posted, asked = await answers(tmp_path, "form", "page")
    assert (posted.status, asked.status) == (404, 200)


async def test_a_page_stored_without_http_is_a_page(tmp_path):
    plain = draft("resource", "<urn:uuid:1>", DAY, [b"<p>"], "text/html", {"WARC-Target-URI": HOME + "a"})
    archive(tmp_path, plain)
    (fetched,) = await answers(tmp_path, "a")
    assert (fetched.status, fetched.body, fetched.header("content-type")) == (200, b"<p>", "text/html")


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # theirs
async def test_an_archive_by_another_writer_is_a_web(tmp_path):
    with (tmp_path / "theirs.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number in range(3):
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            body = BytesIO(b"page %d" % number)
            made = writer.create_warc_record(f"{HOME}{number}", "response", body, http_headers=http)
            writer.write_record(made)
    found = await answers(tmp_path / "theirs.warc.gz", "0", "1", "2")
    assert [fetched.body for fetched in found] == [b"page 0", b"page 1", b"page 2"]


@pytest.mark.parametrize("name", ["all.warc", "all.warc.gz"])
async def test_a_plain_file_and_one_packed_as_a_whole_are_webs_too(tmp_path, name):
    packed = archive(tmp_path / "from", *(page(str(number), b"page %d" % number) for number in range(9)))
    plain = gzip.decompress(packed.read_bytes())
    (tmp_path / name).write_bytes(gzip.compress(plain) if name.endswith("gz") else plain)
    found = await answers(tmp_path / name, *"836")
    assert [fetched.body for fetched in found] == [b"page 8", b"page 3", b"page 6"]


async def test_the_archives_own_spelling_is_kept(tmp_path):
    archive(tmp_path, HttpExchange("HTTP://Example.org:80/%7eann#top", DAY, HEAD, b""))
    with ArchiveWeb(tmp_path) as web:
        assert web.spelling(Url(HOME + "~ann")) == "HTTP://Example.org:80/%7eann#top"
        assert web.spelling(Url(HOME + "unknown")) == HOME + "unknown"


async def test_pages_come_in_the_order_of_the_files(tmp_path):
    archive(tmp_path, page("b"), redirect("c", "/b"), page("a"))
    with ArchiveWeb(tmp_path) as web:
        assert [(url, fetched.url) for url, fetched in web.pages()] == [(HOME + "b",) * 2, (HOME + "a",) * 2]


async def test_the_notes_of_a_scan_give_the_same_index(tmp_path):
    path = archive(tmp_path / "web", page("a", facts={"fetchTimeMs": "5"}), redirect("b", "/a"))
    path.write_bytes(path.read_bytes() + b"garbage")
    with ArchiveWeb(path) as bare, ArchiveWeb(path, cache=tmp_path / "cache") as scanned:
        notes = list((tmp_path / "cache").iterdir())
        with ArchiveWeb(path, cache=tmp_path / "cache") as noted:
            for web in (scanned, noted):
                assert [web.index.latest(url) for url in web.index] == [
                    bare.index.latest(url) for url in bare.index
                ]
                assert web.index.faults == bare.index.faults == {"garbage": 1}
    assert len(notes) == 1 and list((tmp_path / "web").iterdir()) == [path]


async def test_notes_that_are_out_of_date_or_broken_are_not_used(tmp_path):
    path = archive(tmp_path / "web", page("a"))
    await answers(path, "a", cache=tmp_path / "cache")
    for notes in (tmp_path / "cache").iterdir():
        notes.write_bytes(b"broken")
    assert (await answers(path, "a", cache=tmp_path / "cache"))[0].status == 200
    archive(tmp_path / "web", page("b"), resume=path.name)
    assert (await answers(path, "b", cache=tmp_path / "cache"))[0].status == 200


def test_a_path_without_archives_is_said_plainly(tmp_path):
    with pytest.raises(NotAnArchive, match="No WARC or ARC file in"):
        ArchiveWeb(tmp_path / "nowhere")


def test_a_hidden_url_must_be_a_url(tmp_path):
    archive(tmp_path, page("a"))
    with pytest.raises(InvalidUrl):
        ArchiveWeb(tmp_path, hide=["no url"])


def shout(fetched):
    return Page(fetched.url, title=fetched.body.decode().upper())


def test_a_page_is_parsed_once_for_all_runs(tmp_path):
    fetched = Fetched(Candidate(Url(HOME)), Url(HOME), 200, body=b"hello", fetched_at=1.0)
    for run in range(3):
        cache = ParsedCache(shout, "1", tmp_path / "parsed.db")
        assert cache(fetched).title == cache(fetched).title == "HELLO"
        assert (cache.hits, cache.misses) == ((1, 1) if run == 0 else (2, 0))
        cache.close()


@pytest.mark.parametrize(
    "changes",
    [{"body": b"x"}, {"url": Url(HOME + "a")}, {"headers": (("content-type", "x"),)}, {"status": 404}],
)
def test_whatever_a_parser_may_read_is_part_of_the_key(changes):
    plain = Fetched(Candidate(Url(HOME)), Url(HOME), 200, body=b"hello")
    cache = ParsedCache(shout, "1")
    cache(plain)
    cache(replace(plain, **changes))
    assert cache.misses == 2
    cache.close()


def test_another_version_of_the_parser_parses_again(tmp_path):
    fetched = Fetched(Candidate(Url(HOME)), Url(HOME), 200, body=b"hello")
    for version in ("1", "2"):
        cache = ParsedCache(shout, version, tmp_path / "parsed.db")
        cache(fetched)
        assert cache.misses == 1
        cache.close()


def test_a_parser_behind_the_cache_sees_no_time():
    cache = ParsedCache(lambda fetched: Page(fetched.url, title=str(fetched.fetched_at)), "1")
    assert cache(Fetched(Candidate(Url(HOME)), Url(HOME), 200, fetched_at=5.0)).title == "0.0"
    cache.close()


def test_a_damaged_cache_is_begun_again(tmp_path):
    (tmp_path / "parsed.db").write_bytes(b"this is no database" * 100)
    cache = ParsedCache(shout, "1", tmp_path / "parsed.db")
    assert cache(Fetched(Candidate(Url(HOME)), Url(HOME), 200, body=b"hello")).title == "HELLO"
    cache.close()
