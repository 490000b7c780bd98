"""What the archive reader makes of files, whole and broken, ours and others'."""

import gzip
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from thresher.core.errors import NotAnArchive
from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.reader import WarcReader, read_at
from thresher.warc.record import chunked, joined, moment, parse_message
from thresher.warc.stream import Faults
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_scan import archive_files, read_file

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def record(kind="response", block=HEAD + b"hi", version="1.0", length=None, uri="http://example.org/"):
    size = len(block) if length is None else length
    head = f"WARC/{version}\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def read(data, **options):
    faults = Faults("test")
    return list(WarcReader(BytesIO(data), "test", faults, **options).records()), faults


def blocks(data):
    return [found.block for found in read(data)[0]]


def packed(*records):
    return b"".join(map(gzip.compress, records))


THREE = (record(block=b"one"), record(block=b"two"), record(block=b"three"))


@pytest.mark.parametrize("version", ["0.17", "0.18", "1.0", "1.1"])
def test_every_version_is_read(version):
    (found,), faults = read(record(version=version))
    assert (found.version, found.kind, found.uri) == (version, "response", "http://example.org/")
    assert not len(faults)


@pytest.mark.parametrize(
    "pack", [b"".join, lambda all: packed(*all), lambda all: gzip.compress(b"".join(all))]
)
def test_plain_packed_by_record_and_packed_whole_read_alike(pack):
    found, faults = read(pack(THREE))
    assert [one.block for one in found] == [b"one", b"two", b"three"]
    assert not len(faults)


def test_each_record_can_be_read_again_at_its_place():
    for data in (b"".join(THREE), packed(*THREE), gzip.compress(b"".join(THREE))):
        for one in read(data)[0]:
            again = read_at(BytesIO(data), "test", one.place.offset, one.skip)
            assert again is not None and again.block == one.block


def test_places_of_a_file_packed_by_record_cover_it():
    data = packed(*THREE)
    places = [one.place for one in read(data)[0]]
    assert [place.offset for place in places] == [0, places[0].length, places[0].length + places[1].length]
    assert places[2].offset + places[2].length == len(data)


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # theirs
def test_records_by_another_writer_are_read(tmp_path):
    path = tmp_path / "other.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number in range(3):
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    f"http://example.org/{number}",
                    "response",
                    BytesIO(b"body %d" % number),
                    http_headers=http,
                )
            )
    found = list(read_file(path))
    assert [one.uri for one in found] == [f"http://example.org/{number}" for number in range(3)]
    message = parse_message(found[2].block)
    assert message is not None and message.body == b"body 2"
    assert message.headers == (("content-type", "text/html"),)


def test_a_file_cut_anywhere_gives_every_whole_record(tmp_path):
    data = packed(*THREE)
    ends = [one.place.offset + one.place.length for one in read(data)[0]]
    for cut in range(len(data)):
        found, faults = read(data[:cut])
        whole = sum(end <= cut for end in ends)
        assert [one.block for one in found[:whole]] == [b"one", b"two", b"three"][:whole]
        assert all(one.fault == "cut" for one in found[whole:])
        assert len(faults) == (cut not in (0, *ends))


def test_a_plain_file_cut_in_a_block_gives_the_part_and_says_so():
    found, faults = read(b"".join(THREE)[:-7])
    assert [(one.block, one.fault) for one in found] == [(b"one", ""), (b"two", ""), (b"th", "cut")]
    assert faults.counts == {"cut": 1}


def test_a_broken_member_costs_one_record():
    first, second, third = (gzip.compress(one) for one in THREE)
    second = second[:30] + bytes(byte ^ 0xFF for byte in second[30:40]) + second[40:]
    found, faults = read(first + second + third)
    assert [one.block for one in found if not one.fault] == [b"one", b"three"]
    assert faults.counts["gzip"] == 1


def test_a_wrong_checksum_is_named_and_the_record_given():
    member = bytearray(gzip.compress(THREE[0]))
    member[-6] ^= 1
    found, _ = read(bytes(member) + gzip.compress(THREE[1]))
    assert [(one.block, one.fault) for one in found] == [(b"one", "gzip"), (b"two", "")]


def test_garbage_between_records_is_counted_and_passed_over():
    for data in (
        THREE[0] + b"The monkeys are coming!\r\n" + THREE[1],
        gzip.compress(THREE[0]) + b"\x00" * 512 + gzip.compress(THREE[1]),
    ):
        found, faults = read(data)
        assert [one.block for one in found] == [b"one", b"two"]
        assert faults.counts == {"garbage": 1}


@pytest.mark.parametrize("length", [2, 4, 20, 60, 10_000])
def test_a_wrong_length_costs_no_other_record(length):
    found, faults = read(THREE[0] + record(block=b"second", length=length) + THREE[2])
    assert [one.block for one in found] == [b"one", b"second", b"three"]
    assert [one.fault for one in found] == ["", "length", ""]
    assert faults.counts == {"length": 1}


@pytest.mark.parametrize("said", ["", "-1", "many", "²"])
def test_a_length_that_is_no_number_is_found_out_by_looking(said):
    broken = record(block=b"second").replace(b"Length: 6", f"Length: {said}".encode())
    assert blocks(THREE[0] + broken + THREE[2]) == [b"one", b"second", b"three"]


def test_a_record_spread_over_several_members_is_one_record():
    whole = record(block=HEAD + b"<p>hello")
    spread = gzip.compress(whole[:90]) + gzip.compress(whole[90:120]) + gzip.compress(whole[120:] + THREE[1])
    assert blocks(spread) == [HEAD + b"<p>hello", b"two"]


