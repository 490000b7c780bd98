"""The words of a document: what a reader sees, the part worth reading, and the words of each anchor.

The renderer is C and knows nothing of our links. So each anchor is marked in the tree before the text is
rendered, and where the marks land tells the anchor's words and those around it: one rendering for all links.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from turbohtml import Document, Element, PlainText, Text

from thresher.parse.tidy import fold, tidy

ANCHOR = 1_000  # characters kept of an anchor's words
AROUND = 50  # characters of context on each side of an anchor
LONGEST = 1_000_000  # characters kept of a page's text
WORD = 20  # characters of it that may go so that a word is not cut in two
MAIN_SHARE = 0.5  # of the text outside links: less than that is no main text but a scrap of one


class Rendering(Struct):
    """The texts of a document, and (words, surroundings) of each anchor in the order they were given."""

    text: str
    main: str
    anchors: list[tuple[str, str]]


def render(document: Document, hidden: Sequence[Element], anchors: Sequence[Element]) -> Rendering:
    """Return the texts of a document; its tree is used up. Hidden parts are seen only if nothing else is."""
    for element in hidden:
        if element.tag not in {"html", "body"}:
            element.extract()
    main = tidy(document.main_text()[:LONGEST])
    for number, anchor in enumerate(anchors):
        anchor.insert(0, Text(f"{_BEGIN}{number}{_NUMBERED}"))
        anchor.append(Text(_END))
    seen, unseen = _rendered([document]), _Marked("", {})
    if len(seen.spans) < len(anchors) or not seen.text.strip():
        unseen = _rendered(hidden)
    text = tidy(seen.text) or tidy(unseen.text)
    words = [_words(number, anchor, seen, unseen) for number, anchor in enumerate(anchors)]
    if len(main) < MAIN_SHARE * (len(text) - sum(end - start for start, end in seen.spans.values())):
        main = _without_furniture(document)
    return Rendering(text, main or text, words)


_BEGIN, _NUMBERED, _END = "\x02", "\x03", "\x04"
_LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=True)
_FURNITURE = "nav,footer,aside,[role=navigation],[role=banner],[role=contentinfo]"
_DIGITS = 6


class _Marked(NamedTuple):
    """A text whose marks were taken out, and where the anchor of each number begins and ends in it."""

    text: str
    spans: dict[int, tuple[int, int]]


def _rendered(parts: Sequence[Document | Element]) -> _Marked:
    """Render parts of a document and take the marks out."""
    marked = "\n".join(part.to_text(_LAYOUT) for part in parts)[:LONGEST]
    before, *rest = marked.split(_BEGIN)
    pieces, spans, length = [before], dict[int, tuple[int, int]](), len(before)
    opened: list[tuple[int, int]] = []  # a stack: tables let anchors stand inside each other
    for piece in rest:
        number, numbered, words = piece.partition(_NUMBERED)
        if numbered and len(number) <= _DIGITS and number.isdecimal():
            opened.append((int(number), length))
        else:
            words = piece  # the page wrote the mark itself
        for index, part in enumerate(words.split(_END)):
            if index and opened:
                opener, start = opened.pop()
                spans[opener] = (start, length)
            pieces.append(part)
            length += len(part)
    return _Marked("".join(pieces), spans)


def _words(number: int, anchor: Element, seen: _Marked, unseen: _Marked) -> tuple[str, str]:
    """Return the words of an anchor and those of its block around it."""
    text, spans = seen if number in seen.spans else unseen
    words, around = _in_place(text, *spans[number]) if number in spans else ("", "")
    return words or fold((anchor.attr("title") or anchor.attr("aria-label") or "")[:ANCHOR]), around


def _in_place(text: str, start: int, end: int) -> tuple[str, str]:
    inside = text[start : min(end, start + 2 * ANCHOR)]
    if start + len(inside) == end:
        end -= len(inside) - len(inside.rstrip())
    start += len(inside) - len(inside.lstrip())  # an anchor round a block begins on the line before it
    words = fold(inside)[:ANCHOR]
    before = text[max(0, start - AROUND) : start].rpartition("\n")[2]
    after = text[end : end + AROUND].partition("\n")[0]
    if len(before) == AROUND:
        before = before[before.find(" ", 0, WORD) + 1 :]
    if len(after) == AROUND and " " in after:
        after = after[: max(after.rfind(" "), AROUND - WORD)]
    around = f"{before}{words}{after}"
    return words, fold(around) if "  " in around else around.strip()


def _without_furniture(document: Document) -> str:
    """Return the text of a document without menus, side columns and footers, as far as they are named so."""
    for element in document.select(_FURNITURE):
        element.extract()
    return tidy(_rendered([document]).text)
