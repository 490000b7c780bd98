"""What a worker says is checked: it may be damaged, lie, or be from another time."""

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from xxhash import xxh3_64_digest

from thresher.cluster.payload import CHECKSUM, Bounds, InvalidResult, VisitPayload, decode_visit, seal
from thresher.core.enums import Outcome, Request
from thresher.core.records import Candidate, Fetched, Link, Page, PageRecord, PageWords, Url, Visit
from thresher.core.url import key_of
from thresher.store import codecs
from thresher.store.codecs import pack_page
from thresher.store.database import Database
from thresher.text.page_record import record_of

NOW = 1_700_000_000.0
ASKED = Candidate(Url("http://a.test/"), 0.5, depth=3)
HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "7"\r\n\r\n'
BODY = b"<p>bees"
BOUNDS = Bounds(1 << 20)


PAGE = Page(ASKED.url, "Bees", "bees", links=(Link(ASKED.url, Url("http://b.test/x")),))
RECORD = record_of(PAGE)


def with_words(counts: dict[str, int], codes: bytes, weights: bytes) -> PageRecord:
    return replace(RECORD, words=PageWords(counts, codes=codes, weights=weights))


def visit(**changes) -> Visit:
    fetched = Fetched(ASKED, ASKED.url, 200, (("content-type", "text/html"), ("etag", '"7"')), BODY, NOW)
    fetched = replace(
        fetched, head=HEAD, raw_body=BODY, request=b"GET / HTTP/1.1\r\n\r\n", address="127.0.0.1"
    )
    made = Visit(ASKED, Outcome.FETCHED, NOW, PAGE, 0.7, 200, len(BODY), fetched=fetched, page_record=RECORD)
    return replace(made, **changes)


def opened(data: bytes) -> Visit:
    return decode_visit(data, ASKED, BOUNDS, NOW - 1.0, NOW + 1.0)


def resealed(**changes) -> bytes:
    """Return an answer whose checksum is right and whose content is not."""
    brought = msgspec.msgpack.decode(seal(visit())[CHECKSUM:], type=VisitPayload)
    data = msgspec.msgpack.encode(replace(brought, **changes))
    return xxh3_64_digest(data) + data


def test_a_visit_comes_out_as_it_went_in_with_the_bytes_of_its_archived_form():
    before, after = visit(), opened(seal(visit()))
    for name in (
        "candidate",
        "outcome",
        "at",
        "page",
        "relevance",
        "status",
        "size",
        "page_record",
        "retry_after",
    ):
        assert getattr(after, name) == getattr(before, name), name
    assert after.fetched and before.fetched
    for name in ("head", "raw_body", "request", "address", "headers", "fetched_at"):
        assert getattr(after.fetched, name) == getattr(before.fetched, name), name


def test_what_links_are_known_by_is_worked_out_here_whatever_a_worker_says():
    lied = resealed(record=replace(RECORD, keys=(7,)))
    came = opened(lied).page_record
    assert came and came.keys == RECORD.keys == (key_of(Url("http://b.test/x")),)


def test_the_bytes_of_the_page_that_came_are_those_that_are_kept():
    came, store = opened(seal(visit())), Database()
    store.add(came)
    (kept,) = store._connection.execute("SELECT page FROM page").fetchone()
    assert came.ready and kept is not came.ready.packed and kept == came.ready.packed == pack_page(PAGE)


def test_a_page_that_was_changed_after_it_came_is_kept_as_it_is_now():
    came, store = opened(seal(visit())), Database()
    assert came.page
    store.add(replace(came, page=replace(came.page, text="wasps")))
    kept = store.page(ASKED.url)
    assert kept and kept.text == "wasps"


def test_a_redirect_leads_on_as_the_crawl_itself_would_have_it():
    target = Url("http://a.test/there")
    moved = visit(
        outcome=Outcome.MOVED, page=None, fetched=None, moved_to=target, status=301, page_record=None
    )
    onward = opened(seal(moved)).redirect
    assert onward == replace(ASKED, url=target, redirects=1, kind=Request.REDIRECT)


def test_a_clock_that_is_off_is_set_right():
    late = visit(at=NOW + 3600.0)
    assert late.fetched
    late = replace(late, fetched=replace(late.fetched, fetched_at=NOW + 3600.0))
    told = opened(seal(late, offset=-3600.0))
    assert (told.at, told.fetched.fetched_at if told.fetched else 0) == (NOW, NOW)


