"""A page in few bytes: its text, main text and links by columns, one after the other, packed as one.

The main text and the words round a link repeat the text, and links repeat each other: packed together, each
costs little more than where it was said before.
"""

import sys
from collections.abc import Callable
from itertools import repeat
from typing import Any, Literal

import msgspec
from msgspec import Struct

from thresher.core.enums import Origin
from thresher.core.records import Fingerprint, Link, Page, Url, Visit

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 1  # level 3 takes a fifth more time for a thirtieth less room
MOST = 1 << 28  # bytes of one page unpacked; more is no page of ours


class _Fingerprint(Fingerprint, frozen=True, array_like=True, gc=False):
    """A fingerprint without the names of its fields."""


class Columns(Struct, frozen=True, array_like=True):
    """A page as it is kept. A column in which every value is the usual one is empty."""

    text: str
    main: str
    url: Url
    title: str
    language: str
    charset: str
    canonical: Url | None
    noindex: bool
    nofollow: bool
    fingerprint: _Fingerprint
    offsets: tuple[int, ...]
    breaks: tuple[int, ...]
    targets: tuple[Url, ...]
    anchors: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    rels: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    sources: tuple[Url, ...] = ()
    headings: tuple[str, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], Columns] = msgspec.msgpack.Decoder(Columns).decode
_pack = zstd.ZstdCompressor(level=LEVEL).compress
_WHOLE: Literal[2] = 2  # FLUSH_FRAME
_values = msgspec.structs.astuple


def pack_page(page: Page) -> bytes:
    """Return a page as bytes."""
    links = page.links
    return _pack(
        _encode(
            (
                page.text,
                page.main,
                page.url,
                page.title,
                page.language,
                page.charset,
                page.canonical,
                page.noindex,
                page.nofollow,
                _values(page.fingerprint),
                page.offsets,
                page.breaks,
                [link.target for link in links],
                _unless_usual([link.anchor for link in links], ""),
                _unless_usual([link.context for link in links], ""),
                _unless_usual([link.rel for link in links], ""),
                _unless_usual([link.place for link in links], ""),
                _unless_usual([link.origin for link in links], Origin.PAGE),
                _unless_usual([link.source for link in links], page.url),
                _unless_usual([link.heading for link in links], ""),
            )
        ),
        _WHOLE,
    )


def packed_page_of(visit: Visit, page: Page) -> bytes:
    """Return the page of a visit as bytes; a worker may have packed it already."""
    ready = visit.ready
    return ready.packed if ready and ready.page is page else pack_page(page)


def unpack_page(packed: bytes, most: int = MOST) -> Page:
    """Return the page that was packed; it is no larger than `most` bytes."""
    kept = _columns(packed, most)
    return Page(
        kept.url,
        kept.title,
        kept.text,
        kept.main,
        kept.language,
        kept.charset,
        _links(kept),
        kept.canonical,
        kept.noindex,
        kept.nofollow,
        Fingerprint(*_values(kept.fingerprint)),
        kept.offsets,
        kept.breaks,
    )


def unpack_links(packed: bytes) -> tuple[Link, ...]:
    """Return the links of the page that was packed."""
    return _links(_columns(packed))


def _unless_usual(column: list[Any], usual: object) -> list[Any]:
    return [] if column.count(usual) == len(column) else column


def _columns(packed: bytes, most: int = MOST) -> Columns:
    unpacker = zstd.ZstdDecompressor()
    try:
        unpacked = unpacker.decompress(packed, most)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a page is cut off, larger than any, or followed by something")
    return _decode(unpacked)


def _links(kept: Columns) -> tuple[Link, ...]:
    columns = (kept.anchors, kept.contexts, kept.rels, kept.places, kept.origins, kept.sources, kept.headings)
    if not {*map(len, columns)} <= {0, len(kept.targets)}:
        raise ValueError("the links of a page are of unequal lengths")
    return tuple(
        map(
            Link,
            kept.sources or repeat(kept.url),
            kept.targets,
            kept.anchors or repeat(""),
            kept.contexts or repeat(""),
            kept.rels or repeat(""),
            kept.places or repeat(""),
            kept.origins or repeat(Origin.PAGE),
            kept.headings or repeat(""),
        )
    )
