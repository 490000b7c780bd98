"""The index by which any replay tool finds a page in our archives."""

from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.reference.cdxj import parse_line, write_index
from thresher.warc.capture import HttpExchange, Original
from thresher.warc.cdxj import surt, write_lines
from thresher.warc.files import LocalVolume
from thresher.warc.record import digest
from thresher.warc.writer import WarcWriter

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\n"
NOON = 1_577_934_245.0


@pytest.mark.parametrize(
    "url, key",
    [
        ("http://example.org/", "org,example)/"),
        ("https://www.Example.org", "org,example)/"),
        ("http://www2.a.example.org/Path/", "org,example,a)/path"),
        ("http://example.org:80/a?b=2&a=1#top", "org,example)/a?a=1&b=2"),
        ("http://example.org:8080/", "org,example:8080)/"),
        ("http://user:pass@example.org/", "org,example)/"),
        ("http://127.0.0.1/x", "127.0.0.1)/x"),
        ("http://[::1]:8000/x", "[::1]:8000)/x"),
        ("http://example.org/a b", "org,example)/a%20b"),
        ("dns:example.org", "dns:example.org"),
        ("http://example.org/?", "org,example)/"),
    ],
)
def test_the_key_turns_the_host_round_and_drops_what_says_nothing(url, key):
    assert surt(url) == key


def archive(folder, count=50, **options):
    writer = WarcWriter(LocalVolume(folder), now=lambda: NOON, **options)
    for number in range(count):
        uri = f"http://example.org/{number % 20}"
        original = Original(uri, NOON) if number >= 20 else None
        writer.write(
            HttpExchange(uri, NOON + number, HEAD, b"page", b"GET / HTTP/1.1\r\n\r\n", original=original)
        )
    writer.close()


def captures_of(url, index):
    """Return the captures of a URL as a replay tool finds them: the lines that begin with its key."""
    lines = index.read_text().splitlines()
    return [parse_line(line) for line in lines if line.startswith(f"{surt(url)} ")]


def test_every_response_and_revisit_is_listed_once_and_in_order(tmp_path):
    archive(tmp_path, roll_at=4_000)
    count = write_index(tmp_path, tmp_path / "index.cdxj")
    lines = (tmp_path / "index.cdxj").read_bytes().splitlines()
    assert count == len(lines) == 50
    assert lines == sorted(lines)
    captures = [parse_line(line.decode()) for line in lines]
    assert sum(capture.mime == "warc/revisit" for capture in captures) == 30
    assert len({capture.file for capture in captures}) > 1


def test_a_listed_place_is_where_the_record_is(tmp_path):
    archive(tmp_path)
    write_index(tmp_path, tmp_path / "index.cdxj")
    for line in (tmp_path / "index.cdxj").read_text().splitlines():
        capture = parse_line(line)
        packed = (tmp_path / capture.file).read_bytes()[capture.offset :][: capture.length]
        (record,) = ArchiveIterator(BytesIO(packed))
        assert record.rec_headers.get_header("WARC-Target-URI") == capture.url


def test_a_line_says_what_replay_tools_ask(tmp_path):
    archive(tmp_path, count=1)
    write_index(tmp_path, tmp_path / "index.cdxj")
    (capture,) = captures_of("https://www.example.org/0", tmp_path / "index.cdxj")
    assert (capture.mime, capture.status, capture.at) == ("text/html", 200, NOON)
    assert capture.digest == digest((b"page",))
    assert (tmp_path / "index.cdxj").read_text().startswith('org,example)/0 20200102030405 {"url": "http://')


def test_all_captures_of_a_page_are_found_oldest_first(tmp_path):
    archive(tmp_path)
    write_index(tmp_path, tmp_path / "index.cdxj")
    for number in range(20):
        found = captures_of(f"http://example.org/{number}", tmp_path / "index.cdxj")
        assert [capture.at for capture in found] == [NOON + number + 20 * turn for turn in range(len(found))]
        assert len(found) == (3 if number < 10 else 2)
    assert captures_of("http://example.org/20", tmp_path / "index.cdxj") == []


def test_new_lines_are_sorted_into_an_older_index_and_none_stands_there_twice(tmp_path):
    index = tmp_path / "index.cdxj"
    write_lines(["c 1 {}", "a 1 {}"], index)
    write_lines(["b 1 {}", "a 1 {}"], index, older=index)
    assert index.read_text() == "a 1 {}\nb 1 {}\nc 1 {}\n"
