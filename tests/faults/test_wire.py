"""Whatever a server sends, a request ends in exactly one response or one named error."""

import asyncio
import gzip
import zlib

import pytest

from tests.faults.conftest import HASTY
from tests.faults.server import Answer, FaultServer, Request, endless, in_turn, page, raw, reset, silence
from thresher.core import errors
from thresher.core.enums import Outcome

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(bytes(5_000_000))

ENDS = {
    "silence": (silence(), errors.TimedOut),
    "silence after the head": (silence(OK + b"Content-Length: 100\r\n\r\n"), errors.Stalled),
    "silence in the body": (silence(OK + b"Content-Length: 100\r\n\r\nhalf"), errors.Stalled),
    "a body drop by drop": (endless(OK + b"Content-Length: 9999\r\n\r\n", b".", 0.02), errors.TooSlow),
    "headers drop by drop": (endless(OK, b"X-Drop: 1\r\n", 0.02), errors.TooSlow),
    "a status line drop by drop": (endless(b"HTTP/1.1 200 ", b"O", 0.02), errors.TooSlow),
    "headers without end": (endless(OK, b"X-Flood: " + b"v" * 80 + b"\r\n"), errors.HeadersTooLarge),
    "one header without end": (endless(OK + b"X-Flood: ", b"v" * 8192), errors.HeadersTooLarge),
    "a status line without end": (endless(b"HTTP/1.1 200 ", b"O" * 8192), errors.HeadersTooLarge),
    "interim responses without end": (endless(b"", b"HTTP/1.1 103 Hints\r\n\r\n"), errors.HeadersTooLarge),
    "trailers without end": (
        endless(CHUNKED + b"0\r\n", b"X-T: " + b"v" * 80 + b"\r\n"),
        errors.HeadersTooLarge,
    ),
    "a bomb": (page(BOMB, Content_Encoding="gzip"), errors.DecompressionBomb),
    "a bomb in a bomb": (page(gzip.compress(BOMB), Content_Encoding="gzip, gzip"), errors.DecompressionBomb),
    "twenty codings": (page(b"", Content_Encoding=", ".join(["gzip"] * 20)), errors.BadResponse),
    "no HTTP": (raw(b"<html>no head at all</html>"), errors.BadResponse),
    "a bad chunk size": (raw(CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n"), errors.BadResponse),
    "a negative chunk size": (raw(CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"), errors.BadResponse),
    "two lengths": (raw(OK + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello"), errors.BadResponse),
    "a negative length": (raw(OK + b"Content-Length: -5\r\n\r\nhello"), errors.BadResponse),
    "a length of many digits": (
        raw(OK + b"Content-Length: " + b"9" * 26 + b"\r\n\r\nhello"),
        errors.BadResponse,
    ),
    "a switch of protocols": (raw(b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n"), errors.BadResponse),
    "not modified, unasked": (raw(b"HTTP/1.1 304 Not Modified\r\n\r\n"), errors.BadResponse),
    "a connection that resets": (reset, errors.HostUnreachable),
    "a head that breaks off": (raw(OK + b"Content-Ty"), errors.HostUnreachable),
}


@pytest.mark.parametrize("fault", ENDS)
async def test_a_fault_ends_in_its_named_error(live, fault):
    answer, expected = ENDS[fault]
    async with FaultServer({"/x": answer}) as server:
        with pytest.raises(errors.FetchError) as caught:
            await live(limits=HASTY).get(server.candidate("/x"))
    assert type(caught.value) is expected


KEPT = {
    "a body without end": (endless(OK + b"\r\n", b"z" * 4096), b"z" * 2_000_000, True),
    "chunks without end": (endless(CHUNKED, b"1000\r\n" + b"z" * 4096 + b"\r\n"), b"z" * 2_000_000, True),
    "a body that breaks off": (raw(OK + b"Content-Length: 100\r\n\r\nhalf"), b"half", True),
    "chunks that break off": (raw(CHUNKED + b"4\r\nhalf\r\n"), b"half", True),
    "more than was announced": (
        raw(OK + b"Content-Length: 4\r\n\r\nhalf and more", close=False),
        b"half",
        False,
    ),
    "rubbish behind the body": (
        raw(OK + b"Content-Length: 4\r\n\r\nhalf\0\0\0", close=False),
        b"half",
        False,
    ),
    "interim responses first": (
        raw(b"HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" * 3 + OK + b"Content-Length: 4\r\n\r\nhalf"),
        b"half",
        False,
    ),
    "no length at all": (raw(OK + b"\r\nhalf"), b"half", False),
    "a wrong checksum": (
        page(gzip.compress(b"half")[:-8] + bytes(8), Content_Encoding="gzip"),
        b"half",
        True,
    ),
    "gzip that breaks off": (page(gzip.compress(bytes(9))[:-6], Content_Encoding="gzip"), bytes(9), True),
    "gzip in two members": (
        page(gzip.compress(b"ha") + gzip.compress(b"lf"), Content_Encoding="gzip"),
        b"half",
        False,
    ),
    "gzip and then rubbish": (
        page(gzip.compress(b"half") + b"rubbish", Content_Encoding="GZip"),
        b"half",
        False,
    ),
    "no gzip at all": (page(b"half", Content_Encoding="gzip"), b"half", False),
    "an empty gzip": (page(b"", Content_Encoding="gzip"), b"", False),
    "deflate without its wrapper": (
        page(zlib.compress(b"half")[2:-4], Content_Encoding="deflate"),
        b"half",
        False,
    ),
    "an unknown coding": (page(b"half", Content_Encoding="x-banana"), b"half", False),
    "a part nobody asked for": (page(b"half", "206 Partial Content"), b"half", True),
}


@pytest.mark.parametrize("fault", KEPT)
async def test_what_can_be_kept_is_kept_and_flagged(live, fault):
    answer, body, flawed = KEPT[fault]
    async with FaultServer({"/x": answer}) as server:
        fetched = await live().get(server.candidate("/x"))
    assert (fetched.body, fetched.truncated, bool(fetched.body_error)) == (body, flawed, flawed)


async def test_the_wire_is_kept_beside_the_body(live):
    packed = gzip.compress(b"half")
    async with FaultServer({"/x": page(packed, Content_Encoding="gzip")}) as server:
        fetched = await live().get(server.candidate("/x"))
    assert (fetched.raw_body, fetched.body) == (packed, b"half")
    assert fetched.head.startswith(b"HTTP/1.1 200 OK\r\n") and b"Content-Encoding: gzip" in fetched.head
    assert fetched.request.startswith(b"GET /x HTTP/1.1\r\nHost: 127.77.0.1")


async def test_a_second_response_never_answers_the_next_request(live):
    poison = OK + b"Content-Length: 6\r\n\r\nPOISON"
    answers = {"/a": raw(OK + b"Content-Length: 1\r\n\r\na" + poison, close=False), "/b": page(b"b")}
    async with FaultServer(answers) as server:
        web = live()
        bodies = [(await web.get(server.candidate(path))).body for path in ("/a", "/b", "/a", "/b")]
    assert bodies == [b"a", b"b", b"a", b"b"]


async def test_a_connection_that_switched_protocols_carries_no_second_request(live):
    connections: dict[str, asyncio.StreamWriter] = {}

    def noting(answer: Answer) -> Answer:
        async def note(request: Request, writer: asyncio.StreamWriter) -> None:
            connections[request.target] = writer
            await answer(request, writer)

        return note

    switch = raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", close=False)
    async with FaultServer({"/up": noting(switch), "/": noting(page())}) as server:
        web = live()
        with pytest.raises(errors.BadResponse):
            await web.get(server.candidate("/up"))
        await web.get(server.candidate("/"))
    assert connections["/up"] is not connections["/"]


async def test_a_connection_that_died_in_the_pool_costs_one_retry(live):
    naps: list[float] = []

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    async with FaultServer({"/a": page(b"a"), "/b": in_turn(reset, page(b"b"))}) as server:
        web = live(sleep=sleep)
        await web.get(server.candidate("/a"))
        assert (await web.get(server.candidate("/b"))).body == b"b"
    assert server.asked() == ["/robots.txt", "/a", "/b", "/b"]
    assert 4.0 in naps  # never at once: the server may have seen the first request


async def test_the_outcomes_are_those_a_report_counts():
    assert {kind.outcome for _, kind in ENDS.values()} == {Outcome.FAILED, Outcome.REFUSED}
