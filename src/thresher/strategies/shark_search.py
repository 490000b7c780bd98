"""Shark-Search (Hersovici et al. 1998): a link is worth its own words, and a little of its ancestors' worth.

delta, beta, gamma   decay of what is handed down; weight of the anchor; weight of what was handed down

inherited(child)   = delta * sim(q, page)          if sim(q, page) > 0
                   = delta * inherited(page)       otherwise
anchor             = sim(q, anchor text)
context            = 1 if anchor > 0 else sim(q, words around the anchor)
neighbourhood      = beta * anchor + (1 - beta) * context
potential(child)   = gamma * inherited(child) + (1 - gamma) * neighbourhood

The rule of life is that of Fish-Search, with D = 3: a page of any similarity gives full life.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.strategies.base import BaseStrategy, ShortTexts, follow, links_of


@dataclass
class SharkSearch(BaseStrategy):
    """Follow links whose own words fit the topic, and those of relevant pages and their descendants."""

    bytes_per_link = 0
    reads_place = False

    delta: float = 0.5
    beta: float = 0.8
    gamma: float = 0.2
    depth: int = 3

    def __post_init__(self) -> None:
        """Remember what the same menus say."""
        self._similarity = ShortTexts(self.judge).similarity

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds with a full life."""
        return [Candidate(seed, priority=1.0, life=self.depth) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer every link at its potential, as long as there is life."""
        if visit.candidate.life <= 0:
            return []
        life = self.depth if visit.relevance > 0 else visit.candidate.life - 1
        inherited = self.inherited(visit.relevance, visit.candidate.inherited)
        return [
            follow(visit, link, self._price(link, inherited), life=life, inherited=inherited)
            for link in links_of(visit)
        ]

    def inherited(self, similarity: float, handed_down: float) -> float:
        """Return what a page hands down to its links."""
        return self.delta * (similarity if similarity > 0 else handed_down)

    def potential(self, inherited: float, anchor: float, context: float) -> float:
        """Return the worth of a link from what it inherits and from its own words."""
        context = 1.0 if anchor > 0 else context
        neighbourhood = self.beta * anchor + (1 - self.beta) * context
        return self.gamma * inherited + (1 - self.gamma) * neighbourhood

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the potential with its terms."""
        if not candidate.via:
            return []
        anchor, context = self._words(candidate.via)
        context = 1.0 if anchor > 0 else context
        inherited = f"{self.gamma:g} x inherited {candidate.inherited:.3f}"
        neighbourhood = f"({self.beta:g} x anchor {anchor:.3f} + {1 - self.beta:g} x context {context:.3f})"
        return [f"potential {candidate.priority:.3f} = {inherited} + {1 - self.gamma:g} x {neighbourhood}"]

    def _price(self, link: Link, inherited: float) -> float:
        return self.potential(inherited, *self._words(link))

    def _words(self, link: Link) -> tuple[float, float]:
        """Return what anchor and context say; the context is not asked where the anchor fits."""
        anchor = self._similarity(link.anchor)
        return anchor, 0.0 if anchor > 0 else self._similarity(link.context)
