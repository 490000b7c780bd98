"""Packed bodies, in any pieces, up to their caps."""

import gzip
import sys
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.core.decode import Body, codings
from thresher.core.errors import DecompressionBomb

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


def unpacked(coding: str, wire: bytes, step: int = 1 << 16, max_bytes: int = 10_000_000) -> Body:
    body = Body(coding, max_bytes, max_ratio=1000)
    for start in range(0, len(wire), step):
        body.feed(wire[start : start + step])
    body.finish()
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
    with pytest.raises(DecompressionBomb):
        body.feed(PACK[coding](bytes(50_000_000)))
    assert len(body.data) < 8_000_000


@pytest.mark.parametrize("coding", PACK)
@given(cut=st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_a_stream_that_breaks_off_is_kept_and_flagged(coding, cut):
    data = bytes(range(256)) * 8
    wire = PACK[coding](data)
    body = unpacked(coding, wire[: max(1, len(wire) - cut)])
    assert body.flaw and data.startswith(bytes(body.data))


@pytest.mark.parametrize("coding", PACK)
@given(noise=st.binary(min_size=1, max_size=300))
@settings(max_examples=60, deadline=None)
def test_rubbish_never_raises(coding, noise):
    unpacked(coding, noise)
    unpacked(coding, PACK[coding](b"begin")[:6] + noise)


def test_codings_are_undone_from_the_outside_in():
    assert codings("gzip, br") == ["br", "gzip"]
    wire = brotli.compress(gzip.compress(b"hello"))
    assert bytes(unpacked("gzip, br", wire).data) == b"hello"


def test_a_thousand_members_are_enough():
    body = unpacked("gzip", gzip.compress(b"") * 1001)
    assert "members" in body.flaw
