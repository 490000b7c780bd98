"""Whether a page is made by script: it came with scripts, and with hardly anything to read.

Only the bytes are looked at, from the start until there is text enough, so that it costs a usual page next to
nothing. A byte beyond ASCII counts as a letter: a Han letter for two or three, which is what it is worth.
"""

import re

from thresher.core.records import Fetched
from thresher.parse.document import Kind, kind_of

HARDLY = 200
"""Letters below which a page has hardly any text; what it says to readers without scripts counts, too."""

_HIDDEN = frozenset({b"script", b"style", b"template", b"svg", b"title"})
_TAG = re.compile(rb"<(?:!--|/?([a-z][a-z0-9-]*))", re.IGNORECASE)
_LETTERS = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
_ENTITY = re.compile(rb"&[#0-9A-Za-z]{1,31};")
_SCRIPT = re.compile(
    rb"<script(?![^>]{0,500}?\btype\s*=\s*[\"']?(?:application|text)/(?:ld\+)?(?:json|template))", re.I
)


def is_made_by_script(fetched: Fetched) -> bool:
    """Tell whether a page needs a browser to become itself."""
    return has_script(fetched) and letters_in(fetched.body, HARDLY) < HARDLY


def has_script(fetched: Fetched) -> bool:
    """Tell whether a response is a page with a script that runs."""
    if fetched.status != 200 or kind_of(fetched.header("content-type"), fetched.body) is not Kind.HTML:
        return False
    return _SCRIPT.search(fetched.body) is not None


def letters_in(markup: bytes, most: int) -> int:
    """Return how many letters a reader sees, or the first number above `most` that is found."""
    lower, at, count = markup.lower(), 0, 0
    while at < len(markup) and count < most:
        opened = markup.find(b"<", at)
        text = markup[at:] if opened < 0 else markup[at:opened]
        count += sum(map(len, _LETTERS.findall(_ENTITY.sub(b"", text))))
        if opened < 0:
            break
        at = _behind(lower, opened)
    return count


def _behind(lower: bytes, opened: int) -> int:
    """Return where text may go on behind a tag, a comment, or an element that nobody sees."""
    found = _TAG.match(lower, opened)
    if found is None:
        return opened + 1
    if found[1] is None:
        end, width = lower.find(b"-->", opened), 3
    elif found[1] in _HIDDEN and lower[opened + 1 : opened + 2] != b"/":
        end, width = lower.find(b"</" + found[1], opened), 2
    else:
        end, width = lower.find(b">", opened), 1
    return len(lower) if end < 0 else end + width
