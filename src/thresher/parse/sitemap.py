"""Sitemaps: XML, plain text, RSS and Atom, packed or not, whole or broken, read in one bounded pass.

Entities are never expanded and nothing is ever fetched from here. What came before a fault is kept, and the
fault is named.
"""

import re
from calendar import timegm
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_tz
from io import BytesIO, TextIOWrapper
from itertools import islice
from xml.parsers import expat

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.compression import Body
from thresher.core.enums import Origin
from thresher.core.errors import DecompressionBomb, InvalidUrl
from thresher.core.records import Fetched, Link, Page, Url
from thresher.core.url import join

MOST_BYTES = 50 << 20  # the protocol's own limits
MOST_URLS = 50_000
MOST_LINES = 2 * MOST_URLS  # of a plain list, with those that are no URLs
MOST_ELEMENTS = 500_000  # ten for each URL
DEEPEST = 100
LONGEST_VALUE = 4_096
MOST_RATIO = 200.0
SITEMAPS = (Origin.SITEMAP, Origin.ROBOTS_TXT)  # whose links may lead to a sitemap


class SitemapEntry(Struct, frozen=True):
    """One line of a sitemap: where, and when it last changed (seconds since the epoch)."""

    url: Url
    lastmod: float | None = None


class Sitemap(Struct, frozen=True):
    """What a sitemap lists; `children` are further sitemaps, `flaw` says why there may be more."""

    urls: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()
    flaw: str = ""


def parse_sitemap(
    body: bytes,
    url: Url,
    *,
    max_bytes: int = MOST_BYTES,
    max_urls: int = MOST_URLS,
    max_elements: int = MOST_ELEMENTS,
) -> Sitemap:
    """Return what a sitemap at this URL lists, whatever its format."""
    data, flaw = _unpacked(body, max_bytes)
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if data[:1] != b"<" and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        pages = _entries(url, islice(_lines(data), max_urls))
        return Sitemap(pages, (), flaw or ("" if pages else "not a sitemap"))
    reader = _Reader(max_urls, max_elements)
    flaw = reader.read(data) or flaw
    return Sitemap(_entries(url, reader.pages), _entries(url, reader.sitemaps), flaw)


def asked_sitemap(fetched: Fetched, asked_for: bool) -> Page | None:
    """Return a sitemap as a page, if it is one; with `asked_for` only one that was asked for as such."""
    via = fetched.candidate.via
    if asked_for and (via is None or via.origin not in SITEMAPS):
        return None
    return sitemap_page(fetched)


def with_named(page: Page, fetched: Fetched) -> Page:
    """Return a page with links to the sitemaps that robots.txt names."""
    named = tuple(Link(fetched.url, url, origin=Origin.ROBOTS_TXT) for url in fetched.sitemaps)
    offsets = (-1,) * len(named) + page.offsets if page.offsets else ()
    return replace(page, links=named + page.links, offsets=offsets)


def sitemap_page(fetched: Fetched) -> Page | None:
    """Return a fetched sitemap as a page whose links are its entries, or None if it is no sitemap."""
    packed = fetched.body.startswith(b"\x1f\x8b") and fetched.url.endswith(".gz")
    if not packed and not re.search(rb"<(\w+:)?(urlset|sitemapindex)[\s>]", fetched.body[:4096]):
        return None
    sitemap = parse_sitemap(fetched.body, fetched.url)
    entries = (*sitemap.children, *sitemap.urls)
    links = tuple(Link(fetched.url, entry.url, origin=Origin.SITEMAP) for entry in entries)
    return Page(fetched.url, links=links, noindex=True) if links else None


def lists_pages(fetched: Fetched) -> bool:
    """Tell whether a response is a sitemap or a feed, by how it begins."""
    packed = fetched.body.startswith(b"\x1f\x8b") and fetched.url.endswith(".gz")
    return packed or _ROOT.search(fetched.body[:4096]) is not None


_ROOT = re.compile(rb"<(\w+:)?(urlset|rss|feed|rdf)[\s>]", re.IGNORECASE)


def moment(text: str) -> float | None:
    """Return the seconds since the epoch of a W3C date (of any precision) or an RFC 822 date."""
    text = text.strip()
    found = _W3C.fullmatch(text)
    try:
        if found:
            year, month, day, clock, zone = found.groups()
            parsed = datetime.fromisoformat(
                f"{year}-{month or '01'}-{day or '01'}T{clock or '00:00'}{zone or '+00:00'}"
            )
            return parsed.astimezone(UTC).timestamp()
        mail = parsedate_tz(text) if text else None
        return float(timegm((*mail[:6], 0, 1, 0)) - (mail[9] or 0)) if mail else None
    except (ValueError, OverflowError):
        return None


_W3C = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\d*\s*(Z|[+-]\d\d:?\d\d)?)?)?)?"
)

Found = tuple[str, str]  # where and when, as written