def test_any_flipped_bit_is_found():
    data, dice = seal(visit()), random.Random(3)
    for place in dice.sample(range(len(data)), 80):
        damaged = bytearray(data)
        damaged[place] ^= 1 << dice.randrange(8)
        with pytest.raises(InvalidResult):
            opened(bytes(damaged))


def with_link(link: Link) -> bytes:
    return pack_page(replace(PAGE, links=(link,)))


def repacked(**changes: Any) -> bytes:
    """Return the page with columns that contradict each other."""
    columns = codecs._columns(pack_page(PAGE))
    return codecs._pack(msgspec.msgpack.encode(replace(columns, **changes)), codecs._WHOLE)


LIES: dict[str, dict[str, Any]] = {
    "relevance": {"relevance": 1.5},
    "relevance that is none": {"relevance": float("nan")},
    "status": {"status": 999},
    "another status": {"status": 404},
    "size": {"size": 1 << 30},
    "retry_after": {"retry_after": 1e9},
    "time before it was asked": {"at": NOW - 3600.0},
    "time to come": {"at": NOW + 3600.0},
    "another page": {"page": pack_page(replace(PAGE, url=Url("http://b.test/")))},
    "links of another page": {"page": with_link(Link(Url("http://b.test/"), Url("http://c.test/")))},
    "links to a file": {"page": with_link(Link(ASKED.url, Url("file:///etc/passwd")))},
    "links of two lines": {"page": with_link(Link(ASKED.url, Url("http://c.test/\nx y")))},
    "two links in one": {"page": with_link(Link(ASKED.url, Url("http://c.test/\nhttp://c.test/x")))},
    "no page at all": {"page": b"bees"},
    "a page with something behind it": {"page": pack_page(PAGE) + b"bees"},
    "a page larger than any": {"page": pack_page(replace(PAGE, text="x" * (BOUNDS.most + 1)))},
    "links without an end": {"page": repacked(anchors=("bees", "wasps"))},
    "a page that is gone": {"outcome": Outcome.GONE},
    "a target of no redirect": {"moved_to": Url("http://c.test/")},
    "counts": {"record": with_words({"bee": -1}, bytes(4), bytes(4))},
    "a word without a weight": {"record": with_words({"bee": 1}, bytes(4), b"")},
    "weights that are none": {"record": with_words({"bee": 1}, bytes(4), b"\xff" * 4)},
    "codes of no word": {"record": with_words({"bee": 1}, b"\xff" * 4, bytes(4))},
    "a share above one": {"record": replace(RECORD, links_share=1.5)},
}


@pytest.mark.parametrize("name", list(LIES))
def test_what_cannot_be_is_refused(name):
    with pytest.raises(InvalidResult):
        opened(resealed(**LIES[name]))


@pytest.mark.parametrize("target", ["mailto:x@y", "http://A.test/%7Ex", "http://user:pw@a.test/"])
def test_a_redirect_to_an_address_that_is_not_ours_to_ask_is_refused(target):
    lie: dict[str, Any] = {
        "outcome": Outcome.MOVED,
        "page": None,
        "exchanged": None,
        "record": None,
        "status": 301,
    }
    with pytest.raises(InvalidResult):
        opened(resealed(**lie, moved_to=Url(target)))


def test_a_payload_that_claims_to_be_another_is_refused():
    """A worker could make this page a mere note of that one, and its body would be gone."""
    brought = msgspec.msgpack.decode(seal(visit())[CHECKSUM:], type=VisitPayload)
    other = visit()
    assert other.fetched and brought.exchanged
    lie = seal(replace(other, fetched=replace(other.fetched, raw_body=b"<p>wasps", body=b"<p>wasps")))
    theirs = msgspec.msgpack.decode(lie[CHECKSUM:], type=VisitPayload).exchanged
    assert theirs
    with pytest.raises(InvalidResult):
        opened(resealed(exchanged=replace(brought.exchanged, members=theirs.members)))


def test_an_answer_that_is_nested_without_end_is_refused_and_ends_nothing():
    brought = msgspec.msgpack.decode(seal(visit())[CHECKSUM:])
    data = msgspec.msgpack.encode([*brought, 0])[:-1] + b"\x91" * 200_000 + b"\xc0"
    with pytest.raises(InvalidResult, match="cannot be read"):
        opened(xxh3_64_digest(data) + data)
