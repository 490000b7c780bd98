"""Finished exchanges: whoever fetches packs, the archive appends, and what is not ours is refused."""

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.faults.killing.evidence import captured_by_fastwarc, is_clean, wrong_digests
from thresher.core.enums import Outcome
from thresher.core.records import ArchivedExchange, Candidate, Fetched, Url, Visit
from thresher.store.archive import packed_exchange
from thresher.store.folder import CrawlFolder
from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.writer import NotOurRecord, WarcWriter, pack, unpack

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
REQUEST = b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
TOLD = HttpExchange("http://a.test/", 1_700_000_000.5, b"", address="127.0.0.1")


def exchange(body: bytes = b"<p>bees", head: bytes = HEAD) -> HttpExchange:
    return replace(TOLD, head=head, body=body, request=REQUEST)


@given(st.binary(max_size=200))
def test_what_was_packed_comes_out_as_it_went_in(body):
    whole, raw_body = unpack(TOLD, pack(exchange(body)), len(HEAD), 1 << 16)
    assert (whole.head, whole.body, whole.request, raw_body) == (HEAD, body, REQUEST, body)


def test_a_body_in_chunks_comes_out_joined_and_is_archived_in_one_chunk():
    body = b"4\r\nbees\r\n0\r\n\r\n"
    whole, raw_body = unpack(TOLD, pack(exchange(body, CHUNKED)), len(CHUNKED), 1 << 16)
    assert (whole.body, raw_body) == (body, b"bees")


def test_any_bit_that_is_flipped_in_a_member_is_found():
    packed, dice = pack(exchange(b"honey " * 300)), random.Random(1)
    for place in dice.sample(range(10, len(packed.members[0])), 60):  # before them stands when it was packed
        damaged = bytearray(packed.members[0])
        damaged[place] ^= 1 << dice.randrange(8)
        lie = replace(packed, members=(bytes(damaged), packed.members[1]))
        with pytest.raises(NotOurRecord):
            unpack(TOLD, lie, len(HEAD), 1 << 16)


@pytest.mark.parametrize(
    "lie",
    [
        lambda packed: replace(packed, members=(packed.members[1], packed.members[0])),
        lambda packed: replace(packed, members=(packed.members[0] * 2, packed.members[1])),
        lambda packed: replace(packed, ids=("<urn:uuid:x>", packed.ids[1])),
        lambda packed: replace(packed, members=packed.members[:1]),
        lambda packed: ArchivedExchange((), ()),
        lambda packed: replace(packed, members=(gzip.compress(b"x" * (1 << 20)), packed.members[1])),
        lambda packed: pack(replace(exchange(), uri="http://b.test/")),
        lambda packed: pack(replace(exchange(), at=0.0)),
        lambda packed: pack(replace(exchange(), payload_digest="sha256:" + "0" * 64)),
    ],
    ids="swapped twice id fewer none bomb uri time digest".split(),
)
def test_a_member_that_tells_of_something_else_is_refused(lie):
    with pytest.raises(NotOurRecord):
        unpack(TOLD, lie(pack(exchange())), len(HEAD), 1 << 16)


def test_an_archive_of_finished_exchanges_is_like_any_other_and_keeps_a_payload_once(tmp_path):
    folder = CrawlFolder(tmp_path / "crawl")
    store = folder.create()
    for number in range(3):
        candidate = Candidate(Url(f"http://a.test/{number}"))
        raw_body = b"the same" if number else b"another"
        fetched = Fetched(
            candidate, candidate.url, 200, (("content-type", "text/html"),), raw_body, 1.7e9 + number
        )
        fetched = replace(fetched, head=HEAD, raw_body=raw_body, request=REQUEST)
        visit = Visit(candidate, Outcome.FETCHED, 1.7e9, status=200, relevance=0.25)
        store.add(replace(visit, fetched=packed_exchange(visit, fetched)))
    store.close()
    (path,) = folder.archive.glob("*.warc.gz")
    assert is_clean(path) and not wrong_digests(path)
    assert captured_by_fastwarc(path) == [f"http://a.test/{number}" for number in range(3)]
    text = gzip.decompress(path.read_bytes())
    assert [text.count(f"WARC-Type: {kind}".encode()) for kind in ("response", "revisit")] == [2, 1]
    assert text.count(b"relevance: 0.250000") == 3


def test_a_writer_takes_members_that_others_made(tmp_path):
    writer = WarcWriter(LocalVolume(tmp_path))
    packed = pack(exchange())
    places = [writer.append_packed(packed.members) for _ in range(2)]
    writer.close()
    data = (tmp_path / writer.name).read_bytes()
    assert data[places[1].offset :][: places[1].length] == packed.members[0]
