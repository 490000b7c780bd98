"""What one visit leaves in the archive: response or revisit, request, and what we thought of it."""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from thresher.warc.record import (
    HTTP_REQUEST,
    HTTP_RESPONSE,
    WARC_FIELDS,
    RecordDraft,
    date,
    digest,
    draft,
    new_id,
    readable_head,
    warc_fields,
)

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
FORMAT = "WARC File Format 1.1"
SPECIFICATION = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class Original(Struct, frozen=True):
    """The earlier capture that a revisit points back to."""

    uri: str
    at: float
    id: str = ""


class HttpExchange(Struct, frozen=True):
    """One HTTP exchange, byte for byte.

    `head` runs from the status line to the blank line and `body` is what followed. With an
    `original` the body is not kept again: status 304 means the server said so, anything else that the
    payload has the same digest.
    """

    uri: str
    at: float
    head: bytes
    body: bytes = b""
    request: bytes = b""
    facts: Mapping[str, str] = {}  # relevance and the like, kept as a metadata record
    truncated: str = ""  # length, time, disconnect or unspecified
    address: str = ""
    payload_digest: str = ""  # of `body`, if the caller has it already; of the original's where there is one
    original: Original | None = None
    rendered: "Rendered | None" = None  # where the page is made by script


class Rendered(Struct, frozen=True):
    """What a browser made of the body of an exchange, and what was fetched for it on the way."""

    document: bytes
    at: float
    parts: tuple[HttpExchange, ...] = ()


def drafts(
    exchange: HttpExchange, make_id: Callable[[], str] = new_id, algorithm: str = "sha256"
) -> tuple[RecordDraft, ...]:
    """Return the records of an exchange, the response (or revisit) first, the others concurrent to it."""
    exchange, cut = readable(exchange)
    exchange = cut_facts(exchange, cut)
    make = response if exchange.original is None else revisit
    first = make(exchange, make_id(), algorithm)
    found = [first]
    if exchange.request:
        found.append(request(exchange, make_id(), first.id, algorithm))
    if exchange.facts:
        found.append(metadata(exchange, make_id(), first.id, algorithm))
    if exchange.rendered:
        found += _rendered(exchange, exchange.rendered, first.id, make_id, algorithm)
    return tuple(found)


def _rendered(
    exchange: HttpExchange, rendered: Rendered, refers_to: str, make_id: Callable[[], str], algorithm: str
) -> list[RecordDraft]:
    """Return the records of what a browser made of a page, and of everything it was given for it."""
    fields = {"WARC-Target-URI": _address(exchange.uri), "WARC-Refers-To": refers_to}
    parts = [draft for part in rendered.parts for draft in drafts(part, make_id, algorithm)]
    if not rendered.document:
        return parts
    document, html = (rendered.document,), "text/html; charset=utf-8"
    resource = draft("resource", make_id(), rendered.at, document, html, fields, algorithm)
    return [resource, *parts]


def readable(exchange: HttpExchange) -> tuple[HttpExchange, int]:
    """Return the exchange with a head that others can read, and how many bytes of it had to go."""
    head, cut = readable_head(exchange.head)
    return (replace(exchange, head=head) if cut else exchange), cut


def cut_facts(exchange: HttpExchange, cut: int) -> HttpExchange:
    """Return the exchange with what had to go told beside it."""
    if not cut:
        return exchange
    facts = {**exchange.facts, "head-cut": f"{cut} bytes of the longest headers are left out"}
    return replace(exchange, facts=facts)


def response(exchange: HttpExchange, id: str, algorithm: str = "sha256") -> RecordDraft:
    """Return the record of what the server sent."""
    fields = _about(exchange)
    if _payload_is_clear(exchange.head):
        fields["WARC-Payload-Digest"] = exchange.payload_digest or digest((exchange.body,), algorithm)
    fields["WARC-Truncated"] = exchange.truncated
    parts, is_dense = (exchange.head, exchange.body), _PACKED.search(exchange.head) is not None
    return draft("response", id, exchange.at, parts, HTTP_RESPONSE, fields, algorithm, is_dense)


def revisit(exchange: HttpExchange, id: str, algorithm: str = "sha256") -> RecordDraft:
    """Return the record of an answer whose payload is archived already: its head, and where the rest is."""
    original = exchange.original or Original(exchange.uri, exchange.at)
    not_modified = _status(exchange.head) == b"304"
    fields = _about(exchange)
    fields["WARC-Profile"] = NOT_MODIFIED if not_modified else SAME_PAYLOAD
    fields["WARC-Refers-To"] = original.id
    fields["WARC-Refers-To-Target-URI"] = _address(original.uri)
    fields["WARC-Refers-To-Date"] = date(original.at)
    if exchange.payload_digest or not not_modified:
        fields["WARC-Payload-Digest"] = exchange.payload_digest or digest((exchange.body,), algorithm)
    return draft("revisit", id, exchange.at, (exchange.head,), HTTP_RESPONSE, fields, algorithm)


def request(exchange: HttpExchange, id: str, concurrent_to: str, algorithm: str = "sha256") -> RecordDraft:
    """Return the record of what we sent."""
    fields = _about(exchange) | {"WARC-Concurrent-To": concurrent_to}
    return draft("request", id, exchange.at, (exchange.request,), HTTP_REQUEST, fields, algorithm)


def metadata(exchange: HttpExchange, id: str, concurrent_to: str, algorithm: str = "sha256") -> RecordDraft:
    """Return the record of what we know about the response beyond its bytes."""
    fields = {"WARC-Target-URI": _address(exchange.uri), "WARC-Concurrent-To": concurrent_to}
    block = warc_fields(exchange.facts)
    return draft("metadata", id, exchange.at, (block,), WARC_FIELDS, fields, algorithm)


def warcinfo(
    id: str, at: float, filename: str, facts: Mapping[str, str], algorithm: str = "sha256"
) -> RecordDraft:
    """Return the record that opens a file and names the software that wrote it."""
    block = warc_fields({"software": "thresher", **facts, "format": FORMAT, "conformsTo": SPECIFICATION})
    return draft("warcinfo", id, at, (block,), WARC_FIELDS, {"WARC-Filename": filename}, algorithm)


_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_PACKED = re.compile(rb"\ncontent-encoding:[ \t]*(?:gzip|br|zstd|deflate)", re.IGNORECASE)


def _about(exchange: HttpExchange) -> dict[str, str]:
    return {"WARC-Target-URI": _address(exchange.uri), "WARC-IP-Address": exchange.address}


def _address(uri: str) -> str:
    return uri.replace(" ", "%20")


def _payload_is_clear(head: bytes) -> bool:
    """Tell whether every reader finds the payload where we do: after a head with one blank line, at its end.

    Where readers differ (bare line feeds, a line of spaces) a digest would look wrong to some of them.
    """
    found = _BLANK_LINE.search(head)
    return found is not None and found.end() == len(head) and head.endswith(b"\r\n\r\n")


def _status(head: bytes) -> bytes:
    words = head.split(None, 2)
    return words[1] if len(words) > 1 else b""
