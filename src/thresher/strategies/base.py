"""What strategies make their candidates of: links, priorities, and the similarity of short texts."""

from collections.abc import Sequence
from functools import lru_cache

from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Link, UniformOffers, Visit
from thresher.core.url import keys_of


def links_of(visit: Visit) -> Sequence[Link]:
    """Return the links of the page visited, if the visit brought one."""
    return visit.page.links if visit.page else ()


def follow(visit: Visit, link: Link, priority: float, *, life: int = 0, inherited: float = 0.0) -> Candidate:
    """Return the candidate for a link of the page visited."""
    depth = visit.candidate.depth + 1
    return Candidate(link.target, priority, via=link, hops_left=life, inherited=inherited, depth=depth)


def follow_all(visit: Visit, priority: float) -> Sequence[Candidate]:
    """Return the candidates for all links of the page visited, at one priority."""
    return UniformOffers(links_of(visit), priority, visit.candidate.depth + 1, keys_of(visit))


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
