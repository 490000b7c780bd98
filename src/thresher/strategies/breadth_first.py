"""Breadth-First: every link costs the same, so the frontier's first come, first served is the order."""

from collections.abc import Iterable
from dataclasses import dataclass

from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Visit
from thresher.strategies.base import BaseStrategy, follow_all


@dataclass
class BreadthFirst(BaseStrategy):
    """Follow links in the order in which they were found, whatever they are about."""

    bytes_per_link = 0
    reads_context = False
    reads_place = False

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer every link at one price."""
        return follow_all(visit, 0.0)