class _Reader:
    """Listens to expat. Elements count by their local name when they share the prefix of the root."""

    def __init__(self, max_urls: int, max_elements: int) -> None:
        self.pages: list[Found] = []
        self.sitemaps: list[Found] = []
        self._max_urls, self._max_elements = max_urls, max_elements
        self._prefix: str | None = None
        self._entries: frozenset[str] = frozenset()
        self._path: list[str] = []
        self._elements = self._open_entries = 0
        self._text = ""
        self._entry: dict[str, str] = {}
        self._written = 0

    def read(self, data: bytes) -> str:
        """Read the XML and return what was wrong with it."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.DefaultHandler = lambda text: None  # with a default handler, entities are not expanded
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            self._write(next((name for name in reversed(self._path) if name in self._entries), ""))
            return f"broken XML: {expat.ErrorString(error.code)} in line {error.lineno}"
        except _Enough as enough:
            return str(enough)
        return "" if self._entries else "not a sitemap"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        prefix, _, name = tag.rpartition(":")
        name = name.lower()
        if self._prefix is None:
            self._entries = _ENTRIES.get(name, frozenset())
            self._prefix = "" if name == "rdf" else prefix
        if prefix != self._prefix:
            name = f"{prefix}:{name}"
        self._go_in(name)
        if name in self._entries:
            self._entry, self._written = {}, 0
        elif name == "link" and self._open_entries and attributes.get("rel", "alternate") == "alternate":
            self._entry.setdefault("link", attributes.get("href", ""))

    def _go_in(self, name: str) -> None:
        self._path.append(name)
        self._text = ""
        self._elements += 1
        self._open_entries += name == "entry"
        if len(self._path) > DEEPEST or self._elements > self._max_elements:
            raise _Enough("elements inside each other or in all are more than a sitemap has")

    def _characters(self, text: str) -> None:
        if len(self._text) < LONGEST_VALUE:
            self._text += text

    def _end(self, tag: str) -> None:
        name, text = self._path.pop(), self._text.strip()
        self._open_entries -= name == "entry"
        inside = self._path[-1] if self._path else ""
        if inside in self._entries and name in _FIELDS:
            self._field(name, text, inside)
            self._text = ""
        elif name in self._entries:
            self._close(name, text)

    def _field(self, name: str, text: str, entry: str) -> None:
        """Note a field of an entry; in broken sitemaps one entry may hold several locations."""
        if name == "loc" and "loc" in self._entry:
            self._write(entry)
            self._entry = {}
        if text and (name != "link" or not self._entry.get("link")):
            self._entry.setdefault(name, text)

    def _close(self, entry: str, text: str) -> None:
        if entry in ("url", "sitemap") and not self._written and _if_url(text):
            self._entry.setdefault("loc", text)
        self._write(entry)

    def _write(self, entry: str) -> None:
        where = self._entry.get("loc") or self._entry.get("link") or _if_url(self._entry.get("guid", ""))
        when = next((self._entry[name] for name in _DATES if self._entry.get(name)), "")
        if not where:
            return
        self._written += 1
        (self.sitemaps if entry == "sitemap" else self.pages).append((where, when))
        if len(self.pages) + len(self.sitemaps) >= self._max_urls:
            raise _Enough(f"more than {self._max_urls:,} entries")


class _Enough(Exception):
    """As much as we want, and of what."""


_ENTRIES = {  # by the root: what holds one entry
    "urlset": frozenset({"url", "sitemap"}),
    "sitemapindex": frozenset({"sitemap", "url"}),
    "url": frozenset({"url"}),
    "rss": frozenset({"item"}),
    "rdf": frozenset({"item"}),
    "feed": frozenset({"entry"}),
}
_DATES = ("lastmod", "updated", "pubdate", "published", "dc:date", "date")
_FIELDS = frozenset({"loc", "link", "guid", *_DATES})


def _unpacked(body: bytes, max_bytes: int) -> tuple[bytes, str]:
    """Undo gzip, up to twice: some are packed as files and packed again on the way."""
    flaw = ""
    for _ in range(2):
        if not body.startswith(b"\x1f\x8b"):
            break
        unpacked = Body("gzip", max_bytes, MOST_RATIO)
        try:
            unpacked.feed(body)
            unpacked.unpack()
        except DecompressionBomb as error:
            flaw = str(error)
        body = bytes(unpacked.data)
        flaw = flaw or unpacked.flaw or (f"more than {max_bytes:,} bytes" if unpacked.full else "")
    if len(body) > max_bytes:
        flaw = f"more than {max_bytes:,} bytes"
    return body[:max_bytes], flaw


def _if_url(text: str) -> str:
    return text if text.lower().startswith(("http://", "https://")) else ""


def _lines(data: bytes) -> Iterable[Found]:
    """Yield the lines that are URLs, read lazily."""
    for line in islice(TextIOWrapper(BytesIO(data), "utf-8", "replace"), MOST_LINES):
        if len(line) <= LONGEST_VALUE and _if_url(line.strip()):
            yield line.strip(), ""


def _entries(base: Url, found: Iterable[Found]) -> tuple[SitemapEntry, ...]:
    """Return the entries that are URLs, each once; a date beats none."""
    entries: dict[Url, float | None] = {}
    for where, when in found:
        try:
            url = join(base, where)
        except InvalidUrl:
            continue
        entries[url] = entries.get(url) or moment(when)
    return tuple(SitemapEntry(url, lastmod) for url, lastmod in entries.items())
