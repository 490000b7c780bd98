"""The state of our visit to one host."""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

from thresher.core.records import USUAL, Shelved
from thresher.frontier.cold import Cold, Rank

LAST: Rank = (USUAL, inf, 1 << 62)  # after every candidate, even one at a price of minus infinity


@dataclass(slots=True)
class Host:
    """One host and what waits for it: the best at hand, the others on the shelf.

    Invariant: every hot candidate ranks up to `floor` and every cold one ranks after it; so the best hot
    candidate is the host's best. The heap may hold ranks that a later price made stale: a rank counts only
    while it is the rank of a hot candidate. The hot candidates of all hosts are in one dictionary, so that
    whether one is known is asked without its host; `held` of them are ours.
    """

    name: str
    hot: dict[int, Shelved] = field(default_factory=dict)
    ready_at: float = 0.0
    busy: int = 0
    resting: bool = False
    announced: Rank | None = None  # the rank under which the workbench knows this host
    hoped: Rank | None = None  # the rank under which it is awaited while it rests or is busy
    asked_at: float = 0.0  # when the latest request was sent
    asked_rest: float = 0.0  # the seconds for which the latest answer asked to be left alone
    floor: Rank = LAST
    cold: Cold = field(default_factory=Cold)
    held: int = 0
    heap: list[tuple[Rank, int]] = field(default_factory=list)

    def add(self, waiting: Shelved) -> None:
        """Hold a candidate that is not held."""
        self.hot[waiting.key] = waiting
        self.held += 1
        heappush(self.heap, (waiting.rank, waiting.key))

    def drop(self, key: int) -> bool:
        """Let go of a hot candidate, and tell whether it was one."""
        found = self.hot.pop(key, None) is not None
        self.held -= found
        return found

    def best(self) -> Shelved | None:
        """Return the best hot candidate, dropping the stale ranks above it."""
        while self.heap:
            rank, key = self.heap[0]
            if (waiting := self.hot.get(key)) is not None and waiting.rank == rank:
                return waiting
            heappop(self.heap)
        return None

    def rank(self) -> Rank | None:
        """Return where the best candidate of all stands, at hand or on the shelf."""
        best = self.best()
        return best.rank if best else self.cold.best()

    def cool(self, most: int) -> None:
        """Leave all but the best few to the shelf; what is urgent stays at hand."""
        ranked = sorted({entry for entry in self.heap if self._counts(entry)})
        most = max(most, sum(rank[0] != USUAL for rank, _ in ranked))
        self.heap = ranked[:most]
        self.floor = ranked[most - 1][0]
        for _, key in ranked[most:]:
            self.cold.add(self.hot[key])
            self.drop(key)

    def _counts(self, entry: tuple[Rank, int]) -> bool:
        """Tell whether an entry of the heap is not stale."""
        waiting = self.hot.get(entry[1])
        return waiting is not None and waiting.rank == entry[0]
