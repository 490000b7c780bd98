"""Shark-Search as Chen et al. 2009 (section 5.2.1) compare with it: page and anchor, no decay and no context.

RS(child) = 0.2 * R_PC(page) + 0.8 * R_AT(link),   R_AT = sim of the anchor, or of the words around it if 0
life(child) = D if the page is relevant, else life(page) - 1;   a link without life is not followed
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Url, Visit
from thresher.strategies.base import BaseStrategy, ShortTexts, follow, links_of


@dataclass
class SharkSimple(BaseStrategy):
    """Follow links by four parts of their own words to one part of their page's relevance."""

    bytes_per_link = 0
    reads_place = False

    page_weight: float = 0.2
    anchor_weight: float = 0.8
    depth: int = 3

    def __post_init__(self) -> None:
        """Remember what the same menus say."""
        self._words = ShortTexts(self.judge)

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds with a full life."""
        return [Candidate(seed, priority=1.0, life=self.depth) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer every link at its price, as long as there is life."""
        life = self.depth if self.is_relevant(visit) else visit.candidate.life - 1
        if life <= 0:
            return []
        return [follow(visit, link, self.price(visit.relevance, self._words(link)), life=life)
                for link in links_of(visit)]  # fmt: skip

    def price(self, page: float, words: float) -> float:
        """Return the relevance score of a link from its page's relevance and from that of its words."""
        return self.page_weight * page + self.anchor_weight * words

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the relevance score with its two terms."""
        if not candidate.via:
            return []
        page, words = memory.relevance(candidate.via.source) or 0.0, self._words(candidate.via)
        terms = f"{self.page_weight:g} x R_PC {page:.3f} + {self.anchor_weight:g} x R_AT {words:.3f}"
        return [f"RS {candidate.priority:.3f} = {terms}"]
