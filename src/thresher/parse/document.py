"""From a response to a page: what kind of document it is, its text, its links and its fingerprint."""

import ctypes
import gc
import re
import sys
from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.errors import DocumentUnread, ReaderFailed
from thresher.core.optional import CORE
from thresher.core.records import Fetched, Page, Url
from thresher.core.url import hostname_of
from thresher.parse.anchors import LONGEST, Mention
from thresher.parse.charset import decode
from thresher.parse.fingerprint import fingerprint, image_fingerprint
from thresher.parse.html import HtmlFacts, header_rules, read, verdict
from thresher.parse.links import UrlResolver, canonical_of, canonicals_in_header, placed_links
from thresher.parse.office import OLE, read_office
from thresher.parse.pdf import read_pdf
from thresher.parse.simple_formats import read_feed, read_plain
from thresher.parse.tree import fold, tidy
from thresher.text.detect import language_of

# Document readers: a plug-in that reads a kind of document that we cannot


MOST_LINKS = 1_000
TITLE = 1_000  # characters


class Document(Struct, frozen=True):
    """What a reader found in a document."""

    title: str = ""
    text: str = ""
    links: tuple[tuple[str, str], ...] = ()  # an address, absolute or not, and the words of the link
    language: str = ""  # if the document says so


class DocumentReader:
    """Reads one kind of document; what it raises becomes the reason why the page was not read."""

    def takes(self, content_type: str, start: bytes) -> bool:
        """Tell by the declared type and the first bytes whether the document is of this kind."""
        raise NotImplementedError

    def read(self, body: bytes) -> Document:
        """Return what the document says."""
        raise NotImplementedError


def reading_of(document: Document) -> HtmlFacts:
    """Return what a reader found as our own readers tell it, within their limits."""
    text = tidy(document.text[:LONGEST])
    links = document.links[:MOST_LINKS]
    mentions = [Mention(address, anchor=fold(words)[:TITLE]) for address, words in links]
    title = fold(document.title)[:TITLE]
    return HtmlFacts(title=title, text=text, main=text, language=document.language, mentions=mentions)


class DocumentKind(Enum):
    """The kinds of document we read."""

    HTML = "html"
    FEED = "feed"
    TEXT = "text"
    IMAGE = "image"
    PDF = "pdf"
    OFFICE = "office"  # a zip of XML, or what was before it
    OTHER = "other"


def kind_of(content_type: str, body: bytes) -> DocumentKind:
    """Return the kind of document; servers are wrong about it often enough to look."""
    start = body[:LOOK]
    if start.startswith(_IMAGE):
        return DocumentKind.IMAGE
    if start.startswith(b"%PDF-"):
        return DocumentKind.PDF
    if start.startswith((b"PK\x03\x04", OLE)) and _is_office(content_type, start):
        return DocumentKind.OFFICE
    if start.startswith(_BINARY):
        return DocumentKind.IMAGE if start[8:12] == b"WEBP" else DocumentKind.OTHER
    declared = content_type.partition(";")[0].strip().lower()
    if declared in _HTML:
        return DocumentKind.FEED if _FEED.match(start) else DocumentKind.HTML
    if declared in _TEXT:
        return DocumentKind.HTML if _DOCUMENT.match(start) else DocumentKind.TEXT
    if declared in _XML or declared.endswith("+xml"):
        return DocumentKind.HTML if _DOCUMENT.match(start) else DocumentKind.FEED
    return _unknown(start) if declared in _UNKNOWN else DocumentKind.OTHER


def _is_office(content_type: str, start: bytes) -> bool:
    """Tell whether a zip is a document and no heap of files."""
    return bool(_OFFICE.search(content_type.lower())) or any(mark in start for mark in _OFFICE_MARKS)


