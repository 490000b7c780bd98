"""The words of the anchors of a page, those around them, and where they stand in its text.

The core marks each anchor in the text that it lays out, and where the marks land tells the anchor's words
and those around it. Marks in the order of the anchors tell which is whose; where some are not seen, they are
numbered.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct

from thresher.core.optional import CORE
from thresher.parse.tree import CONTROLS, fold, tidy

ANCHOR = 1_000  # characters kept of an anchor's words
AROUND = 50  # characters of context on each side of an anchor
LONGEST = 1_000_000  # characters kept of a page's text
WORD = 20  # characters of it that may go so that a word is not cut in two
BEGIN, END = "\x05", "\x04"  # of an anchor
BREAK = "\x06"  # stands before every line break of the author's; tidying takes it away
_NUMBER, _NUMBERED = "\x02", "\x03"
_DIGITS = 6


class Mention(Struct, gc=False):
    """A place in a page that names another: the reference as written and the words that come with it."""

    reference: str
    rel: str = ""
    anchor: str = ""
    context: str = ""
    place: str = ""
    offset: int = -1
    heading: str = ""


class RenderedText:
    """A text as it was rendered; places[n] is where its nth character stands in the tidied text."""

    def __init__(self, text: str) -> None:
        """Measure what tidying leaves of each line."""
        lines = text.split("\n")
        clean = [line.translate(_GONE) for line in lines]
        kept = [line.strip() for line in clean]
        self._gone = [found.start() for found in _CONTROL.finditer(text)]
        self._blanks = [len(line) - len(line.lstrip()) for line in clean]  # that a line begins with
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._moved = [0, *accumulate(len(line) + 1 if line else 0 for line in kept)]
        self.breaks = [
            self._moved[number + 1] - 1
            for number, line in enumerate(lines[:-1])
            if kept[number] and line.rstrip(" ").endswith(BREAK)
        ]

    def __getitem__(self, place: int) -> int:
        """Return where a character has moved to; -1 stands for nowhere."""
        if place < 0:
            return -1
        number = bisect_right(self._starts, place) - 1
        start = self._starts[number]
        gone = bisect_left(self._gone, place) - bisect_left(self._gone, start)
        return self._moved[number] + max(0, place - start - gone - self._blanks[number])


_GONE = dict.fromkeys(CONTROLS)
_CONTROL = re.compile(f"[{re.escape(CONTROLS.decode())}]")


def named_anchors(
    mentions: Sequence[Mention],
    seen: str,
    hidden: Sequence[tuple[list[int], str]],
    *,
    context: bool,
    offsets: bool,
) -> RenderedText | None:
    """Give all anchors their words, or what they are called; return the places if offsets are wanted."""
    unseen = {number for numbers, _ in hidden for number in numbers}
    shown = [number for number in range(len(mentions)) if number not in unseen]
    places = _place_anchors(mentions, seen, context, offsets) if context or offsets else None
    unbroken = seen.replace(BREAK, "") if offsets else seen
    for numbers, text in ((shown, unbroken), *hidden) if not context else ():
        for number, said in zip(numbers, words_of_anchors(text, len(numbers)) or (), strict=True):
            mentions[number].anchor = said or fold(mentions[number].anchor[:ANCHOR])
    return places


def _place_anchors(
    mentions: Sequence[Mention], seen: str, context: bool, offsets: bool
) -> RenderedText | None:
    """Give anchors whose marks are in order their words and those around them, and their offsets."""
    pieces = _in_order(seen, len(mentions)) or [""]
    rendered, starts = "".join(pieces), list(_starts(pieces))
    pieces = [piece.replace(BREAK, "") for piece in pieces] if offsets else pieces
    for mention, (words, around) in zip(
        mentions, _placed("".join(pieces), pieces) if context else (), strict=False
    ):
        mention.anchor, mention.context = words or fold(mention.anchor[:ANCHOR]), around
    if not offsets:
        return None
    places = RenderedText(rendered)
    for mention, start in zip(mentions, starts, strict=True):
        mention.offset = places[start]
    return places


def _starts(pieces: Sequence[str]) -> Iterator[int]:
    """Yield where the words of each anchor begin in a text given in pieces, -1 for one without words."""
    end = len(pieces[0])
    for inside, after in zip(pieces[1::2], pieces[2::2], strict=True):
        words = inside.lstrip()
        yield end + len(inside) - len(words) if words else -1
        end += len(inside) + len(after)


def _in_order(marked: str, anchors: int) -> list[str] | None:
    """Cut a text at its marks: what stands before, in, between and after the anchors; None if some lack."""
    *ended, _ = marked.split(END)
    if not len(ended) == marked.count(BEGIN) == anchors or not all(BEGIN in each for each in ended):
        return None  # some are not seen, or stand inside each other, as tables let them
    return marked.replace(END, BEGIN).split(BEGIN)


def words_of_anchors(marked: str, many: int) -> list[str] | None:
    """Return the words of each anchor; None if some are not seen, or do not follow one another."""
    return CORE.anchors(marked, many, ANCHOR)


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


def numbered_anchors(
    mentions: Sequence[Mention], marked: str, hidden: str, *, context: bool, offsets: bool
) -> tuple[str, RenderedText]:
    """Give numbered anchors their words, those around them and their offsets; return text and places."""
    seen, unseen = _unmarked(marked[:LONGEST]), _Marked("", {})
    if len(seen.spans) < len(mentions) or not seen.text.strip():
        unseen = _unmarked(hidden[:LONGEST])
    places = RenderedText(seen.text)
    for number, mention in enumerate(mentions):
        text, spans = seen if number in seen.spans else unseen
        words, around = _in_place(text, *spans[number]) if number in spans else ("", "")
        mention.anchor = words or fold(mention.anchor[:ANCHOR])
        mention.context = around if context else ""
        mention.offset = places[_start(seen, number)] if offsets else -1
    return tidy(seen.text) or tidy(unseen.text), places


class _Marked(NamedTuple):
    """A text whose marks were taken out, and where the anchor of each number begins and ends in it."""

    text: str
    spans: dict[int, tuple[int, int]]


def _start(seen: "_Marked", number: int) -> int:
    """Return where the words of an anchor begin, -1 if it is not seen or has none."""
    start, end = seen.spans.get(number, (0, 0))
    words = seen.text[start:end].lstrip()
    return end - len(words) if words else -1


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
