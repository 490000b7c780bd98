"""What the words of a link are worth, remembered while the same menus come again."""

from functools import lru_cache

from thresher.core.doors import Judge
from thresher.core.records import Link

REMEMBERED = 4_096  # texts of at most LONGEST characters: some 2 MB however long the crawl
LONGEST = 200


class ShortTexts:
    """The similarity of a link's anchor or, where that says nothing, of the words around it (R_AT, eq. 4)."""

    def __init__(self, judge: Judge) -> None:
        """Ask this judge, but about the same short text only once in a while."""
        self._judge = judge
        self._similarity = lru_cache(REMEMBERED)(judge.similarity)

    def __call__(self, link: Link) -> float:
        """Return the similarity of the anchor or, if it is 0, of the context."""
        return self.similarity(link.anchor) or self.similarity(link.context)

    def similarity(self, text: str) -> float:
        """Return how well a text fits the topic."""
        return self._similarity(text) if len(text) <= LONGEST else self._judge.similarity(text)

    def __deepcopy__(self, memo: object) -> "ShortTexts":
        """Return one with a memory of its own."""
        return ShortTexts(self._judge)
