"""Which words of a changed line went and came, so that an edit late in a long paragraph can be seen."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import zip_longest

from msgspec import Struct

from thresher.freshness.diff import alike

AROUND = 60  # letters that stayed, shown on each side of a change
MOST = 4_000  # words between those that begin and end both lines that are compared one by one
SHORT = 3  # letters
LEAST_KEPT = 0.3  # share of the letters that must have stayed: below, it is another line
_WORD = re.compile(r"[\u3400-\u9fff]|\w+|\s+|[^\w\s]")


class Fate(Enum):
    """What became of words."""

    STAYED = ""
    WENT = "-"
    CAME = "+"


class WordRun(Struct, frozen=True):
    """Words in a row that have the same fate."""

    fate: Fate
    text: str


def changed_lines(diff: str) -> Iterator[list[WordRun]]:
    """Yield the lines of a diff; a line that was edited is one, with the words that went and came."""
    gone: list[str] = []
    come: list[str] = []
    for line in diff.splitlines():
        if line.startswith("- "):
            if come:
                yield from _paired(gone, come)
                gone, come = [], []
            gone.append(line[2:])
        elif line.startswith("+ "):
            come.append(line[2:])
        else:
            yield from _paired(gone, come)
            gone, come = [], []
            yield [WordRun(Fate.STAYED, line)]
    yield from _paired(gone, come)


def told(pieces: Sequence[WordRun]) -> str:
    """Return a line as people read it: [-went-]{+came+}, and of what stayed only what stands round it."""
    if len(pieces) == 1 and pieces[0].fate is not Fate.STAYED:
        return f"{pieces[0].fate.value} {pieces[0].text}"
    return "".join(_MARKS[each.fate].format(each.text) for each in excerpt(pieces))


_MARKS = {Fate.STAYED: "{}", Fate.WENT: "[-{}-]", Fate.CAME: "{{+{}+}}"}


def excerpt(pieces: Sequence[WordRun]) -> list[WordRun]:
    """Return a line with what changed, and of what stayed only what stands round it."""
    last = len(pieces) - 1
    return [WordRun(each.fate, _shortened(each, n == 0, n == last)) for n, each in enumerate(pieces)]


def _shortened(piece: WordRun, first: bool, last: bool) -> str:
    text = piece.text
    if piece.fate is not Fate.STAYED or len(text) <= 2 * AROUND or (first and last):
        return text
    before, after = text[:AROUND], text[-AROUND:]
    return f"…{after}" if first else f"{before}…" if last else f"{before} … {after}"


def _paired(gone: Sequence[str], come: Sequence[str]) -> Iterator[list[WordRun]]:
    for old, new in zip_longest(gone, come):
        if old is None or new is None:
            yield [WordRun(Fate.CAME, new) if old is None else WordRun(Fate.WENT, old)]
        else:
            yield from _edited(old, new)


def _edited(old: str, new: str) -> Iterator[list[WordRun]]:
    """Yield one line with its changed words, or two if hardly anything stayed."""
    pieces = compared(old, new)
    stayed = sum(len(piece.text) for piece in pieces if piece.fate is Fate.STAYED)
    if stayed < LEAST_KEPT * max(len(old), len(new)):
        yield [WordRun(Fate.WENT, old)]
        yield [WordRun(Fate.CAME, new)]
    else:
        yield pieces


def compared(old: str, new: str) -> list[WordRun]:
    """Return a line in pieces: what stayed, what went and what came."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    head = alike(before, after)
    tail = alike(before[head:][::-1], after[head:][::-1])
    ends = (before[:head], before[len(before) - tail :])
    first, last = ([WordRun(Fate.STAYED, "".join(words))] if words else [] for words in ends)
    return [*first, *_between(before[head : len(before) - tail], after[head : len(after) - tail]), *last]


def _between(before: Sequence[str], after: Sequence[str]) -> list[WordRun]:
    """Return what differs, in pieces; what stayed between two edits and is hardly a word goes with them."""
    if max(len(before), len(after)) > MOST:
        return _pieces("".join(before), "".join(after))
    from rapidfuzz.distance import LCSseq  # 6 ms of every start, and only changes need it

    pieces: list[WordRun] = []
    went = came = ""
    for each in LCSseq.opcodes(before, after):
        some = "".join(before[each.src_start : each.src_end])
        if each.tag == "equal" and len(some.strip()) > SHORT:
            pieces += [*_pieces(went, came), WordRun(Fate.STAYED, some)]
            went = came = ""
        else:
            went, came = went + some, came + "".join(after[each.dest_start : each.dest_end])
    return [*pieces, *_pieces(went, came)]


def _pieces(went: str, came: str) -> list[WordRun]:
    """Return what went before what came in its place."""
    return [WordRun(fate, text) for fate, text in ((Fate.WENT, went), (Fate.CAME, came)) if text]