LOOK = 1024
_OFFICE = re.compile(r"officedocument|opendocument|epub\+zip|msword|ms-(?:excel|powerpoint)")
_OFFICE_MARKS = (b"[Content_Types].xml", b"mimetypeapplication/epub", b"mimetypeapplication/vnd.oasis")
_HTML = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_TEXT = frozenset({"text/plain", "text/markdown"})
_XML = frozenset({"text/xml", "application/xml"})
_UNKNOWN = frozenset({"", "*/*", "unknown/unknown", "application/unknown", "application/octet-stream"})
_IMAGE = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
_BINARY = (
    *(b"%!PS", b"RIFF", b"OggS", b"ID3", b"wOFF", b"wOF2"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd"),
    *(b"\x7fELF", b"MZ\x90", b"\0asm"),
)
# The quantifiers are possessive: a page of white space would otherwise be tried in every way to split it.
_PREAMBLE = rb"(?:\xef\xbb\xbf)?(?:\s++|<\?[^>]{0,500}+>|<!--.{0,500}?-->)*+"
_DOCUMENT = re.compile(_PREAMBLE + rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_FEED = re.compile(_PREAMBLE + rb"<(?:rss|feed|rdf:rdf)[\s>]", re.IGNORECASE | re.DOTALL)
_ELEMENT = re.compile(
    _PREAMBLE
    + rb"<(?:!--|/?(?:a|b|base|body|br|center|div|font|frameset|h1|head|iframe|link|meta|p|script|style|"
    rb"table|title)[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_NEVER_IN_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def _unknown(start: bytes) -> DocumentKind:
    if _DOCUMENT.match(start) or _ELEMENT.match(start):
        return DocumentKind.HTML
    if _FEED.match(start):
        return DocumentKind.FEED
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    return (
        DocumentKind.OTHER if not start or (_NEVER_IN_TEXT.search(start) and not wide) else DocumentKind.TEXT
    )


LARGE = 256 * 1024  # characters of one page before which memory is given back: its tree takes much of it
HUGE = 4 * LARGE  # characters of one page after which it is, too
MANY = 16 * LARGE  # characters of many pages after which it is: much of it would be free, but kept


class Debt:
    """The characters read since memory was given back."""

    def __init__(self) -> None:
        self._read = 0

    def before(self, characters: int) -> None:
        """Give back what earlier pages took, if it is time or the page to be read is large."""
        self._read += characters
        if characters > LARGE or self._read > MANY:
            self._read = 0
            _give_back()

    def after(self, characters: int) -> None:
        """Give back at once what a huge page took; its tree is gone."""
        if characters > HUGE:
            gc.collect()  # whatever of it refers to itself
            _give_back()


def _give_back() -> None:
    """Hand freed memory back: the C library would keep it in pieces for the rest of the crawl."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return the function that does it, where the C library has one."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


MAX_BYTES = 10 * 1024 * 1024
MAX_LINKS = 5_000


def parse(
    fetched: Fetched,
    *,
    agent: str = "thresher",
    max_bytes: int = MAX_BYTES,
    max_links: int = MAX_LINKS,
    context: bool = True,
    place: bool = True,
    codes: bool = True,
    offsets: bool = True,
    readers: Sequence[DocumentReader] = (),
) -> Page:
    """Return the page a response holds; one without text and links when it is no document we can read.

    The `context`, `place` and `offsets` of links and the `codes` of Mali & Meshram cost time and are
    computed only if asked for. Readers of the user's own are asked before ours.
    """
    declared = fetched.header("content-type")
    for reader in readers:
        if (found := _read_by(reader, fetched, declared, max_bytes)) is not None:
            return _page(fetched, found, "utf-8", agent, max_links, codes)
    kind = kind_of(declared, fetched.body)
    if kind is DocumentKind.PDF or kind is DocumentKind.OFFICE:
        reading = read_pdf(fetched.body) if kind is DocumentKind.PDF else read_office(fetched.body)
        return _page(fetched, reading, "utf-8", agent, max_links, codes)
    if kind is DocumentKind.OTHER or kind is DocumentKind.IMAGE:
        page = _page(fetched, HtmlFacts(), "", agent, max_links, codes)
        return (
            replace(page, fingerprint=image_fingerprint(fetched.body)) if kind is DocumentKind.IMAGE else page
        )
    markup, charset = markup_of(fetched, max_bytes)
    _debt.before(len(markup))
    wanted = {"context": context, "place": place, "offsets": offsets, "codes": codes}
    reading = read(markup, agent, **wanted) if kind is DocumentKind.HTML else _read(kind, markup)
    _debt.after(len(markup))
    return _page(fetched, reading, charset, agent, max_links, codes)


def _read_by(reader: DocumentReader, fetched: Fetched, declared: str, max_bytes: int) -> HtmlFacts | None:
    """Return what a reader of the user's own makes of a document, or None if it is not for it."""
    try:
        if not reader.takes(declared, fetched.body[:LOOK]):
            return None
        return reading_of(reader.read(fetched.body[:max_bytes]))
    except DocumentUnread:
        raise
    except Exception as error:
        raise ReaderFailed(f"the reader {type(reader).__name__} raised {error!r}") from error


def markup_of(fetched: Fetched, max_bytes: int = MAX_BYTES) -> tuple[str, str]:
    """Return a document that is text as text, and the charset it was in."""
    label = _CHARSET.search(fetched.header("content-type"))
    domain = hostname_of(fetched.url).rpartition(".")[2]
    return decode(fetched.body[:max_bytes], label[1] if label else "", domain)


_debt = Debt()
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?![A-Za-z])")


def _read(kind: DocumentKind, markup: str) -> HtmlFacts:
    if kind is DocumentKind.FEED:
        return read_feed(markup)
    return read_plain(markup)


def _page(
    fetched: Fetched, reading: HtmlFacts, charset: str, agent: str, max_links: int, codes: bool
) -> Page:
    resolver = UrlResolver(fetched.url, reading.base or "", charset)
    noindex, nofollow = verdict(
        header_rules(_headers(fetched, "x-robots-tag"), agent.lower()) + reading.robots,
        fetched.fetched_at,
    )
    links, offsets = placed_links(fetched.url, reading.mentions, resolver, max_links)
    return Page(
        url=fetched.url,
        title=reading.title,
        text=reading.text,
        main=reading.main,
        language=_language(fetched, reading),
        charset=charset,
        links=links,
        canonical=_canonical(fetched, reading, resolver),
        noindex=noindex,
        nofollow=nofollow,
        fingerprint=fingerprint(
            reading.tags,
            reading.written or reading.text,
            reading.main,
            filter(None, map(resolver.__getitem__, reading.images)),
            codes=codes,
        ),
        offsets=offsets if max(offsets, default=-1) >= 0 else (),
        breaks=tuple(reading.breaks),
    )


def _language(fetched: Fetched, reading: HtmlFacts) -> str:
    """Return the language of a page: as its text tells, else as it is declared."""
    declared = _primary(reading.language) or _primary(fetched.header("content-language"))
    return language_of(reading.main or reading.text or reading.title, declared)


def _headers(fetched: Fetched, name: str) -> list[str]:
    return [value for key, value in fetched.headers if key == name]


def _canonical(fetched: Fetched, reading: HtmlFacts, resolver: UrlResolver) -> Url | None:
    announced = [target for value in _headers(fetched, "link") for target in canonicals_in_header(value)]
    return canonical_of([*reading.canonicals, *announced], resolver)


def _primary(language: str) -> str:
    """Return the primary tag of a language: 'zh' for 'zh-CN'."""
    match = _LANGUAGE.match(language.lstrip())
    return match[1].lower() if match else ""


# Whether a page is made by script: it came with scripts, and with hardly anything to read.
#
# Only the bytes are looked at, from the start until there is text enough, so that it costs a usual page next
# to nothing. A byte beyond ASCII counts as a letter: a Han letter for two or three, which is what it is
# worth.


HARDLY = 200
"""Letters below which a page has hardly any text; what it says to readers without scripts counts, too."""
TAGS = 10_000  # looked at: everything else waits meanwhile

_SCRIPT = re.compile(
    rb"<script(?![^>]{0,500}?\btype\s*=\s*[\"']?(?:application|text)/(?:ld\+)?(?:json|template))", re.I
)


def is_made_by_script(fetched: Fetched) -> bool:
    """Tell whether a page needs a browser to become itself."""
    return _is_page(fetched) and letters_in(fetched.body, HARDLY) < HARDLY and _runs(fetched.body)


def has_script(fetched: Fetched) -> bool:
    """Tell whether a response is a page with a script that runs."""
    return _is_page(fetched) and _runs(fetched.body)


def _is_page(fetched: Fetched) -> bool:
    return (
        fetched.status == 200 and kind_of(fetched.header("content-type"), fetched.body) is DocumentKind.HTML
    )


def _runs(markup: bytes) -> bool:
    """Tell whether any script in a page is more than data."""
    return _SCRIPT.search(markup) is not None


def letters_in(markup: bytes, most: int) -> int:
    """Return how many letters a reader sees, or the first number above `most` that is found."""
    return CORE.letters_in(markup, most, TAGS)
