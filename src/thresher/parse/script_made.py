"""Whether a page is made by script: it came with scripts, and with hardly anything to read.

Only the bytes are looked at, from the start until there is text enough, so that it costs a usual page next to
nothing. A byte beyond ASCII counts as a letter: a Han letter for two or three, which is what it is worth.
"""

import re

from thresher.core.optional import CORE
from thresher.core.records import Fetched
from thresher.parse.document import Kind, kind_of

HARDLY = 200
"""Letters below which a page has hardly any text; what it says to readers without scripts counts, too."""
TAGS, PIECE = 10_000, 1 << 14  # tags, and bytes of text between two, looked at: everybody waits meanwhile

_HIDDEN = frozenset({b"script", b"style", b"template", b"svg", b"title"})
_TAG = re.compile(rb"<(?:!--|/?([a-z][a-z0-9-]*))", re.IGNORECASE)
_LETTERS = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
_ENTITY = re.compile(rb"&[#0-9A-Za-z]{1,31};")
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
    return fetched.status == 200 and kind_of(fetched.header("content-type"), fetched.body) is Kind.HTML


def _runs(markup: bytes) -> bool:
    """Tell whether any script in a page is more than data."""
    return _SCRIPT.search(markup) is not None


def letters_in(markup: bytes, most: int) -> int:
    """Return how many letters a reader sees, or the first number above `most` that is found."""
    return CORE.letters_in(markup, most, TAGS) if CORE else reference_letters(markup, most)


def reference_letters(markup: bytes, most: int) -> int:
    """Return the same by Python."""
    at, count = 0, 0
    for _ in range(TAGS):
        if at >= len(markup) or count >= most:
            return count
        opened = markup.find(b"<", at, at + PIECE)
        text = markup[at : at + PIECE] if opened < 0 else markup[at:opened]
        count += sum(map(len, _LETTERS.findall(_ENTITY.sub(b"", text))))
        at = at + PIECE if opened < 0 else _behind(markup, opened)
    return most  # nobody makes so many tags by hand, or by script, to show nothing


def _behind(markup: bytes, opened: int) -> int:
    """Return where text may go on behind a tag, a comment, or an element that nobody sees."""
    found = _TAG.match(markup, opened)
    if found is None:
        return opened + 1
    if found[1] is None:
        end = markup.find(b"-->", opened) + 2
        return end + 1 if end > 1 else len(markup)
    if found[1].lower() in _HIDDEN and markup[opened + 1] != ord("/"):
        return _closing(markup, found.end(), found[1].lower())
    return markup.find(b">", opened) + 1 or len(markup)


def _closing(markup: bytes, at: int, name: bytes) -> int:
    """Return where an element that holds no other is closed, or the end."""
    while (at := markup.find(b"</", at)) >= 0:
        at += 2
        if markup[at : at + len(name)].lower() == name:
            return at
    return len(markup)
