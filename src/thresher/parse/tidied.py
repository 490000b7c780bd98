"""Where the places of a text are once it has been tidied: anchors, and ends of lines that end no block."""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from thresher.parse.tree import CONTROLS

BEGIN, END = "\x05", "\x04"  # of an anchor
BREAK = "\x06"  # stands before every line break of the author's; tidying takes it away


class Places:
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
