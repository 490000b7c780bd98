"""What kind of document a response holds: by its declared type, corrected by its first bytes."""

import re
from enum import Enum


class Kind(Enum):
    """The kinds of document we read."""

    HTML = "html"
    FEED = "feed"
    TEXT = "text"
    IMAGE = "image"
    OTHER = "other"


def kind_of(content_type: str, body: bytes) -> Kind:
    """Return the kind of document; servers are wrong about it often enough to look."""
    start = body[:LOOK]
    if start.startswith(_IMAGE):
        return Kind.IMAGE
    if start.startswith(_BINARY):
        return Kind.IMAGE if start[8:12] == b"WEBP" else Kind.OTHER
    declared = content_type.partition(";")[0].strip().lower()
    if declared in _HTML:
        return Kind.FEED if _FEED.match(start) else Kind.HTML
    if declared in _TEXT:
        return Kind.HTML if _DOCUMENT.match(start) else Kind.TEXT
    if declared in _XML or declared.endswith("+xml"):
        return Kind.HTML if _DOCUMENT.match(start) else Kind.FEED
    return _unknown(start) if declared in _UNKNOWN else Kind.OTHER


LOOK = 1024
_HTML = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_TEXT = frozenset({"text/plain", "text/markdown"})
_XML = frozenset({"text/xml", "application/xml"})
_UNKNOWN = frozenset({"", "*/*", "unknown/unknown", "application/unknown", "application/octet-stream"})
_IMAGE = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
_BINARY = (
    *(b"%PDF-", b"%!PS", b"RIFF", b"OggS", b"ID3", b"wOFF", b"wOF2"),
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


def _unknown(start: bytes) -> Kind:
    if _DOCUMENT.match(start) or _ELEMENT.match(start):
        return Kind.HTML
    if _FEED.match(start):
        return Kind.FEED
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    return Kind.OTHER if not start or (_NEVER_IN_TEXT.search(start) and not wide) else Kind.TEXT
