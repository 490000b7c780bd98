"""The words of a document: what a reader sees, the part worth reading, and the words of each anchor.

The renderer is C and knows nothing of our links. So each anchor is marked in the tree before the text is
rendered, and where the marks land tells the anchor's words and those around it: one rendering for all links.
Marks in the order of the anchors tell which is whose; where some are not seen, they are numbered.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from turbohtml import Document, Element, PlainText, Text

from tests.reference.main_text import main_text
from thresher.parse.anchors import BEGIN, BREAK, END, RenderedText
from thresher.parse.tree import fold, tidy

ANCHOR = 1_000  # characters kept of an anchor's words
AROUND = 50  # characters of context on each side of an anchor
LONGEST = 1_000_000  # characters kept of a page's text
WORD = 20  # characters of it that may go so that a word is not cut in two


class Rendering(Struct):
    """The texts of a document, and (words, surroundings) of each anchor in the order they were given."""

    text: str
    main: str
    anchors: list[tuple[str, str]]
    offsets: list[int] = field(default_factory=list)  # of the anchors in the text
    breaks: list[int] = field(default_factory=list)  # ends of lines in the text at which no block ends


def render(
    document: Document,
    hidden: Sequence[Element],
    anchors: Sequence[Element],
    *,
    context: bool = True,
    offsets: bool = True,
) -> Rendering:
    """Return the texts of a document; its tree is used up. Hidden parts are seen only if nothing else is."""
    for element in hidden:
        if element.tag not in {"html", "body"}:
            element.extract()
    breaks = _mark_breaks(document) if offsets else []
    _mark(anchors)
    marked = document.to_text(_LAYOUT)[:LONGEST]
    alone = None if context or offsets else words_of_anchors(marked, len(anchors))
    pieces = _in_order(marked, len(anchors)) if alone is None else []
    for mark in breaks:
        mark.extract()  # the main text is the same whoever asks for offsets
    if pieces is None or not marked.strip():
        found = _numbered(document, hidden, anchors, marked)
        return _as_asked(found, context=context, offsets=offsets)
    text = tidy(marked)  # the marks are control characters
    rendered = "".join(pieces)
    starts = list(_starts(pieces)) if offsets else []
    pieces = [piece.replace(BREAK, "") for piece in pieces] if breaks else pieces
    words = _placed("".join(pieces), pieces) if context else [(each, "") for each in alone or _alone(pieces)]
    for number, (label, around) in enumerate(words):
        if not label:
            words[number] = _label(anchors[number]), around
    main = tidy(main_text(document, marked.replace(BREAK, ""))[:LONGEST]) or text
    if not offsets:
        return Rendering(text, main, words)
    places = RenderedText(rendered)
    return Rendering(text, main, words, [places[each] for each in starts], places.breaks)


def _as_asked(found: Rendering, *, context: bool, offsets: bool) -> Rendering:
    """Return texts without what was not asked for."""
    words = found.anchors if context else [(each, "") for each, _ in found.anchors]
    if not offsets:
        return Rendering(found.text, found.main, words)
    return Rendering(found.text, found.main, words, found.offsets, found.breaks)


def _mark_breaks(document: Document) -> list[Text]:
    """Put a mark before each line break: the renderer begins a line for it as it does for a block.

    One at the end of a block breaks nothing.
    """
    marks = []
    for line_break in document.find_all("br"):
        if line_break.next_sibling is not None:
            marks.append(mark := Text(BREAK))
            line_break.insert_before(mark)
    return marks


def _starts(pieces: Sequence[str]) -> Iterator[int]:
    """Yield where the words of each anchor begin in a text given in pieces, -1 for one without words."""
    end = len(pieces[0])
    for inside, after in zip(pieces[1::2], pieces[2::2], strict=True):
        words = inside.lstrip()
        yield end + len(inside) - len(words) if words else -1
        end += len(inside) + len(after)


_NUMBER, _NUMBERED = "\x02", "\x03"
_LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=True)
_DIGITS = 6


def _mark(anchors: Sequence[Element]) -> None:
    """Put a mark at each end of each anchor."""
    for anchor in anchors:
        if len(anchor) == 1 and isinstance(words := anchor[0], Text):
            words.data = f"{BEGIN}{words.data}{END}"
        else:
            anchor.insert(0, Text(BEGIN))
            anchor.append(Text(END))


def _in_order(marked: str, anchors: int) -> list[str] | None:
    """Cut a text at its marks: what stands before, in, between and after the anchors; None if some lack."""
    *ended, _ = marked.split(END)
    if not len(ended) == marked.count(BEGIN) == anchors or not all(BEGIN in each for each in ended):
        return None  # some are not seen, or stand inside each other, as tables let them
    return marked.replace(END, BEGIN).split(BEGIN)


def _placed(text: str, pieces: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words of each anchor and those around it, from the pieces of a text in order."""
    found = []
    before, end = pieces[0], len(pieces[0])
    for inside, after in zip(pieces[1::2], pieces[2::2], strict=True):
        start, end = end, end + len(inside)
        words = " ".join(inside.split())
        if words != inside or len(words) > ANCHOR:
            found.append(_in_place(text, start, end))
        elif before[-1:] == "\n" == after[:1]:
            found.append((words, words))  # on a line of its own, as in a menu
        else:
            found.append((words, _around(text, start, end, words)))
        before, end = after, end + len(after)
    return found


