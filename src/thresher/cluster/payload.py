"""One visit as it travels, and the checks that make of it a visit again: a worker may lie or be damaged."""

import re
from math import isfinite

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_64_digest

from thresher.core.enums import Detail, Outcome, Request
from thresher.core.errors import InvalidUrl
from thresher.core.records import (
    ArchivedExchange,
    Candidate,
    EncodedPage,
    Fetched,
    Page,
    PageRecord,
    Url,
    Visit,
)
from thresher.core.url import key_of, parse
from thresher.parse.sitemap import lists_pages
from thresher.store.archive import packed_exchange
from thresher.store.codecs import pack_page, unpack_page
from thresher.text.page_record import highest_code
from thresher.warc.capture import HttpExchange
from thresher.warc.record import headers_of, parse_status, readable_head
from thresher.warc.writer import NotOurRecord, unpack

SLACK = 60.0  # seconds by which a worker's idea of our time may be off
CHECKSUM = 8  # bytes


class Exchanged(Struct, frozen=True, array_like=True):
    """What was received, ready for the archive."""

    at: float
    truncated: bool
    address: str
    head_size: int
    members: tuple[bytes, ...]
    ids: tuple[str, ...]
    cut: int
    body: bytes = b""  # of a sitemap or feed, whose dates the crawl reads


class VisitPayload(Struct, frozen=True, array_like=True):
    """A visit without its candidate, which the crawl has: so no worker can change what was asked."""

    outcome: Outcome
    at: float
    page: bytes | None  # packed as the store keeps it
    relevance: float
    status: int
    size: int
    reason: str
    detail: Detail | None
    moved_to: Url | None
    retry_after: float
    record: PageRecord | None
    exchanged: Exchanged | None


class Bounds(Struct, frozen=True):
    """What an honest answer cannot exceed."""

    max_bytes: int = 8 << 20
    longest_rest: float = 3600.0

    @property
    def most(self) -> int:
        """Bytes of one answer: the page in several forms, and its response packed."""
        return 4 * self.max_bytes + (1 << 20)


