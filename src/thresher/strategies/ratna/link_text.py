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

from thresher.core.records import Link

LEANING = ("it", "this", "and")
MORE_LEANING = (*LEANING, "that", "these", "those", "they", "he", "she", "such")


def cohesive_texts(
    text: str, links: Sequence[Link], is_worth_reading: Callable[[str], object] = bool
) -> Iterator[str]:
    """Yield the cohesive text of each link of a page, in order; its context where the anchor is not found.

    Of a block that is not worth reading nothing is told, unless it is the anchor itself, as in a menu.
    """
    at, begin, finish, sentences = 0, 0, -1, _NOTHING
    for link in links:
        start = text.find(link.anchor, at) if link.anchor else -1
        if start < 0:
            yield link.context
            continue
        at = start + len(link.anchor)
        if at > finish:  # it stands in another block
            begin, finish = text.rfind("\n", 0, start) + 1, text.find("\n", at)
            finish = finish if finish >= 0 else len(text)
            block = text[begin:finish]
            alone = block == link.anchor
            sentences = _NOTHING if alone or not is_worth_reading(block) else Sentences(block)
            if alone:
                yield block
                continue
        yield sentences.around(start - begin, at - begin) if sentences is not _NOTHING else ""


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
_NOTHING = Sentences("")
