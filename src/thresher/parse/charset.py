"""Bytes into text: the encoding by byte-order mark, header, meta, then statistics; never an error.

    mark > HTTP header > <meta> or XML declaration in the first kilobyte > UTF-8 if it fits > a later <meta> > statistics

The first three are the WHATWG's; a declaration that the bytes contradict is not believed, because servers
are often wrong about their pages.
"""

import re
from functools import lru_cache

import turbohtml
from turbohtml.detect import Detection, detect

MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
DEFAULT = "windows-1252"
PRESCAN = 1024  # bytes in which the WHATWG looks for a declaration
LATE = 65_536  # bytes in which we still look for one when nothing else helps
SAMPLE = 16_384  # bytes the statistics read: 2 ms of Chinese
CONVINCING = 8  # characters outside ASCII that make valid UTF-8 no accident
DAMAGE = 0.1  # share of broken characters above which a page is not UTF-8


def decode(body: bytes, label: str = "", domain: str = "") -> tuple[str, str]:
    """Return the text of a page and its encoding; `label` is the header's, `domain` the host's last label."""
    name = _believable(declared(body, label), body) or _guess(body, label, domain)
    return _decoded(body, name), "gb18030" if name == "gbk" else name


def declared(body: bytes, label: str = "") -> str:
    """Return the encoding that mark, header or meta declares, or the empty string."""
    for mark, name in MARKS:
        if body.startswith(mark):
            return name
    return encoding_named(label) or _in_markup(body[:PRESCAN])


@lru_cache(maxsize=1024)
def encoding_named(label: str) -> str:
    """Return the WHATWG's name for a label such as 'gb2312', or the empty string; Python's codecs do not count."""
    try:
        name = turbohtml.parse(b"", encoding=label.strip("\t\n\f\r \"'")).encoding
    except LookupError:
        return ""
    return name.lower() if name else ""


def _in_markup(start: bytes) -> str:
    document = turbohtml.parse(start)
    return (document.encoding or "").lower() if document.encoding_confidence == "certain" else ""


def _believable(name: str, body: bytes) -> str:
    """Return the declared encoding unless the bytes say otherwise."""
    if name == "utf-8":
        return name if _is_utf8(body) else ""
    if name in {"", "replacement"} or (name.startswith("utf-16") and b"\0" not in body[:PRESCAN]):
        return ""
    return "utf-8" if _is_convincing_utf8(body) else name


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        text = body.decode(errors="replace")
        foreign = len(text) - len(text.encode("ascii", "ignore"))
        return text.count("\ufffd") <= max(1, DAMAGE * foreign)
    return True


def _is_convincing_utf8(body: bytes) -> bool:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False
    return not text.isascii() and len(text) - len(text.encode("ascii", "ignore")) >= CONVINCING


def _guess(body: bytes, label: str, domain: str) -> str:
    if b"\x1b$" not in body and b"\x1b(" not in body and _is_utf8(body):
        return "utf-8"
    return _meta_apart_from(label, body) or _by_statistics(body, domain)


def _meta_apart_from(label: str, body: bytes) -> str:
    """Return what the markup declares, also late in the page, where the header was not believed."""
    name = _in_markup(body[:PRESCAN]) or _in_markup(body[:LATE])
    return (
        "" if name in {encoding_named(label), "utf-8", "replacement"} or name.startswith("utf-16") else name
    )


def _by_statistics(body: bytes, domain: str) -> str:
    sample = body[:SAMPLE] if b"\x1b" in body else b"\n".join(_foreign_runs(body))
    match = detect(sample, Detection(tld=domain if domain.isascii() and domain.isalpha() else None))
    return (match.encoding or DEFAULT).lower()


_FOREIGN = re.compile(rb"[\x80-\xff][^<>]*")


def _foreign_runs(body: bytes) -> list[bytes]:
    """Return the first stretches of text outside ASCII: markup and scripts tell the statistics nothing."""
    runs, size = [], 0
    for match in _FOREIGN.finditer(body):
        runs.append(match[0][: SAMPLE - size])
        size += len(match[0])
        if size >= SAMPLE:
            break
    return runs


def _decoded(body: bytes, name: str) -> str:
    for mark, marked in MARKS:
        if marked == name and body.startswith(mark):
            body = body[len(mark) :]
    return body.decode(f"whatwg-{name}", "replace")
