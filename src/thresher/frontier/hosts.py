"""The state of our visit to one host."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from thresher.core.records import Candidate

Rank = tuple[float, int]
"""Where a candidate stands: the negated price, then its number of arrival; smaller comes first."""


@dataclass(slots=True)
class Waiting:
    """A candidate and its number of arrival, which it keeps when it is priced again."""

    candidate: Candidate
    arrival: int
    due: bool = False  # filed with its host; a revisit is not, until its time has come

    @property
    def rank(self) -> Rank:
        """Best price first, and first come, first served among equals."""
        return (-self.candidate.priority, self.arrival)


@dataclass(slots=True)
class Host:
    """One host and what waits for it.

    The heap may hold ranks that a later price made stale: a rank counts only while it is the rank of
    a candidate that waits and is due, so `best` drops the others as they surface.
    """

    name: str
    ready_at: float = 0.0
    busy: int = 0
    resting: bool = False
    announced: Rank | None = None  # the rank under which the workbench knows this host
    heap: list[tuple[Rank, str]] = field(default_factory=list)

    def add(self, key: str, waiting: Waiting) -> None:
        """File a candidate, or file it again under its new price."""
        heappush(self.heap, (waiting.rank, key))

    def best(self, waiting: dict[str, Waiting]) -> tuple[Rank, str] | None:
        """Return the best rank that still counts and its key, dropping the stale ones above it."""
        while self.heap:
            rank, key = self.heap[0]
            if (entry := waiting.get(key)) is not None and entry.due and entry.rank == rank:
                return rank, key
            heappop(self.heap)
        return None
