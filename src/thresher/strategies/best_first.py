"""Best-First: a link is worth what its page is worth (the baseline of Chen et al. 2009, section 4).

priority(child) = R_PC(parent) = cos(TF(parent), v_t);   the best of its parents counts
"""

from collections.abc import Iterable
from dataclasses import dataclass

from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Visit
from thresher.strategies.base import BaseStrategy, follow_all


@dataclass
class BestFirst(BaseStrategy):
    """Follow the links of the most relevant pages first."""

    bytes_per_link = 0
    reads_context = False
    reads_place = False

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer every link at the relevance of the page it was found on."""
        return follow_all(visit, visit.relevance)
