"""Packed bodies, in any pieces, up to their caps."""

import gzip
import sys
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stopwatch import MOMENT, cpu_seconds
from thresher.core.compression import Body, codings
from thresher.core.errors import BadResponse, DecompressionBomb

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACK = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def unpacked(coding: str, raw_body: bytes, step: int = 1 << 16, max_bytes: int = 10_000_000) -> Body:
    body = Body(coding, max_bytes, max_ratio=1000)
    for start in range(0, len(raw_body), step):
        body.feed(raw_body[start : start + step])
    body.unpack()
    return body


@pytest.mark.parametrize("coding", PACK)
@given(data=st.binary(max_size=5000), step=st.integers(1, 6000))
@settings(max_examples=50, deadline=None)
def test_a_body_comes_back_whole_in_whatever_pieces_it_came(coding, data, step):
    body = unpacked(coding, PACK[coding](data), step)
    assert (bytes(body.data), body.flaw, body.full) == (data, "", False)


@pytest.mark.parametrize("coding", PACK)
def test_a_large_body_is_cut_at_the_cap(coding):
    body = unpacked(coding, PACK[coding](bytes(range(256)) * 4000), max_bytes=300_000)
    assert (len(body.data), body.full) == (300_000, True)


@pytest.mark.parametrize("coding", PACK)
def test_a_bomb_is_noticed_before_it_goes_off(coding):
    body = Body(coding, 1 << 30, max_ratio=100)
    body.feed(PACK[coding](bytes(50_000_000)))
    with pytest.raises(DecompressionBomb):
        body.unpack()
    assert len(body.data) < 8_000_000


@pytest.mark.parametrize("coding", PACK)
@given(cut=st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_a_stream_that_breaks_off_is_kept_and_flagged(coding, cut):
    data = bytes(range(256)) * 8
    raw_body = PACK[coding](data)
    body = unpacked(coding, raw_body[: max(1, len(raw_body) - cut)])
    assert body.flaw and data.startswith(bytes(body.data))


@pytest.mark.parametrize("coding", PACK)
@given(noise=st.binary(min_size=1, max_size=300))
@settings(max_examples=60, deadline=None)
def test_rubbish_never_raises(coding, noise):
    unpacked(coding, noise)
    unpacked(coding, PACK[coding](b"begin")[:6] + noise)


def test_codings_are_undone_from_the_outside_in():
    assert codings("gzip, br") == ["br", "gzip"]
    raw_body = brotli.compress(gzip.compress(b"hello"))
    assert bytes(unpacked("gzip, br", raw_body).data) == b"hello"


def test_a_thousand_members_are_enough():
    body = unpacked("gzip", gzip.compress(b"") * 1001)
    assert "members" in body.flaw


EMPTY_FRAME = zstd.compress(b"")
SKIPPABLE = b"\x50\x2a\x4d\x18" + bytes(4)


def inside_brotli(frame: bytes, size: int) -> bytes:
    """A few dozen bytes that unpack to as many frames as fill that size."""
    return brotli.compress(frame * (size // len(frame)), quality=9, lgwin=24)


WORK = {
    "1 MB of empty frames": ("zstd, br", inside_brotli(EMPTY_FRAME, 1 << 20)),
    "4 MB of empty frames": ("zstd, br", inside_brotli(EMPTY_FRAME, 4 << 20)),
    "16 MB of empty frames": ("zstd, br", inside_brotli(EMPTY_FRAME, 16 << 20)),
    "4 MB of skippable frames": ("zstd, br", inside_brotli(SKIPPABLE, 4 << 20)),
    "8 MB of empty frames, as they are": ("zstd", EMPTY_FRAME * ((8 << 20) // len(EMPTY_FRAME))),
    "8 MB of empty members": ("gzip", gzip.compress(b"") * ((8 << 20) // len(gzip.compress(b"")))),
    "64 MB of empty blocks": ("deflate, gzip", gzip.compress(b"\0\0\0\xff\xff" * (64 << 18))),
}


@pytest.mark.parametrize("name", WORK)
def test_what_yields_nothing_costs_nothing_either(name):
    """Caps on what comes out do not see a coding whose output the next one swallows."""
    coding, raw_body = WORK[name]
    found: list[str] = []

    def read() -> None:
        body = Body(coding, 8 << 20, 100.0)
        body.feed(raw_body)
        try:
            body.unpack()
        except DecompressionBomb as bomb:
            found.append(str(bomb))
        found.append(body.flaw)

    assert cpu_seconds(read) < MOMENT
    assert any(found)


@pytest.mark.parametrize("coding", PACK)
def test_a_large_body_is_unpacked_in_turns(coding):
    text = b"".join(b"%d " % number for number in range(100_000)) * 12
    body = Body(coding, 8 << 20, 100.0)
    body.feed(PACK[coding](text))
    steps = body.steps()
    longest = max(cpu_seconds(lambda: next(steps, None), tries=1) for _ in range(9))
    assert (bytes(body.data), next(steps, "no more")) == (text, "no more")
    assert longest < MOMENT


def test_a_coding_within_a_coding_counts_as_much_as_the_last():
    body = Body("gzip, gzip", 1 << 30, max_ratio=100)
    body.feed(gzip.compress(gzip.compress(bytes(50_000_000))))
    with pytest.raises(DecompressionBomb):
        body.unpack()


def test_three_codings_are_too_many():
    with pytest.raises(BadResponse):
        Body("gzip, br, gzip", 1_000, 100.0)


SQUARES = b"".join(b"%x " % (number * number) for number in range(8_000))
SQUARES_PACKED = {coding: pack(SQUARES) for coding, pack in PACK.items()}


@pytest.mark.parametrize("coding", PACK)
@given(place=st.integers(100, 60_000), byte=st.integers(0, 255), size=st.integers(1, 40_000))
@settings(max_examples=40, deadline=None)
def test_what_is_kept_of_a_damaged_stream_does_not_depend_on_packets(coding, place, byte, size):
    raw_body = bytearray(SQUARES_PACKED[coding])
    raw_body[place % len(raw_body)] = byte
    whole, pieces = unpacked(coding, bytes(raw_body), len(raw_body)), unpacked(coding, bytes(raw_body), size)
    assert (whole.data, whole.flaw, whole.full) == (pieces.data, pieces.flaw, pieces.full)


def test_of_a_damaged_stream_all_but_the_last_bite_is_kept():
    raw_body = bytearray(SQUARES_PACKED["deflate"])
    raw_body[-9_000:] = bytes(9_000)
    body = unpacked("deflate", bytes(raw_body))
    assert body.flaw and len(body.data) > len(SQUARES) / 2
