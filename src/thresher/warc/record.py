"""One WARC record, and the HTTP message within it."""

import base64
import calendar
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from msgspec import Struct

from thresher.core.records import Headers

# One WARC record: drafted, turned into bytes, and as it comes back from a file.
#
#     WARC/1.1 CRLF  (name: value CRLF)*  CRLF  block  CRLF CRLF        ISO 28500:2017, section 4
#
# The block of a response is the HTTP message exactly as received; its payload is what follows the HTTP head,
# still in its transfer coding, because that is what every checker computes.


HTTP_REQUEST = "application/http; msgtype=request"
HTTP_RESPONSE = "application/http; msgtype=response"
WARC_FIELDS = "application/warc-fields"


class RecordLocation(Struct, frozen=True):
    """Where a record lies: the name of its file, and the bytes it takes there."""

    file: str
    offset: int
    length: int

    def __str__(self) -> str:
        """Return the short form that visits carry: 'file#offset'."""
        return f"{self.file}#{self.offset}"


class RecordDraft(Struct, frozen=True):
    """A record that is not written yet; the parts joined are its block."""

    kind: str
    id: str
    fields: tuple[tuple[str, str], ...]
    parts: tuple[bytes, ...]
    is_dense: bool = False  # to pack it would only take time: what it holds is packed already

    def encode(self) -> bytes:
        """Return the record as it stands in a file before it is packed."""
        length = sum(map(len, self.parts))
        lines = [f"{name}: {_one_line(value)}\r\n" for name, value in self.fields if value]
        head = (
            f"WARC/1.1\r\nWARC-Type: {self.kind}\r\nWARC-Record-ID: {self.id}\r\n"
            f"{''.join(lines)}Content-Length: {length}\r\n\r\n"
        )
        return b"".join((head.encode("utf-8", "replace"), *self.parts, b"\r\n\r\n"))


class Record(Struct, frozen=True):
    """A record as it was read; `fault` names what is wrong with it, `skip` what precedes it in its member."""

    kind: str
    headers: Headers  # names in lower case, in the order of the file
    block: bytes
    place: RecordLocation
    version: str = "1.1"
    skip: int = 0
    fault: str = ""

    def header(self, name: str) -> str:
        """Return the first header of that (lower-case) name, or the empty string."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def uri(self) -> str:
        """The address the record is about, without the brackets that wget 1.19 put round it."""
        return self.header("warc-target-uri").removeprefix("<").removesuffix(">")

    @property
    def id(self) -> str:
        """The identity of the record, such as '<urn:uuid:...>'."""
        return self.header("warc-record-id")

    @property
    def at(self) -> float:
        """When it was captured, in seconds since the epoch; 0 if the archive does not say."""
        return moment(self.header("warc-date"))


def draft(
    kind: str,
    id: str,
    at: float,
    parts: Iterable[bytes],
    content_type: str,
    fields: Mapping[str, str] | None = None,
    algorithm: str = "sha256",
    is_dense: bool = False,
) -> RecordDraft:
    """Return a record of any kind, with its date, its type of content and the digest of its block."""
    parts = tuple(parts)
    more = (fields or {}).items()
    described = (
        ("WARC-Date", date(at)),
        *more,
        ("WARC-Block-Digest", digest(parts, algorithm)),
        ("Content-Type", content_type),
    )
    return RecordDraft(kind, id, described, parts, is_dense)


def new_id() -> str:
    """Return a fresh identity for a record: a random UUID, in a third of the time of the library's."""
    digits = os.urandom(16).hex()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>"


def digest(parts: Iterable[bytes], algorithm: str = "sha256") -> str:
    """Return the labelled digest of bytes: sha256 in hexadecimal, sha1 in base 32 as archives have it."""
    hasher = hashlib.new(algorithm)
    for part in parts:
        hasher.update(part)
    if algorithm == "sha1":
        return f"sha1:{base64.b32encode(hasher.digest()).decode()}"
    return f"{algorithm}:{hasher.hexdigest()}"


def warc_fields(facts: Mapping[str, str]) -> bytes:
    """Return facts as a block of type application/warc-fields."""
    return "".join(f"{name}: {_one_line(value)}\r\n" for name, value in facts.items()).encode(
        "utf-8", "replace"
    )


@lru_cache(maxsize=4)  # the records of one exchange have one date
def date(at: float) -> str:
    """Return a moment as WARC 1.1 writes it: UTC, with as many decimals as it needs."""
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")


def timestamp(at: float) -> str:
    """Return a moment as fourteen digits, the way archives name files and sort captures."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y%m%d%H%M%S")


def moment(text: str) -> float:
    """Return the seconds since the epoch that a WARC or ARC date stands for; 0 if it cannot be read."""
    found = _DATE.match(text)
    if not found:
        return 0.0
    year, month, day, hour, minute, second = (int(part or "0") for part in found.groups()[:6])
    if not (1 <= (month or 1) <= 12 and 1 <= (day or 1) <= 31 and year and hour < 25 and minute < 60):
        return 0.0
    whole = calendar.timegm((year, month or 1, day or 1, hour, minute, second))
    return whole + float(found[7] or 0)


_DATE = re.compile(
    r"(\d{4})-?(\d\d)?-?(\d\d)?(?!\d\d?T)(?:[Tt ]?(\d\d):?(\d\d)?:?(\d\d)?(\.\d+)?)?"
)  # 2008-10-294T05 of ClueWeb09 is no date
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def _one_line(value: str) -> str:
    """Take out what could end a header line: a field never grows a second one."""
    return value if value.isprintable() else _CONTROL.sub(" ", value)


# The HTTP message in a block: status, headers, and the body with its chunks joined


_STATUS_LINE = re.compile(rb"\s*(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})", re.IGNORECASE)
_CHUNKED = re.compile(rb"^transfer-encoding:[^\n]*chunked", re.IGNORECASE | re.MULTILINE)
_BEFORE_LINE = re.compile(rb"(?<=\n)(?![ \t])")  # one that goes on with the line before is part of it
_NEEDED = re.compile(rb"\s*$|(?:content-|transfer-encoding:|location:)", re.IGNORECASE)
LONGEST_HEAD = 32_768
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]{0,4096})?\r?\n")


class ArchivedMessage(Struct, frozen=True):
    """A response as it was archived; `body` is still in its content coding."""

    status: int
    headers: Headers = ()
    head: bytes = b""
    body: bytes = b""
    flaw: str = ""

    def header(self, name: str) -> str:
        """Return the first header of that (lower-case) name, or the empty string."""
        return next((value for key, value in self.headers if key == name), "")


def parse_message(block: bytes) -> ArchivedMessage | None:
    """Return the response in a block, or None if it holds none."""
    begin = _STATUS_LINE.match(block)
    if not begin:
        return None
    end = _end_of_head(block)
    head, body, flaw = block[:end], block[end:], ""
    if _CHUNKED.search(head):
        body, flaw = joined(body)
    return ArchivedMessage(int(begin[1]), _headers(head), head, body, flaw)


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
