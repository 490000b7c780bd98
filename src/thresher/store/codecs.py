"""Pages, candidates and links in few bytes."""

import sqlite3
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from thresher.core.enums import Origin, Request
from thresher.core.records import Candidate, Fingerprint, Link, Page, Url, Visit
from thresher.store.schema import read_facts, write_facts

# A page in few bytes: its text, main text and links by columns, one after the other, packed as one.
#
# The main text and the words round a link repeat the text, and links repeat each other: packed together, each
# costs little more than where it was said before.


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 1  # level 3 takes a fifth more time for a thirtieth less room
MOST = 1 << 28  # bytes of one page unpacked; more is no page of ours


class _Fingerprint(Fingerprint, frozen=True, array_like=True, gc=False):
    """A fingerprint without the names of its fields."""


class PageColumns(Struct, frozen=True, array_like=True):
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


_encode_page = msgspec.msgpack.Encoder().encode
_decode_page: Callable[[bytes], PageColumns] = msgspec.msgpack.Decoder(PageColumns).decode
_pack = zstd.ZstdCompressor(level=LEVEL).compress
_target = attrgetter("target")
_WHOLE: Literal[2] = 2  # FLUSH_FRAME
_values = msgspec.structs.astuple


def pack_page(page: Page) -> bytes:
    """Return a page as bytes."""
    return _pack(
        _encode_page(
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
                *_columns_of(page),
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


def _columns_of(page: Page) -> list[list[Any]]:
    """Return the links of a page by columns, the targets first."""
    usual: dict[str, object] = {"anchor": "", "context": "", "rel": "", "place": "", "origin": Origin.PAGE}
    columns = [[*map(_target, page.links)]]
    for name, value in (usual | {"source": page.url, "heading": ""}).items():
        column = [*map(attrgetter(name), page.links)]
        columns.append([] if column.count(value) == len(column) else column)
    return columns


def _columns(packed: bytes, most: int = MOST) -> PageColumns:
    unpacker = zstd.ZstdDecompressor()
    try:
        unpacked = unpacker.decompress(packed, most)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a page is cut off, larger than any, or followed by something")
    return _decode_page(unpacked)


def _links(kept: PageColumns) -> tuple[Link, ...]:
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


# Candidates: the fields in their order, without their names


_Via = tuple[Url, Url, str, str, str, str, Origin]
_Packed = tuple[Url, float, _Via | None, int, float, int, int, Request, float, bool]

_encode_candidate = msgspec.msgpack.Encoder().encode
_decode_candidate: Callable[[bytes], _Packed] = msgspec.msgpack.Decoder(_Packed).decode


def pack(candidate: Candidate, *, bare: bool = False) -> bytes:
    """Return a candidate as bytes, a bare one without its URL; its link repeats neither URL nor heading."""
    url, priority, via, *others = astuple(candidate)
    if via is not None:
        source, target, *words, _ = astuple(via)
        via = (source, "" if target == url else target, *words)
    return _encode_candidate(("" if bare else url, priority, via, *others))


def unpack(packed: bytes, beside: str = "") -> Candidate:
    """Return the candidate that was packed; the URL beside it is its own, if it was packed without."""
    url, priority, via, life, inherited, depth, redirects, kind, due, reprice = _decode_candidate(packed)
    url = url or Url(beside)
    link = Link(via[0], via[1] or url, *via[2:]) if via else None
    return Candidate(url, priority, link, life, inherited, depth, redirects, kind, due, reprice)


# Which pages link to a URL: the links of a visit in one row, and sorted in by their targets for who asks.
#
# A link sorted in by itself costs eight times what it costs to keep it, because each lands elsewhere in the
# file; so the latest wait in memory. Few strategies ask for them: nothing is sorted before one does.


LATEST = 8_192  # links that wait in memory

LINKS = "SELECT value AS target, source FROM link, json_each(link_keys(targets))"
"""Every link: the key of a URL, and the visit whose page links to it."""

_TABLE = """
CREATE TABLE IF NOT EXISTS cited (
    target INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (target, source)
) WITHOUT ROWID
"""
_SORT_IN = f"INSERT OR IGNORE INTO cited {LINKS} WHERE source > ? ORDER BY target, source"
_ASK = "SELECT source FROM cited WHERE target = ?"
_ASK_LATEST = "SELECT source, targets FROM link WHERE source > ? AND instr(targets, ?)"


def pack_keys(keys: Sequence[int]) -> bytes:
    """Return keys of URLs as bytes, eight each."""
    return struct.pack(f"<{len(keys)}q", *keys)


def unpack_keys(packed: bytes) -> tuple[int, ...]:
    """Return the keys that were packed."""
    return struct.unpack_from(f"<{len(packed) // 8}q", packed)


class InlinkIndex:
    """The visits whose pages link to a URL; where the database is read-only, found the same but slower."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Store the connection; the index is built on first use."""
        self._connection = connection
        connection.create_function("link_keys", 1, _as_json, deterministic=True)
        self._latest: dict[int, list[int]] | None = None
        self._waiting = 0

    def sources(self, target: int) -> Sequence[int]:
        """Return the numbers of the visits whose pages have a link to a key, in order."""
        if self._latest is None and not self._begin():
            return self._found(target)
        latest = self._latest or {}
        known = self._connection.execute(_ASK, (target,)).fetchall()
        return sorted({*(source for (source,) in known), *latest.get(target, ())})

    def add(self, visit: int, targets: Iterable[int]) -> None:
        """Note the links of a page that was just stored, if the index was ever asked for."""
        if self._latest is None:
            return
        for target in targets:
            self._latest.setdefault(target, []).append(visit)
            self._waiting += 1
        if self._waiting >= LATEST:
            self._sort_in()

    def _begin(self) -> bool:
        """Sort in what was kept before, and tell whether that was possible."""
        try:
            self._connection.execute(_TABLE)
            self._sort_in()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY:
                raise
            return False
        return True

    def _sort_in(self) -> None:
        self._connection.execute(_SORT_IN, (self._sorted(),))
        last = self._connection.execute("SELECT ifnull(max(source), 0) FROM link").fetchone()[0]
        write_facts(self._connection, {"links_sorted": last})
        self._latest, self._waiting = {}, 0

    def _sorted(self) -> int:
        return read_facts(self._connection, "links_sorted").links_sorted

    def _found(self, target: int) -> Sequence[int]:
        """Return what a reader finds: what was sorted in, and the rest one by one."""
        known = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cited'").fetchone()
        rows = self._connection.execute(_ASK, (target,)).fetchall() if known else []
        since = self._sorted() if known else 0
        latest = self._connection.execute(_ASK_LATEST, (since, pack_keys([target])))
        found = {source for source, targets in latest if target in unpack_keys(targets)}
        return sorted({source for (source,) in rows} | found)


def _as_json(packed: bytes) -> str:
    return str(list(unpack_keys(packed)))
