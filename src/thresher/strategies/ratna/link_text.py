"""The text that belongs to a link: its sentence and those that it leans on (Ratna et al. 2012).

1-2. take the sentence that holds the anchor            section 5 (b)
3-4. while it begins with It, This or And, take the sentence before it as well
5.   take the sentence after it (the paper prints "backward" twice: docs/trust/papers/ratna.md)

A sentence begins with a capital letter and ends with a period. It never leaves its block, or a menu would be
one sentence.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from thresher.core.records import Page

LEANING = ("it", "this", "and")
MORE_LEANING = (*LEANING, "that", "these", "those", "they", "he", "she", "such")


def cohesive_texts(page: Page, is_worth_reading: Callable[[str], object] = bool) -> Iterator[str]:
    """Yield the cohesive text of each link of a page, in order; its context where its anchor is not seen.

    Of a block that is not worth reading nothing is told, unless it is the anchor itself, as in a menu.
    """
    blocks = _Blocks(page, is_worth_reading)
    offsets = page.offsets if len(page.offsets) == len(page.links) else _searched(page)
    for link, start in zip(page.links, offsets, strict=True):
        seen = 0 <= start <= len(page.text) - len(link.anchor)  # of some pages no word is kept
        yield blocks.around(start, start + len(link.anchor)) if seen else link.context


class _Blocks:
    """The text of a page block by block; a line break of the author's does not end one."""

    def __init__(self, page: Page, is_worth_reading: Callable[[str], object]) -> None:
        self._text, self._is_worth_reading = page.text, is_worth_reading
        soft = set(page.breaks)
        ends = [at for at, letter in enumerate(page.text) if letter == "\n" and at not in soft]
        self._ends = [*ends, len(page.text)]
        self._known: dict[int, Sentences | None] = {}

    def around(self, start: int, end: int) -> str:
        """Return the sentences round an anchor; the block alone if it is nothing but the anchor."""
        number = bisect_left(self._ends, start)
        begin = self._ends[number - 1] + 1 if number else 0
        block = self._text[begin : self._ends[number]].replace("\n", " ")
        if (start, end) == (begin, self._ends[number]):
            return block
        if number not in self._known:
            self._known[number] = Sentences(block) if self._is_worth_reading(block) else None
        sentences = self._known[number]
        return sentences.around(start - begin, end - begin) if sentences else ""


def _searched(page: Page) -> list[int]:
    """Return where anchors seem to stand in a page that was parsed without their places."""
    found, at = [], 0
    for link in page.links:
        start = page.text.find(link.anchor, at) if link.anchor else -1
        at = start + len(link.anchor) if start >= 0 else at
        found.append(start)
    return found


class Sentences:
    """A block of text, cut into its sentences."""

    def __init__(self, block: str, leaning: Sequence[str] = LEANING) -> None:
        """Find where the sentences begin."""
        self._block, self._leaning = block, leaning
        self._cuts = [0, *(cut.end() for cut in _BETWEEN.finditer(block, 0, len(block.rstrip()))), len(block)]
        self._known: dict[tuple[int, int], str] = {}

    def around(self, start: int, end: int) -> str:
        """Return the sentences that belong to what stands between two places."""
        first, last = bisect_right(self._cuts, start) - 1, bisect_left(self._cuts, end) - 1
        first, last = min(first, len(self._cuts) - 2), max(first, last)
        while first and _first_word(self._block[self._cuts[first] : self._cuts[first + 1]]) in self._leaning:
            first -= 1
        last = min(last + 1, len(self._cuts) - 2)
        if (first, last) not in self._known:
            self._known[first, last] = self._block[self._cuts[first] : self._cuts[last + 1]].strip()
        return self._known[first, last]


def _first_word(sentence: str) -> str:
    found = _WORD.search(sentence)
    return found[0].lower() if found else ""


_BETWEEN = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?(?:[A-Z]|[^\x00-\x7f]))|[。！？]+")
_WORD = re.compile(r"\w+")
