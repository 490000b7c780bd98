"""The lines of a rendered page: how many letters each has, how many are links, and what that makes of it.

The lines of a page stand in several texts that are rendered of it, whole and in parts. So each is measured
once; only where an anchor begins on one line and ends on another does it matter what stands before.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from msgspec import Struct

from thresher.parse.anchors import BEGIN, BREAK, END

LONG = 60  # letters of a line from which on it is prose, whatever it ends with
SENTENCE = 25  # letters of one that ends as a sentence does
SHORTEST_PROSE = 24  # characters, all of them wide
WIDE = 1.5  # a Chinese character counts for so many letters more
LINKED, SHORT_LINKED, SHORT, LONGEST_LINKS = 0.8, 0.9, 60, 200  # shares of a line in links that make it one
PATIENCE, LITTLE = 15, 1_000_000  # what a page that wants to keep us busy gets
CODE = "\x0e"  # stands at both ends of what was set as it is; tidying takes it away


class Kind(Enum):
    """What a line of a page is."""

    PROSE = "prose"
    LINKS = "links"
    SHORT = "short"  # a heading, an item, a date, a name


class Line(Struct, frozen=True, gc=False):
    """A line as it is rendered, marks and all: its letters, those of them that are in links, what it is."""

    text: str
    letters: float
    linked: float
    kind: Kind


class Lines:
    """Measures the lines of texts that are rendered of one document."""

    def __init__(self, marked: str) -> None:
        """Take what is seen of the document."""
        narrow = marked.isascii() or max(_foreign(marked)) < _FIRST_WIDE
        self._wide = not narrow
        self.heaviest = 1.0 if narrow else 1 + WIDE  # letters that one character counts for
        self._letters_of: Callable[[str], float] = len if narrow else _letters
        self._shortest = LONG if narrow else SHORTEST_PROSE
        self._proses, self._known = _Proses(self._letters_of), _Known(self._letters_of)
        self.all_prose = self.prose(marked)
        self.patience = PATIENCE * len(marked) + LITTLE  # characters to be looked at: elements may be nested

    def prose(self, marked: str) -> float:
        """Return how many letters of a text are in long lines that are no links."""
        lines, shortest = marked.split("\n"), self._shortest
        if _ACROSS.search(marked) is None:
            return sum(map(self._proses.__getitem__, [text for text in lines if len(text) >= shortest]), 0.0)
        measured = (_measured(text, inside, self._letters_of) for text, inside in _inside(lines))
        return sum((_prose(letters, linked) for letters, linked in measured), 0.0)

    def prose_of(self, line: str) -> float:
        """Return how many letters of a line count as prose."""
        return _prose(*_measured(line, False, self._letters_of)) if len(line) >= self._shortest else 0.0

    def of(self, marked: str) -> list[Line]:
        """Return the lines of a text that have any letters."""
        lines, letters_of = marked.split("\n"), self._letters_of
        if _ACROSS.search(marked) is None:
            known = [*map(self._known.__getitem__, lines)]
        else:
            known = [_line(text, inside, letters_of) for text, inside in _inside(lines)]
        if CODE in marked:
            known = _with_code(lines, known)
        return [line for line in known if line is not None]


class _Proses(dict[str, float]):
    """How many letters of each line are prose, if no anchor is open at its beginning."""

    def __init__(self, letters_of: Callable[[str], float]) -> None:
        self._letters_of = letters_of

    def __missing__(self, text: str) -> float:
        found = self[text] = _prose(*_measured(text, False, self._letters_of))
        return found


class _Known(dict[str, Line | None]):
    """What each line is, if no anchor is open at its beginning; None for one without letters."""

    def __init__(self, letters_of: Callable[[str], float]) -> None:
        self._letters_of = letters_of

    def __missing__(self, text: str) -> Line | None:
        found = self[text] = _line(text, False, self._letters_of)
        return found


def _inside(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines, and whether an anchor is open at their beginning."""
    inside = False
    for text in lines:
        yield text, inside
        if BEGIN in text or END in text:
            inside = text.rfind(BEGIN) > text.rfind(END)


def _with_code(lines: Sequence[str], known: Sequence[Line | None]) -> list[Line | None]:
    """Return lines of which those that were set as they are count as prose, however short."""
    found, coded = [], False
    for text, line in zip(lines, known, strict=True):
        marked = CODE in text
        found.append(_as_prose(line) if line is not None and (coded or marked) else line)
        if marked:
            coded ^= text.count(CODE) % 2 == 1
    return found


def _as_prose(line: Line) -> Line:
    return Line(line.text, line.letters, line.linked, PROSE)


def _line(text: str, inside: bool, letters_of: Callable[[str], float]) -> Line | None:
    """Return what a line is, or None for one without letters."""
    if inside or BEGIN in text or END in text:
        letters, linked = _measured(text, inside, letters_of)
        share = LINKED if letters >= SHORT else SHORT_LINKED
        if share * letters <= linked and letters < LONGEST_LINKS and _ADDRESS.search(text) is None:
            return Line(text, letters, linked, LINKS) if letters else None
    else:
        letters, linked = letters_of(text.strip()), 0.0
    if letters >= LONG:
        return Line(text, letters, linked, PROSE)
    ended = letters >= SENTENCE and text.rstrip(_BLANK).rstrip(_CLOSING).endswith(_ENDS)
    return Line(text, letters, linked, PROSE if ended else SHORT_LINE) if letters else None


def _prose(letters: float, linked: float) -> float:
    return letters - linked if letters >= LONG and linked < 0.5 * letters else 0.0


def _measured(text: str, inside: bool, letters_of: Callable[[str], float]) -> tuple[float, float]:
    """Return the letters of a line and those of them that are in links; it may begin inside of one."""
    if BEGIN not in text and END not in text:
        letters = letters_of(text.strip())
        return letters, letters if inside else 0.0
    outside, *linked = text.split(BEGIN)
    before, _, rest = outside.partition(END) if inside else ("", "", outside)
    within, letters = letters_of(before.strip()), letters_of(rest.strip())
    for piece in linked:
        words, _, behind = piece.partition(END)
        within += letters_of(words.strip())
        letters += letters_of(behind.strip())
    return letters + within, within


def _letters(text: str) -> float:
    return len(text) if text.isascii() else len(text) + WIDE * len(_NARROW.sub("", text))


def _foreign(text: str) -> str:
    """Return the characters of a text outside ASCII; to look for some of them among all takes longer."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


PROSE, LINKS, SHORT_LINE = Kind.PROSE, Kind.LINKS, Kind.SHORT  # looked up for every line of every page
_ACROSS = re.compile(f"{BEGIN}[^{BEGIN}{END}\n]*+\n")  # an anchor that goes on in the next line
_ADDRESS = re.compile(f"{BEGIN} ?(?:https?:|www[.])")  # spelled out for a reader: no menu does that
_ASCII = bytes(range(128))
_FIRST_WIDE = "\u2e80"
_BLANK = " \t\xa0" + BEGIN + END + BREAK
_NARROW = re.compile(f"[^{_FIRST_WIDE}-\U0010ffff]+")
_ENDS, _CLOSING = tuple(".!?…。！？:;：；"), "'\"”»’)]"
