"""One HTTP/1.1 response, read as its bytes come; what is no response is refused, and no socket is in sight.

head -> body by length, by chunks or up to the end of the connection -> done

What browsers do not read is not read here either: a header is a name, a colon and a value on a line. Every
byte counts, those between chunks and before the head as well.
"""

import re
import time
from enum import Enum
from functools import lru_cache

from thresher.core.compression import Body, is_coding
from thresher.core.errors import BadResponse, HeadersTooLarge, HostUnreachable
from thresher.core.records import Headers
from thresher.fetch.limits import ResponseLimits

MOST_INTERIM = 8  # 1xx responses before the real one
SMALL_HEAD = 64 << 10  # bytes of a head beside its two longest headers


class ChunkState(Enum):
    """What of a chunked body comes next."""

    SIZE = "the size of a chunk"
    CHUNK = "the chunk"
    GAP = "the end of its line"
    TRAILER = "a line behind the last chunk"


class ResponseParser:
    """A response under construction. `done`: nothing more is wanted; `ended`: it came whole.

    `broke_off`: the connection ended first; `reusable`: it may carry another request afterwards.
    """

    def __init__(self, limits: ResponseLimits, max_bytes: int = 0, *, is_tunnel: bool = False) -> None:
        """Take the limits; behind the answer to CONNECT comes no body, but the way to the host."""
        self.status, self.head, self.at = 0, b"", 0.0
        self.headers: Headers = ()
        self.body: Body | None = None
        self.done = self.ended = self.broke_off = self.reusable = False
        self._limits, self._max_bytes, self._is_tunnel = limits, max_bytes, is_tunnel
        self._held = b""  # the beginning of a head or of a line
        self._interim = self._trailers = 0
        self._unframed = 0  # bytes that are neither head nor body
        self._left = 0  # of the body or the chunk
        self._part = ChunkState.SIZE
        self._read = (
            ResponseParser._read_head
        )  # not bound: a reply that refers to itself waits for the collector

    def feed(self, data: bytes) -> None:
        """Take received bytes; raise FetchError at what cannot be a response."""
        while data and not self.done:
            data = self._read(self, data)
        if data:
            self.reusable = False  # whatever follows a response is dropped with its connection

    def hang_up(self, error: Exception | None = None) -> None:
        """Take note that nothing more will come; raise FetchError if there is no response yet."""
        if self.done:
            return
        self.done, self.reusable = True, False
        if self.body is None:
            raise HostUnreachable(f"The connection broke: {error or 'the server hung up'}")
        self.ended = error is None and self._read is ResponseParser._read_rest
        self.broke_off = not self.ended

    def header(self, name: str) -> str:
        """Return the first header of that (lower-case) name, or the empty string."""
        return next((value for key, value in self.headers if key == name), "")

    def _read_head(self, data: bytes) -> bytes:
        known = len(self._held)
        data = self._held + data if known else self._without_line_ends(data)
        if not _MAGIC.startswith(data[: len(_MAGIC)]):
            raise BadResponse(f"Not HTTP: it begins with {data[:20]!r}")
        end = _END_OF_HEAD.search(data, max(0, known - 3))
        if end is None:
            if len(data) > 2 * self._limits.max_header_bytes + SMALL_HEAD:
                raise HeadersTooLarge("The head is too long")
            self._held = data
            return b""
        self._held = b""
        self._take_head(data[: end.end()])
        return data[end.end() :]

    def _without_line_ends(self, data: bytes) -> bytes:
        """Drop what some servers send before a head, and count it."""
        begun = data.lstrip(b"\r\n")
        self._count_unframed(len(data) - len(begun))
        return begun

    def _count_unframed(self, size: int) -> None:
        self._unframed += size
        if self._unframed > self._max_bytes + 2 * self._limits.max_header_bytes:
            raise HeadersTooLarge("More bytes round the body than a body may have")

    def _take_head(self, head: bytes) -> None:
        status, *lines = head.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
        found = _STATUS.fullmatch(status)
        if found is None:
            raise BadResponse(f"Not HTTP: the status line is {status[:40]!r}")
        code = int(found[2])
        if 100 <= code < 200 and code != 101:
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise HeadersTooLarge("Too many interim responses")
            self._fields(lines)  # to refuse what is none
            return
        self.status, self.head, self.at = code, head, time.time()
        self.headers = self._fields(lines)
        self._find_body(keeps_alive=found[1] == b"1")

    def _fields(self, lines: list[bytes]) -> Headers:
        limits, fields = self._limits, list[tuple[str, str]]()
        if len(lines) > limits.max_headers or any(len(line) > limits.max_header_bytes for line in lines):
            raise HeadersTooLarge("The head is too long, or has too many headers")
        for line in lines:
            name, colon, value = line.partition(b":")
            if _UNSAFE.search(line):
                raise BadResponse(f"Not HTTP: a header is {line[:40]!r}")
            if fields and line[:1] in (b" ", b"\t"):  # a line that goes on with the one before
                fields[-1] = (fields[-1][0], f"{fields[-1][1]} {_text(line.strip(_BLANKS))}".strip(" \t"))
            elif colon:
                fields.append((_name(name), _text(value.strip(_BLANKS))))
            else:
                raise BadResponse(f"Not HTTP: a header is {line[:40]!r}")
        return tuple(fields)

    def _find_body(self, keeps_alive: bool) -> None:
        """Find out how the body is delimited."""
        lengths = self._all("content-length")
        named = self._all("transfer-encoding")
        codings = [word for word in named if word != "identity"]
        packings = [*self._all("content-encoding"), *codings[:-1]]
        self.body = Body(",".join(packings), self._max_bytes, self._limits.max_ratio)
        options = self._all("connection")
        self.reusable = "close" not in options if keeps_alive else "keep-alive" in options
        self.reusable &= named in ([], ["chunked"]) and not self._unframed  # others may see it end elsewhere
        if self._is_tunnel:
            self.reusable = 200 <= self.status < 300  # whatever else it says: from here on the host speaks
            self._end()
        elif self.status in (101, 204, 304):
            self.reusable &= self.status != 101  # from here on it speaks a language of its own
            self.reusable &= all(map(_LENGTH.fullmatch, lengths)) and len(set(lengths)) < 2
            self._end()
        elif codings:
            self._expect_chunks(codings)
            self.reusable &= not lengths
        elif lengths:
            self._expect(lengths)
        else:
            self._read, self.reusable = ResponseParser._read_rest, False

    def _all(self, name: str) -> list[str]:
        """Return the words of all headers of a name."""
        values = [value for key, value in self.headers if key == name]
        return [word.strip(" \t") for value in values for word in value.lower().split(",")]

    def _expect_chunks(self, codings: list[str]) -> None:
        """Refuse a body without a clear end: chunks on the inside, twice, or an unknown transfer coding."""
        if codings[-1] != "chunked" or not all(map(is_coding, codings[:-1])):
            raise BadResponse(f"Not HTTP: the transfer coding is {', '.join(codings)[:40]!r}")
        self._read = ResponseParser._read_chunks

    def _expect(self, lengths: list[str]) -> None:
        if len(set(lengths)) > 1 or not _LENGTH.fullmatch(lengths[0]):
            raise BadResponse(f"Not HTTP: the length is {', '.join(lengths)[:40]}")
        self._left, self._read = int(lengths[0]), ResponseParser._read_length
        if not self._left:
            self._end()

    def _read_length(self, data: bytes) -> bytes:
        piece = data[: self._left]
        self._left -= len(piece)
        self._collect(piece)
        if not self._left:
            self._end()
        return data[len(piece) :]

    def _read_rest(self, data: bytes) -> bytes:
        self._collect(data)
        return b""

    def _read_chunks(self, data: bytes) -> bytes:
        """Take the chunks of what came, and hold back the line that is not complete."""
        data, at = self._held + data, 0
        while at < len(data) and not self.done:
            if self._part is ChunkState.CHUNK:
                piece = data[at : at + self._left]
                at += len(piece)
                self._left -= len(piece)
                self._part = ChunkState.CHUNK if self._left else ChunkState.GAP
                self._collect(piece)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                break
            line, at = data[at:end], end + 1
            self.reusable &= line.endswith(b"\r")
            self._take_line(line.removesuffix(b"\r"))
        if self.done:
            return data[at:]
        self._held = data[at:]
        if len(self._held) > self._limits.max_header_bytes:
            raise HeadersTooLarge("A line between chunks is too long")
        return b""

    def _take_line(self, line: bytes) -> None:
        """Read a line between chunks, or the last one."""
        self._count_unframed(len(line) + 2)
        if self._part is ChunkState.SIZE:
            found = _CHUNK_SIZE.fullmatch(line)
            if found is None:
                raise BadResponse(f"The body is not HTTP: the size of a chunk is {line[:40]!r}")
            self._left = int(found[1], 16)
            self._part = ChunkState.CHUNK if self._left else ChunkState.TRAILER
        elif self._part is ChunkState.TRAILER:
            self._trailers += len(line)
            if self._trailers > self._limits.max_header_bytes:
                raise HeadersTooLarge("Too many trailers")
            if not line:
                self._end()
            elif not _TRAILER.fullmatch(line):
                self.reusable = False
        elif line:
            raise BadResponse(f"The body is not HTTP: {line[:40]!r} follows a chunk")
        else:
            self._part = ChunkState.SIZE

    def _collect(self, piece: bytes) -> None:
        assert self.body is not None
        self.body.feed(piece)
        self.done = self.body.full

    def _end(self) -> None:
        self.done = self.ended = True


_MAGIC = b"HTTP/1."
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\x00-\x08\x0a-\x1f]*)?")
_NAME = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_TOKEN = re.compile(_NAME)
_UNSAFE = re.compile(rb"[\x00-\x08\x0a-\x1f]")
_BLANKS = b" \t"  # and nothing else: text functions trim more, and then two readers of one stream come apart
_TRAILER = re.compile(_NAME + rb":[^\x00-\x08\x0a-\x1f]*")
_LENGTH = re.compile("[0-9]{1,18}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\0]*)?")


@lru_cache(maxsize=4096)
def _name(raw: bytes) -> str:
    if not _TOKEN.fullmatch(raw):
        raise BadResponse(f"Not HTTP: a header is called {raw[:40]!r}")
    return raw.decode().lower()


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
