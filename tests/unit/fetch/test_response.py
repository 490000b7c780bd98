"""A response is the same however its bytes are cut into packets."""

import gzip
import weakref

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stopwatch import MOMENT, cpu_seconds
from thresher.core.errors import BadResponse, FetchError, HeadersTooLarge, HostUnreachable
from thresher.fetch.connection import PACKET
from thresher.fetch.limits import ResponseLimits
from thresher.fetch.response import ResponseParser

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(b"hello")
RESPONSES = {
    "by length": (OK + b"Content-Length: 5\r\n\r\nhello", b"hello", True),
    "by chunks": (CHUNKED + b"2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n", b"hello", True),
    "to the end": (OK + b"\r\nhello", b"hello", False),
    "with line feeds only": (b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", b"hello", True),
    "after hints": (b"HTTP/1.1 103 Hints\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhello", b"hello", True),
    "packed": (
        OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(PACKED), PACKED),
        b"hello",
        True,
    ),
    "without a body": (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", b"", True),
    "of two lengths, without a body": (
        b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
        b"",
        False,
    ),
    "of an old server": (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello", False),
    "and then farewell": (OK + b"Connection: close\r\nContent-Length: 5\r\n\r\nhello", b"hello", False),
}


NO_BLANKS = [b"\v", b"\x1c", b"\x1f", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\x83"]
"""What Python trims off a text and HTTP does not: VT, FS, US, NEL, NBSP and an em space."""


def read(data: bytes, size: int) -> ResponseParser:
    reply = ResponseParser(ResponseLimits(), 1_000)
    for start in range(0, len(data), size):
        reply.feed(data[start : start + size])
    reply.hang_up()
    assert reply.body is not None
    reply.body.unpack()
    return reply


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_is_read_from_packets_of_any_size(name):
    data, body, reusable = RESPONSES[name]
    for size in range(1, len(data) + 1):
        reply = read(data, size)
        assert reply.body is not None
        assert (bytes(reply.body.data), reply.ended, reply.reusable) == (body, True, reusable)


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_that_breaks_off_anywhere_is_an_error_or_says_so(name):
    data, body, _ = RESPONSES[name]
    for end in range(len(data)):
        try:
            reply = read(data[:end], 7)
        except FetchError as error:
            assert type(error) is HostUnreachable
        else:
            assert reply.body is not None
            assert reply.broke_off or name == "to the end" or bytes(reply.body.data) == body


def test_what_follows_a_response_is_not_read_and_the_connection_not_used_again():
    reply = read(OK + b"Content-Length: 2\r\n\r\nhi" + OK + b"\r\nPOISON", 1_000)
    assert reply.body is not None
    assert (bytes(reply.body.data), reply.ended, reply.reusable) == (b"hi", True, False)


def test_a_body_is_read_up_to_its_limit():
    reply = read(OK + b"Content-Length: 5000\r\n\r\n" + bytes(5_000), 900)
    assert reply.body is not None
    assert (len(reply.body.data), reply.done, reply.ended, reply.broke_off) == (1_000, True, False, False)


def test_a_header_goes_on_in_the_next_line():
    reply = read(OK + b"Set-Cookie: a=1;\r\n  Path=/\r\nContent-Length: 0\r\n\r\n", 1_000)
    assert reply.headers == (("set-cookie", "a=1; Path=/"), ("content-length", "0"))


@pytest.mark.parametrize(
    "head",
    [
        b"X Y: 1",
        b"no colon",
        b"X: a\rb",
        b"X: a\0",
        b" X: 1",
        b"Content-Length: 1, 2",
        b"Content-Length: x",
        *(b"Transfer-Encoding: chunked" + blank for blank in NO_BLANKS),
        *(b"Content-Length: 5" + blank for blank in NO_BLANKS),
        b'ETag: "a\r\n b\rX-Injected: yes"',
        b'ETag: "a\r\n b\0"',
        b"Transfer-Encoding: chunked, gzip",
        b"Transfer-Encoding: chunked, chunked",
        b"Transfer-Encoding: banana, chunked",
    ],
)
def test_what_is_no_head_is_refused(head):
    with pytest.raises(BadResponse):
        read(OK + head + b"\r\n\r\nhello", 1_000)


def test_a_flood_is_refused_before_it_is_over():
    for flood in (b"X: " + b"v" * 70_000, b"X: 1\r\n" * 257, b"X: " + b"v" * 300_000):
        with pytest.raises(HeadersTooLarge):
            read(OK + flood + b"\r\n\r\n", 4_096)


def test_a_reply_is_gone_as_soon_as_nobody_holds_it():
    """One that refers to itself would keep its body until the collector comes."""
    reply = weakref.ref(read(RESPONSES["by chunks"][0], 7))
    assert reply() is None


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_control_gets_into_a_header(one, other):
    """A value that ends a line for somebody must not come back in a request of ours."""
    try:
        reply = read(OK + b"ETag: " + one + b"\r\n " + other + b"\r\nContent-Length: 0\r\n\r\n", 1_000)
    except FetchError:
        return
    assert not any(letter < " " and letter != "\t" for _, value in reply.headers for letter in value)


PACKED_TWICE = brotli.compress(PACKED)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
        b"Content-Encoding: identity\r\nContent-Encoding: gzip, br\r\n",
        b"Content-Encoding: gzip,br\r\n",
    ],
)
def test_content_codings_on_several_lines_are_one_list(head):
    reply = read(OK + head + b"\r\n" + PACKED_TWICE, 1_000)
    assert reply.body is not None
    assert (bytes(reply.body.data), reply.body.flaw) == (b"hello", "")


def test_a_transfer_coding_is_undone_like_a_content_coding():
    head = b"Content-Encoding: gzip\r\nTransfer-Encoding: br, chunked\r\n\r\n"
    reply = read(OK + head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED_TWICE), PACKED_TWICE), 1_000)
    assert reply.body is not None and bytes(reply.body.data) == b"hello"


def test_bytes_that_are_no_body_count_too():
    """Line ends before a head and words behind the size of a chunk: a limit of 8 MB is no promise of 480."""
    for begin, flood in ((b"", b"\r\n" * 32_768), (CHUNKED, b"1;" + b"e" * 60_000 + b"\r\nx\r\n")):
        reply, taken = ResponseParser(ResponseLimits(), 8 << 20), 0
        reply.feed(begin)
        with pytest.raises(HeadersTooLarge):
            while True:
                reply.feed(flood)
                taken += len(flood)
        assert taken < 16 << 20


@pytest.mark.parametrize("chunk", [b"1\r\nx\r\n", b"1\nx\n"])
def test_a_packet_of_the_smallest_chunks_takes_but_a_moment(chunk):
    reply = ResponseParser(ResponseLimits(), 8 << 20)
    reply.feed(CHUNKED)
    packet = chunk * (PACKET // len(chunk))
    assert cpu_seconds(lambda: reply.feed(packet)) < MOMENT
