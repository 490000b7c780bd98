"""One response per request: whatever a server sends beyond it is dropped with the connection.

The parser behind refuses a whole packet when rubbish follows the body, takes a second response for the
answer to the next request, and reads interim responses for ever. So we look for the end of the first
response ourselves, as far as its head tells.
"""

import re
from functools import partial
from typing import Any, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage

MOST_INTERIM = 8  # 1xx responses before the real one
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"\s*HTTP/1\.[01] ([1-9][0-9]{2})[ \r\n]")
_LENGTH = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r?\n", re.IGNORECASE)
_CODED = re.compile(rb"\ntransfer-encoding[ \t]*:", re.IGNORECASE)


class Connector(aiohttp.TCPConnector):
    """A connector whose connections read one response per request."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = cast(partial[ResponseHandler], partial(OneResponse, loop=self._loop))


class OneResponse(ResponseHandler):
    """`_left` is how much of the body is still to come, None while nobody can tell."""

    def set_response_params(self, **params: Any) -> None:
        """Begin to read the response to a request."""
        self._head, self._final, self._interim = b"", False, 0
        self._left: int | None = None
        self._most_head = 2 * int(params.get("max_field_size", 8190)) + (64 << 10)
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Pass on what belongs to the response."""
        if data and self._answered():
            self._hang_up()
            return
        wanted = self._wanted(data)
        if len(wanted) < len(data):
            self.force_close()
        if wanted or not data:  # without data, the parser goes on after a pause
            super().data_received(wanted)

    def _answered(self) -> bool:
        ended = self._final and self._payload is not None and self._payload.is_eof()
        return self._left == 0 or ended

    def _hang_up(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.close()

    def _wanted(self, data: bytes) -> bytes:
        """Return the data up to the end of the response, as far as that is known."""
        start = 0
        while not self._final:
            end = _END_OF_HEAD.search(self._head + data[start:])
            if end is None:
                self._head += data[start:]
                self._check(len(self._head) > self._most_head, "The head is too long: Too many bytes")
                return data
            head, self._head, known = (self._head + data[start:])[: end.end()], b"", len(self._head)
            start += end.end() - known
            self._read_head(head)
        if self._left is None:
            return data
        body = min(len(data) - start, self._left)
        self._left -= body
        return data[: start + body]

    def _read_head(self, head: bytes) -> None:
        status = _STATUS.match(head)
        code = int(status[1]) if status else 0
        self._interim += 1
        self._final = not 100 <= code < 200 or code == 101
        self._check(self._interim > MOST_INTERIM, "Too many interim responses")
        lengths = _LENGTH.findall(head)
        if code in (204, 304):
            self._left = 0
        elif code >= 200 and len(lengths) == 1 and not _CODED.search(head):
            self._left = int(lengths[0])

    def _check(self, flood: bool, sentence: str) -> None:
        """Hang up on a head without end."""
        if flood:
            self._final = True
            self.set_exception(BadHttpMessage(sentence))
            self._hang_up()
