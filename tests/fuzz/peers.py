"""One raw response as three clients read it: ours, h11 and aiohttp."""

import asyncio
import atexit
from typing import NamedTuple

import h11
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.http_parser import HttpResponseParser

from thresher.core.errors import FetchError
from thresher.fetch.limits import ResponseLimits
from thresher.fetch.response import ResponseParser

LIMITS = ResponseLimits()
MOST = 1 << 20


class Seen(NamedTuple):
    """What a client makes of a response; status 0: it refuses it."""

    status: int = 0
    body: bytes = b""  # out of its chunks, in its content coding
    whole: bool = False
    keeps: bool = False  # the connection, for the next request


REFUSED = Seen()


def ours(data: bytes, size: int = MOST) -> Seen:
    """Read it in pieces of a size, and then the end of the connection."""
    reply = ResponseParser(LIMITS, MOST)
    try:
        for start in range(0, len(data), size):
            if not reply.done:
                reply.feed(data[start : start + size])
            else:
                reply.reusable = False  # as a connection does that hears more
        reply.hang_up()
    except FetchError:
        return REFUSED
    assert reply.body is not None
    return Seen(reply.status, bytes(reply.body.raw_body), reply.ended, reply.ended and reply.reusable)


def by_h11(data: bytes) -> Seen:
    """Read it with h11, as the answer to a GET."""
    client = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    client.send(h11.EndOfMessage())
    status, body = 0, b""
    try:
        client.receive_data(data)
        while True:
            event = client.next_event()
            if event is h11.NEED_DATA:
                client.receive_data(b"")
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                keeps = client.their_state is h11.DONE and not client.trailing_data[0]
                return Seen(status, body, True, keeps)
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return Seen(status, body) if status else REFUSED
    except h11.RemoteProtocolError as error:
        ended = "without sending complete message body" in str(error) or "closed connection" in str(error)
        return Seen(status, body) if status and ended else REFUSED


LOOP = asyncio.new_event_loop()  # no cache: what clears caches would leave it open
atexit.register(LOOP.close)


def by_aiohttp(data: bytes) -> Seen:
    """Read it with the parser that aiohttp's client uses."""
    protocol = BaseProtocol(LOOP)
    parser = HttpResponseParser(
        protocol, LOOP, MOST, max_line_size=MOST, max_field_size=MOST, read_until_eof=True,
        auto_decompress=False,
    )  # fmt: skip
    try:
        messages, _, _ = parser.feed_data(data)
        parser.feed_eof()
    except HttpProcessingError:
        return REFUSED
    answers = [each for each in messages if each[0].code >= 200 or each[0].code == 101]
    if not answers:
        return REFUSED
    message, payload = answers[0]
    if payload.exception() is not None:
        return Seen(message.code)
    body = payload.read_nowait(-1)
    return Seen(message.code, body, payload.is_eof(), not message.should_close)


def disagreement(data: bytes, size: int) -> str:
    """Return what is wrong with our reading of a response, or nothing.

    Who reads a whole message must read one that another client reads, if any, whatever the packets; and a
    connection may only be kept where another client saw the message end in the same place. (aiohttp does not
    trim a tab behind a value, and so reads some messages unlike h11 and us.)
    """
    mine, peers = ours(data), {"h11": by_h11(data), "aiohttp": by_aiohttp(data)}
    if ours(data, size) != mine:
        return f"in packets of {size} bytes: {ours(data, size)}, whole: {mine}"
    whole = {name: theirs for name, theirs in peers.items() if theirs.whole and theirs.status}
    if mine.whole and whole and all(theirs[:2] != mine[:2] for theirs in whole.values()):
        return f"others: {whole}, ours: {mine}"
    if mine.keeps and all(theirs[:2] != mine[:2] for theirs in peers.values()):
        return f"only we keep the connection: {mine}, {peers}"
    return ""