def test_headers_may_be_folded_repeated_and_in_any_case():
    data = (
        b"warc/1.0\r\nWARC-TYPE: \r\n RESPONSE\r\nwarc-target-uri: <http://example.org/>\r\n"
        b"WARC-Concurrent-To: <a>\r\nWARC-Concurrent-To: <b>\r\nno header\r\nContent-length: 2\r\n\r\nhi"
    )
    (found,), faults = read(data)
    assert (found.kind, found.uri, found.block) == ("response", "http://example.org/", b"hi")
    assert [value for name, value in found.headers if name == "warc-concurrent-to"] == ["<a>", "<b>"]
    assert faults.counts == {"header": 1}


def test_a_head_whose_lines_end_in_two_returns_is_read():
    whole = record()
    head, _, rest = whole.partition(b"\r\n\r\n")
    odd = head.replace(b"\r\n", b"\r\r\n") + b"\r\r\n\r\r\n" + rest
    assert blocks(odd + whole) == blocks(whole + whole)


def test_an_arc_file_reads_like_a_warc():
    data = (
        b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 76\n1 0 Archive\n"
        b"URL IP-address Archive-date Content-type Archive-length\n\n\n\n\n\n\n\n\n\n"
        b"http://example.org/a b 127.0.0.1 20080430204826 text/html 47\n" + HEAD + b"<p>\n"
        b"http://example.org/2 127.0.0.1 20080430204827 text/html 47\n" + HEAD + b"<p>\n"
    )
    found, faults = read(data)
    assert [one.kind for one in found] == ["warcinfo", "response", "response"]
    assert [one.uri for one in found[1:]] == ["http://example.org/a b", "http://example.org/2"]
    assert found[1].at == moment("2008-04-30T20:48:26Z")
    assert found[2].block == HEAD + b"<p>"
    assert not len(faults)


@pytest.mark.parametrize("magic", [b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd"])
def test_a_packing_we_do_not_read_is_named(magic):
    found, faults = read(magic + b"rest")
    assert not found and faults.counts == {"format": 1}


def test_a_block_larger_than_the_limit_is_given_in_part():
    found, faults = read(record(block=b"x" * 5_000_000) + THREE[0], largest=1_000_000)
    assert [len(one.block) for one in found] == [1_000_000, 3]
    assert faults.counts == {"large": 1}


def test_an_unknown_version_is_read_and_named():
    assert read(record(version="2.0"))[1].counts == {"version": 1}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 20), st.booleans())
def test_no_damage_makes_it_raise(junk, at, gone, pack):
    data = packed(*THREE) if pack else b"".join(THREE)
    found, _ = read(data[:at] + junk + data[at + gone :])
    assert all(one.place.offset <= len(data) + len(junk) for one in found)


def test_faults_are_told_in_one_line():
    assert str(read(record(block=b"second", length=2) + b"!!")[1]) == "1 of another length than they say"


def test_a_folder_is_searched_for_archives(tmp_path):
    for name in ("b.warc.gz", "a.warc", "c.arc.gz", "d.warc.gz.tail-7", "e.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in archive_files(tmp_path)] == ["a.warc", "b.warc.gz", "c.arc.gz"]


def test_a_folder_without_archives_is_said_plainly(tmp_path):
    with pytest.raises(NotAnArchive, match=r"Name a \.warc"):
        archive_files(tmp_path)


def test_our_own_files_read_without_faults(tmp_path):
    writer = WarcWriter(LocalVolume(tmp_path))
    writer.write(
        HttpExchange("http://example.org/", 1.5, HEAD, b"x", b"GET / HTTP/1.1\r\n\r\n", {"relevance": "1"})
    )
    writer.close()
    faults = Faults()
    assert [one.at for one in read_file((tmp_path / writer.name), faults)][1:] == [1.5, 1.5, 1.5]
    assert not len(faults)


CHUNKS = {
    "right": (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde", ""),
    "not chunked": (b"<html>", b"<html>", "not chunked, though the head says so"),
    "not chunked, but begins like it": (
        b"add me to this page",
        b"add me to this page",
        "not chunked, though",
    ),
    "a first line that is a number": (b"3\r\nabcdefgh", b"3\r\nabcdefgh", "not chunked, though"),
    "cut": (b"3\r\nabc\r\n5\r\nde", b"abcde", "the last chunk is missing"),
    "wrong in the middle": (b"3\r\nabc\r\n!!\r\nde", b"abc!!\r\nde", "the last chunk is missing"),
    "empty": (b"", b"", ""),
}


@pytest.mark.parametrize("body, expected, flaw", CHUNKS.values(), ids=CHUNKS)
def test_chunks_are_joined_as_far_as_they_go(body, expected, flaw):
    content, complaint = joined(body)
    assert content == expected and complaint.startswith(flaw)


def test_a_joined_body_is_put_back_into_the_chunk_its_head_promises():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert joined(chunked(head, b"hello")) == (b"hello", "")
    assert chunked(HEAD, b"hello") == b"hello"


def test_a_message_may_have_bare_line_feeds_and_folded_headers():
    message = parse_message(b"HTTP/1.0 301 Moved\nLocation: /a\n\tb\nX: \xff\n\nbody")
    assert message is not None
    assert (message.status, message.header("location"), message.body) == (301, "/a b", b"body")


def test_what_is_no_response_is_none():
    assert parse_message(b"<html>") is None


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("2020-01-02T03:04:05Z", 1577934245),
        ("2020-01-02T03:04:05.25Z", 1577934245.25),
        ("20200102030405", 1577934245),
        ("2020", 1577836800),
        ("2008-10-294T05:21:46-0700", 0),
        ("2020-13-02T03:04:05Z", 0),
        ("yesterday", 0),
        ("", 0),
    ],
)
def test_dates_of_every_precision_are_read_and_nonsense_is_zero(text, seconds):
    assert moment(text) == seconds
