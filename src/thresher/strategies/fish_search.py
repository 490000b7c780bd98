"""Fish-Search (De Bra and Post 1994, as Hersovici et al. 1998 restate it): fish that find food breed.

w, alpha   width, and how many times as wide a relevant page breeds
D          depth: how many irrelevant pages in a row a school survives

score(child) = 1    for the first alpha * w links of a relevant page
             = 0.5  for the first w links of an irrelevant one
             = 0    for the rest
life(child)  = D if the page is relevant, else life(page) - 1;   a page without life is not expanded

Of two mentions the higher score and the longer life count, which is the frontier's rule for all. Relevance
is a yes or no: the paper asks for a keyword, so here a page is food when its relevance passes `food`, and
with a judge that counts the topic's words 0 means that one of them is there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Url, Visit
from thresher.strategies.base import BaseStrategy, follow, links_of


@dataclass
class FishSearch(BaseStrategy):
    """Follow the first links of each page, more of them where it is relevant; give up after D without."""

    bytes_per_link = 0
    reads_context = False
    reads_place = False

    width: int = 10
    alpha: float = 1.5
    depth: int = 3
    food: float = 0.0

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds with a full life."""
        return [Candidate(seed, priority=1.0, life=self.depth) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer the links by their place on the page, as long as the school lives."""
        if visit.candidate.life <= 0:
            return []
        fed = visit.relevance > self.food
        life = self.depth if fed else visit.candidate.life - 1
        targets = dict.fromkeys(link.target for link in links_of(visit))
        scores = {target: self.score(place, fed) for place, target in enumerate(targets)}
        return [follow(visit, link, scores[link.target], life=life) for link in links_of(visit)]

    def score(self, place: int, fed: bool) -> float:
        """Return the score of the link at a place on the page, counted from 0."""
        if fed:
            return 1.0 if place < int(self.alpha * self.width) else 0.0
        return 0.5 if place < self.width else 0.0
