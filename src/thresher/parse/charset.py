"""Bytes into text: the encoding by byte-order mark, header, meta, then statistics; never an error.

    mark > HTTP header > <meta> or <?xml?> near the start > a later <meta> > UTF-8 if it fits > statistics

The order is that of browsers, but a declaration that the bytes contradict is not believed: servers are often
wrong about their pages.
"""

import codecs
import re
from contextlib import suppress

from thresher.core.caches import remembered
from thresher.parse.tree import as_browsers_decode, encoding_by_statistics, encoding_called, encoding_in

MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
DEFAULT = "windows-1252"
PRESCAN = 1024  # bytes in which browsers look for a declaration before they begin to read
LATE = 65_536  # bytes in which they would come across a later one
_USUAL = ("utf-8", "utf8")
SAMPLE = 16_384  # bytes the statistics read: 2 ms of Chinese
LONGEST_CHARACTER = 4  # bytes, in any encoding
CONVINCING = 8  # characters outside ASCII that make valid UTF-8 no accident
DAMAGE = 0.1  # share of broken characters above which a page is not UTF-8


def decode(body: bytes, label: str = "", domain: str = "") -> tuple[str, str]:
    """Return the text of a page and its encoding; `label` is the header's, `domain` the host's last label."""
    said = declared(body, label)
    if said == "utf-8":
        with suppress(UnicodeDecodeError):
            return body.removeprefix(codecs.BOM_UTF8).decode(), said  # most pages: one test is enough
    name = _believable(said, body) or _guess(body, label, domain)
    return decode_as(name, body), "gb18030" if name == "gbk" else name


def declared(body: bytes, label: str = "") -> str:
    """Return the encoding that mark, header or meta declares, or the empty string."""
    for mark, name in MARKS:
        if body.startswith(mark):
            return name
    return encoding_named(label) or _in_markup(body)


def decode_as(name: str, body: bytes) -> str:
    """Return the text of bytes in an encoding the WHATWG names, as browsers decode it, without its mark."""
    for mark, marked in MARKS:
        if marked == name and body.startswith(mark):
            body = body[len(mark) :]
    if name == "utf-8":
        with suppress(UnicodeDecodeError):
            return body.decode()  # ten times as fast, and the same for what has no flaw
    return as_browsers_decode(name, body)


@remembered(1024)
def encoding_named(label: str) -> str:
    """Return the name the WHATWG gives to a label, or the empty string; Python's own names do not count."""
    label = label.strip("\t\n\f\r \"'")
    if label.lower() in _USUAL:
        return "utf-8"
    try:
        name = encoding_called(label)
    except LookupError:
        return ""
    return name.lower()


def _in_markup(body: bytes) -> str:
    name = _found_in(body[:PRESCAN])
    if not name and (xml := _XML_DECLARATION.match(body[:PRESCAN])):
        name = encoding_named(xml[1].decode())
    if not name and b"charset" in body[PRESCAN:LATE].lower():
        name = _found_in(body[:LATE])
    return name


def _found_in(start: bytes) -> str:
    name, is_guess = encoding_in(start)
    name = name.lower()
    return "" if is_guess and name in {DEFAULT, "utf-8"} else name


def _believable(name: str, body: bytes) -> str:
    """Return the declared encoding unless the bytes say otherwise."""
    if name == "utf-8":
        return name if _is_utf8(body) else ""
    if name in {"", "replacement"} or (name.startswith("utf-16") and b"\0" not in body[:PRESCAN]):
        return ""
    return "utf-8" if _is_surely_utf8(body) else name


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.utf_8_decode(body, "strict", False)  # a page cut short may end inside a character
    except UnicodeDecodeError:
        text = body.decode(errors="replace")
        return text.count("\ufffd") <= DAMAGE * _foreign(text)
    return True


def _is_surely_utf8(body: bytes) -> bool:
    try:
        text, _ = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return not text.isascii() and _foreign(text) >= CONVINCING


def _foreign(text: str) -> int:
    """Count the characters outside ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _guess(body: bytes, label: str, domain: str) -> str:
    """Find the encoding of a page that declares none, or one that cannot be: then its meta has a word."""
    if b"\x1b" not in body and _is_utf8(body):
        return "utf-8"
    name = _in_markup(body) if encoding_named(label) else ""
    if name in {"", "replacement", "utf-8"} or name.startswith("utf-16"):
        return _by_statistics(body, domain)
    return name


def _by_statistics(body: bytes, domain: str) -> str:
    if b"\x1b" in body:
        return _detected(body[:SAMPLE], domain)
    runs = _foreign_runs(body)
    for cut in range(LONGEST_CHARACTER):  # a sample that ends inside a character looks like no CJK at all
        name = _detected(b"\n".join((*runs[:-1], runs[-1][: len(runs[-1]) - cut])) if runs else b"", domain)
        if name != DEFAULT or len(body) <= SAMPLE:
            return name
    return DEFAULT


def _detected(sample: bytes, domain: str) -> str:
    name = encoding_by_statistics(sample, domain if _DOMAIN.fullmatch(domain) else None)
    return (name or DEFAULT).lower().removesuffix("-sig")


_XML_DECLARATION = re.compile(rb"""<\?xml[^>]{1,200}?\sencoding\s*=\s*["']([\w.:-]+)""", re.ASCII)
_DOMAIN = re.compile("[a-z]{2,}|xn--[a-z0-9-]+")
_FOREIGN_RUN = re.compile(rb"[\x80-\xff][^<>]*")


def _foreign_runs(body: bytes) -> list[bytes]:
    """Return the first stretches of text outside ASCII: markup and scripts tell the statistics nothing."""
    runs, size = [], 0
    for match in _FOREIGN_RUN.finditer(body):
        runs.append(match[0][: SAMPLE - size])
        size += len(match[0])
        if size >= SAMPLE:
            break
    return runs
