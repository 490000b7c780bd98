"""Markup into a tree, at a cost that the author of a hostile page cannot choose.

turbohtml is linear in time on everything we have fed it, but it remembers every error, 48 bytes each, and
spends up to 230 bytes on a '<'; an error a letter would turn a page of 10 MB into half a gigabyte.
"""

import re

import turbohtml
from turbohtml import Document

from thresher.core.optional import CORE

MARKUP = 4 * 1024 * 1024  # characters read of a document
ELEMENTS = 200_000  # '<' read of it: each may take 500 bytes before it is text
HARMLESS = 1024 * 1024  # characters that cost little whatever they are
SEGMENT = 65_536  # characters without '<' or '>' that may follow a '<': more is an attribute, or bait


def tree_of(markup: str) -> Document:
    """Return the tree of a document, as browsers would build it from its first few megabytes."""
    markup = markup.replace("\xad", "").replace("&shy;", "")  # a hyphen that nobody sees cuts a word in two
    if len(markup) > HARMLESS:
        markup = _LONG_SEGMENT.sub(_both_ends, markup)[:MARKUP]
    if len(markup) > ELEMENTS and markup.count("<") > ELEMENTS:
        markup = "<".join(markup.split("<", ELEMENTS)[:ELEMENTS])
    return turbohtml.parse(markup, positions=False)


_LONG_SEGMENT = re.compile(f"<[^<>]{{{SEGMENT},}}")


def _both_ends(segment: re.Match[str]) -> str:
    """Leave out the middle: a tag begins with its name and may end with the attribute we want."""
    return segment[0][: SEGMENT // 2] + segment[0][-SEGMENT // 2 :]


CONTROLS = bytes((*range(9), *range(0x0E, 0x1C), 0x7F))


def fold(text: str) -> str:
    """Return a text on one line, its white space folded."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text without control characters, empty lines, and white space that is odd or ends a line."""
    found = CORE.tidy(text) if CORE else None
    return reference_tidy(text) if found is None else found


def reference_tidy(text: str) -> str:
    """Return the same by Python."""
    if not text.isascii():
        text = text.replace("\xa0", " ").replace("\u202f", " ")
    encoded = text.encode("utf-8", "surrogatepass")  # in UTF-8 a control character is a byte of its own
    clean = encoded.translate(None, CONTROLS)
    if len(clean) < len(encoded):
        text = clean.decode("utf-8", "surrogatepass")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
