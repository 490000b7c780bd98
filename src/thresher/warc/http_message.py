"""The HTTP message in a block: status, headers, and the body with its chunks joined."""

import re

from msgspec import Struct

from thresher.core.records import Headers

_STATUS_LINE = re.compile(rb"\s*(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})", re.IGNORECASE)
_CHUNKED = re.compile(rb"^transfer-encoding:[^\n]*chunked", re.IGNORECASE | re.MULTILINE)
_BEFORE_LINE = re.compile(rb"(?<=\n)(?![ \t])")  # one that goes on with the line before is part of it
_NEEDED = re.compile(rb"\s*$|(?:content-|transfer-encoding:|location:)", re.IGNORECASE)
LONGEST_HEAD = 32_768
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]{0,4096})?\r?\n")


class Message(Struct, frozen=True):
    """A response as it was archived; `body` is still in its content coding."""

    status: int
    headers: Headers = ()
    head: bytes = b""
    body: bytes = b""
    flaw: str = ""

    def header(self, name: str) -> str:
        """Return the first header of that (lower-case) name, or the empty string."""
        return next((value for key, value in self.headers if key == name), "")


def parse_message(block: bytes) -> Message | None:
    """Return the response in a block, or None if it holds none."""
    begin = _STATUS_LINE.match(block)
    if not begin:
        return None
    end = _end_of_head(block)
    head, body, flaw = block[:end], block[end:], ""
    if _CHUNKED.search(head):
        body, flaw = joined(body)
    return Message(int(begin[1]), _headers(head), head, body, flaw)


def parse_status(block: bytes) -> int:
    """Return the status of the response in a block, 0 if it holds none."""
    found = _STATUS_LINE.match(block)
    return int(found[1]) if found else 0


def joined(body: bytes) -> tuple[bytes, str]:
    """Return a body with its chunks joined, and what was wrong with them; unchanged if it has none."""
    pieces: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(body, at):
        length = int(size[1], 16)
        if length == 0:
            return b"".join(pieces), ""
        end = size.end() + length
        if not pieces and end < len(body) and body[end : end + 1] not in b"\r\n":
            return body, "not chunked, though the head says so"
        pieces.append(body[size.end() : end])
        at = end + 2 if body.startswith(b"\r\n", end) else end + 1
    if not pieces:
        return body, "not chunked, though the head says so" if body else ""
    pieces.append(body[at:])
    return b"".join(pieces), "the last chunk is missing"


def chunked(head: bytes, body: bytes) -> bytes:
    """Return a body whose chunks were joined as its head promises it: in one chunk, if in any."""
    return in_one_chunk(body) if body and _CHUNKED.search(head) else body


def joined_as_promised(head: bytes, body: bytes) -> bytes:
    """Return a body with its chunks joined, if its head promises any."""
    return joined(body)[0] if _CHUNKED.search(head) else body


def headers_of(head: bytes) -> Headers:
    """Return the headers of a head, names in lower case."""
    return _headers(head)


def in_one_chunk(body: bytes) -> bytes:
    """Return a body as one chunk, and the chunk that says that no more follow."""
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def readable_head(head: bytes) -> tuple[bytes, int]:
    """Return a head that every reader of archives reads, and how many bytes of it had to go.

    FastWARC gives up a file at a head of more than 32,768 bytes. The longest headers are left out first,
    those that say how to read the body never.
    """
    excess = len(head) - LONGEST_HEAD
    if excess <= 0:
        return head, 0
    first, *lines = _BEFORE_LINE.split(head)
    for line in sorted((line for line in lines if not _NEEDED.match(line)), key=len, reverse=True):
        if excess <= 0:
            break
        lines.remove(line)
        excess -= len(line)
    kept = b"".join((first, *lines))
    return kept, len(head) - len(kept)


def _end_of_head(block: bytes) -> int:
    end = block.find(b"\n\r\n")
    bare = block.find(b"\n\n", 0, end if end >= 0 else len(block))
    if bare >= 0:
        return bare + 2
    return end + 3 if end >= 0 else len(block)


def _headers(head: bytes) -> Headers:
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    found: list[tuple[str, str]] = []
    for line in text.split("\n")[1:]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and found:
            name, value = found.pop()
            found.append((name, f"{value} {line.strip()}".strip()))
        elif colon:
            found.append((name.strip().lower(), value.strip()))
    return tuple(found)
