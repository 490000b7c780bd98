"""A candidate in few bytes: its fields in their order, without their names."""

from collections.abc import Callable

import msgspec
from msgspec.structs import astuple

from thresher.core.enums import Origin, Request
from thresher.core.records import Candidate, Link, Url

_Via = tuple[Url, Url, str, str, str, str, Origin]
_Packed = tuple[Url, float, _Via | None, int, float, int, int, Request, float, bool]

_encode = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], _Packed] = msgspec.msgpack.Decoder(_Packed).decode


def pack(candidate: Candidate, *, bare: bool = False) -> bytes:
    """Return a candidate as bytes, a bare one without its URL; its link repeats neither URL nor heading."""
    url, priority, via, *others = astuple(candidate)
    if via is not None:
        source, target, *words, _ = astuple(via)
        via = (source, "" if target == url else target, *words)
    return _encode(("" if bare else url, priority, via, *others))


def unpack(packed: bytes, beside: str = "") -> Candidate:
    """Return the candidate that was packed; the URL beside it is its own, if it was packed without."""
    url, priority, via, life, inherited, depth, redirects, kind, due, reprice = _decode(packed)
    url = url or Url(beside)
    link = Link(via[0], via[1] or url, *via[2:]) if via else None
    return Candidate(url, priority, link, life, inherited, depth, redirects, kind, due, reprice)
