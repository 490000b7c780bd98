"""Words from outside made harmless to show: what cannot be seen or would reorder a line is shown by its name.

Escaping is the browser's side (`text.js`); this is for what leaves as text: feeds, logs, file names.
"""

import re
import unicodedata

MARKS = 2  # combining marks a letter may carry

_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def calm(text: str, most: int = 300) -> str:
    """Return a text cut to so many letters, controls and bidi marks by name, piles of marks lowered."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return _HIDDEN.sub(_name, _lowered(cut))


def _name(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def _lowered(text: str) -> str:
    if text.isascii():
        return text
    out: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks <= MARKS:
            out.append(letter)
    return "".join(out)