class InvalidResult(ValueError):
    """An answer that no honest and healthy worker gives."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(VisitPayload).decode


def seal(visit: Visit, offset: float = 0.0) -> bytes:
    """Return a visit as it travels; `offset` brings this machine's clock to the crawl's."""
    fetched = visit.fetched
    brought = VisitPayload(
        visit.outcome,
        visit.at + offset,
        pack_page(visit.page) if visit.page else None,
        visit.relevance,
        visit.status,
        visit.size,
        visit.reason,
        visit.detail,
        visit.moved_to,
        visit.retry_after,
        _sent(visit.page_record) if visit.page_record else None,
        _exchanged(visit, fetched, offset) if fetched and fetched.head else None,
    )
    data = _encode(brought)
    return xxh3_64_digest(data) + data  # what is damaged on the way is asked for again


def _exchanged(visit: Visit, fetched: Fetched, offset: float) -> Exchanged:
    at = fetched.fetched_at + offset
    packed = packed_exchange(visit, replace(fetched, fetched_at=at)).packed
    assert packed is not None
    size = len(readable_head(fetched.head)[0])
    body = fetched.body if lists_pages(fetched) else b""
    return Exchanged(
        at, fetched.truncated, fetched.address, size, packed.members, packed.ids, packed.cut, body
    )


def decode_visit(data: bytes, candidate: Candidate, bounds: Bounds, since: float, until: float) -> Visit:
    """Return the visit of a candidate that was asked and answered in that time, or raise Lie."""
    if len(data) > bounds.most or xxh3_64_digest(data[CHECKSUM:]) != data[:CHECKSUM]:
        raise InvalidResult("it was damaged on the way")
    try:
        brought = _decode(data[CHECKSUM:])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidResult(f"it cannot be read: {error}") from None
    _check_figures(brought, bounds, since, until)
    ready = _ready(brought.page, candidate.url, bounds) if brought.page is not None else None
    fetched = _fetched(brought, brought.exchanged, candidate, bounds) if brought.exchanged else None
    return Visit(
        candidate,
        brought.outcome,
        brought.at,
        ready.page if ready else None,
        brought.relevance,
        brought.status,
        brought.size,
        reason=brought.reason,
        redirect=_onward(brought, candidate),
        fetched=fetched,
        retry_after=brought.retry_after,
        detail=brought.detail,
        moved_to=brought.moved_to,
        page_record=_received(brought.record, ready.page) if brought.record and ready else None,
        ready=ready,
    )


def _check_figures(brought: VisitPayload, bounds: Bounds, since: float, until: float) -> None:
    """Refuse numbers that no visit has."""
    moments = [brought.at, brought.exchanged.at if brought.exchanged else brought.at]
    right = {
        "relevance": isfinite(brought.relevance) and 0.0 <= brought.relevance <= 1.0,
        "status": brought.status == 0 or 100 <= brought.status <= 599,
        "size": 0 <= brought.size <= bounds.max_bytes,
        "retry_after": 0.0 <= brought.retry_after <= bounds.longest_rest,
        "time": all(since - SLACK <= each <= until + SLACK for each in moments),
        "page": brought.page is None or brought.outcome is Outcome.FETCHED,
        "target": brought.moved_to is None or brought.outcome is Outcome.MOVED,
        "record": brought.record is None or _is_possible(brought.record),
    }
    if wrong := [name for name, is_right in right.items() if not is_right]:
        raise InvalidResult(f"its {wrong[0]} cannot be")


def _sent(record: PageRecord) -> PageRecord:
    """Return the record of a page as it travels: what its links are known by, the crawl works out itself."""
    words = replace(record.words, counts=dict(record.words.counts)) if record.words else None
    return replace(record, keys=(), words=words)


def _received(record: PageRecord, page: Page) -> PageRecord:
    """Return the record that came with a page."""
    return replace(record, keys=tuple([key_of(link.target) for link in page.links]))


def _is_possible(record: PageRecord) -> bool:
    """Tell whether a page may have this record."""
    hashes = (*record.said, record.simhash or 0, record.numberless or 0)
    if not all(0 <= each < 1 << 64 for each in hashes) or not 0.0 <= record.links_share <= 1.0:
        return False
    if (words := record.words) is None or not words.counts:
        return words is None or not words.codes + words.weights
    if len(words.codes) != 4 * len(words.counts) or len(words.weights) != len(words.codes):
        return False
    codes, weights = np.frombuffer(words.codes, "<u4"), np.frombuffer(words.weights, "<f4")
    counts = words.counts.values()
    known = bool(codes.min() >= 0 and codes.max() < highest_code() and np.isfinite(weights).all())
    return known and 0 < min(counts) <= max(counts) < 1 << 31


_TARGETS = re.compile(r"(?:https?://[^\s/@]+/\S*\n)*")


def _ready(packed: bytes, url: Url, bounds: Bounds) -> EncodedPage:
    """Return the page as it is read from the bytes that will be kept."""
    try:
        page = unpack_page(packed, bounds.most)
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise InvalidResult(f"its page cannot be read: {error}") from None
    _check_page(page, url)
    return EncodedPage(page, packed)


def _check_page(page: Page, url: Url) -> None:
    """Refuse a page of another address, and links that no page of this one has."""
    if page.url != url:
        raise InvalidResult(f"it is about {page.url[:200]}")
    for link in page.links:
        if link.source != url:
            raise InvalidResult(f"it has a link of {link.source[:200]}")
    targets = "".join([f"{link.target}\n" for link in page.links])
    if not _TARGETS.fullmatch(targets) or targets.count("\n") != len(page.links):
        raise InvalidResult("it has a link that is no address")


def _onward(brought: VisitPayload, candidate: Candidate) -> Candidate | None:
    """Return the request that a redirect leads to, as we would have made it."""
    if brought.moved_to is None:
        return None
    try:
        if parse(brought.moved_to) != brought.moved_to:
            raise InvalidResult("it moves to an address that is not spelt as ours are")
    except InvalidUrl as error:
        raise InvalidResult(f"it moves to nowhere: {error}") from None
    return replace(
        candidate,
        url=brought.moved_to,
        redirects=candidate.redirects + 1,
        kind=Request.REDIRECT,
        not_before=0.0,
    )


def _fetched(brought: VisitPayload, told: Exchanged, candidate: Candidate, bounds: Bounds) -> Fetched:
    """Return the response with the bytes that its archived form holds, unpacked here and not believed."""
    length = "length" if told.truncated else ""
    exchange = HttpExchange(candidate.url, told.at, b"", truncated=length, address=told.address)
    packed = ArchivedExchange(told.members, told.ids, told.cut)
    try:
        whole, transport = unpack(exchange, packed, told.head_size, 2 * bounds.max_bytes + (1 << 16))
    except NotOurRecord as error:
        raise InvalidResult(f"its response is {error}") from None
    if parse_status(whole.head) != brought.status:
        raise InvalidResult("its response has another status")
    return Fetched(
        candidate,
        candidate.url,
        brought.status,
        headers_of(whole.head),
        told.body,
        told.at,
        told.truncated,
        request=whole.request,
        head=whole.head,
        raw_body=transport,
        address=told.address,
        packed=packed,
    )
