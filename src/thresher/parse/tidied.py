"""Where the places of a text are once it has been tidied: anchors, and ends of lines that end no block."""

from bisect import bisect_right
from itertools import accumulate

from thresher.parse.tree import CONTROLS

BREAK = "\x06"  # stands before every line break of the author's; tidying takes it away


class Places:
    """A text as it was rendered; places[n] is where its nth character stands in the tidied text."""

    def __init__(self, text: str) -> None:
        """Measure what tidying leaves of each line."""
        self._text = text
        lines = text.split("\n")
        kept = [_kept(line) for line in lines]
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
        line = self._text[self._starts[number] : self._starts[number + 1] - 1]
        before = line[: place - self._starts[number]].translate(_GONE).lstrip()
        return self._moved[number] + len(before)


def _kept(line: str) -> str:
    return line.translate(_GONE).strip()


_GONE = dict.fromkeys(CONTROLS)