def words_of_anchors(marked: str, many: int) -> list[str] | None:
    """Return the words of each anchor; None if some are not seen, or do not follow one another."""
    pieces = _in_order(marked, many)
    return None if pieces is None else _alone(pieces)


def _alone(pieces: Sequence[str]) -> list[str]:
    """Return the words of each anchor."""
    return [" ".join(inside.split())[:ANCHOR] for inside in pieces[1::2]]


def _in_place(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the words of an anchor and those around it, whatever white space it begins and ends with."""
    inside = text[start : min(end, start + 2 * ANCHOR)]
    if start + len(inside) == end:
        end -= len(inside) - len(inside.rstrip())
    start += len(inside) - len(inside.lstrip())  # an anchor round a block begins on the line before it
    words = fold(inside)[:ANCHOR]
    return words, _around(text, start, end, words)


def _around(text: str, start: int, end: int, words: str) -> str:
    """Return the words of an anchor with what stands before and after it on its lines."""
    before = text[max(0, start - AROUND) : start].rpartition("\n")[2]
    after = text[end : end + AROUND].partition("\n")[0]
    if len(before) == AROUND:
        before = before[before.find(" ", 0, WORD) + 1 :]
    if len(after) == AROUND and " " in after:
        after = after[: max(after.rfind(" "), AROUND - WORD)]
    around = f"{before}{words}{after}"
    return fold(around) if "  " in around else around.strip()


def _label(anchor: Element) -> str:
    """Return what an anchor without words is called."""
    return fold((anchor.attr("title") or anchor.attr("aria-label") or "")[:ANCHOR])


class _Marked(NamedTuple):
    """A text whose marks were taken out, and where the anchor of each number begins and ends in it."""

    text: str
    spans: dict[int, tuple[int, int]]


def _numbered(
    document: Document, hidden: Sequence[Element], anchors: Sequence[Element], marked: str
) -> Rendering:
    """Return what `render` does, with a number in each mark."""
    numbers = [Text(f"{_NUMBER}{number}{_NUMBERED}") for number in range(len(anchors))]
    for anchor, number in zip(anchors, numbers, strict=True):
        anchor.insert(0, number)
    seen, unseen = _rendered([document]), _Marked("", {})
    if len(seen.spans) < len(anchors) or not seen.text.strip():
        unseen = _rendered(hidden)
    text = tidy(seen.text) or tidy(unseen.text)
    words = [_words(number, anchor, seen, unseen) for number, anchor in enumerate(anchors)]
    for mark in numbers:
        mark.extract()
    main = tidy(main_text(document, marked.replace(BREAK, ""))[:LONGEST])
    places = RenderedText(seen.text)
    starts = [_start(seen, number) for number in range(len(anchors))]
    return Rendering(text, main or text, words, [places[each] for each in starts], places.breaks)


def _start(seen: "_Marked", number: int) -> int:
    """Return where the words of an anchor begin, -1 if it is not seen or has none."""
    start, end = seen.spans.get(number, (0, 0))
    words = seen.text[start:end].lstrip()
    return end - len(words) if words else -1


def _rendered(parts: Sequence[Document | Element]) -> _Marked:
    return _unmarked("\n".join(part.to_text(_LAYOUT) for part in parts)[:LONGEST])


def _unmarked(marked: str) -> _Marked:
    """Take numbered marks out of a text."""
    before, *rest = marked.replace(BEGIN, "").split(_NUMBER)
    pieces, spans, length = [before], dict[int, tuple[int, int]](), len(before)
    opened: list[tuple[int, int]] = []  # a stack: tables let anchors stand inside each other
    for piece in rest:
        number, numbered, words = piece.partition(_NUMBERED)
        if numbered and len(number) <= _DIGITS and number.isdecimal():
            opened.append((int(number), length))
        else:
            words = piece  # the page wrote the mark itself
        for index, part in enumerate(words.split(END)):
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
    return words or _label(anchor), around
