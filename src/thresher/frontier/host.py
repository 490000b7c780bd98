"""One host of the frontier: its state, and the candidates that wait in memory and on disk."""

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import USUAL, Candidate, QueueColumns, QueuedRequest

# The candidates of one host that wait on the shelf alone, of which memory holds 40 bytes each.


Rank = tuple[int, float, int]
"""Where a candidate stands: its lane, the negated priority, its number of arrival; smaller comes first."""

FEW = 16  # candidates held in a dictionary before they are sorted in with the others
AHEAD = 64  # one of so many is put in order before its turn

_ROW = np.dtype([("negated_priority", "f8"), ("arrival", "i8"), ("life", "i8"), ("depth", "i8")])
_NO_KEYS = np.empty(0, np.int64)
_NO_ROWS = np.empty(0, _ROW)

Keys = NDArray[np.int64]
Rows = NDArray[np.void]


class ColdEntry(NamedTuple):
    """What memory knows of a cold candidate."""

    negated_priority: float  # negated
    arrival: int
    hops_left: int
    depth: int

    @property
    def rank(self) -> Rank:
        """Where it stands; what is urgent never gets cold."""
        return (USUAL, self.negated_priority, self.arrival)

    def gains_by(self, mention: Candidate) -> bool:
        """Tell whether another mention changes anything, so that the candidate must be fetched."""
        better = mention.priority > -self.negated_priority or mention.replaces_priority
        return better or mention.hops_left > self.hops_left or mention.depth < self.depth


class Cold:
    """A mapping from key to standing: the old ones in arrays sorted by key, the recent ones in a dictionary.

    A candidate that left the arrays keeps its place there, with no priority, until the next sorting in.
    The next ones to leave stand in `_head`, best first: all others rank after its last. An entry whose
    candidate left or got another priority is stale, and dropped when it comes up.
    """

    __slots__ = ("_gone", "_head", "_keys", "_recent", "_rows")

    def __init__(self, keys: Keys = _NO_KEYS, rows: Rows = _NO_ROWS) -> None:
        """Start from what an earlier run left."""
        order = keys.argsort()
        self._keys, self._rows, self._gone = keys[order], rows[order], 0
        self._recent: dict[int, ColdEntry] = {}
        self._head: list[tuple[Rank, int]] = []  # with keys

    def __len__(self) -> int:
        """Return how many candidates wait."""
        return len(self._keys) - self._gone + len(self._recent)

    def add(self, waiting: QueuedRequest) -> None:
        """Hold a candidate that is not held yet."""
        candidate, entry = waiting.candidate, (waiting.rank, waiting.key)
        self._recent[waiting.key] = ColdEntry(
            -candidate.priority, waiting.arrival, candidate.hops_left, candidate.depth
        )
        if self._head and entry < self._head[-1]:
            insort(self._head, entry)
            del self._head[2 * self._ahead() :]
        if len(self._recent) > max(FEW, len(self._keys) // 8):
            self._settle()

    def find(self, key: int) -> ColdEntry | None:
        """Return what is known of a candidate, if it is held."""
        if standing := self._recent.get(key):
            return standing
        place = int(self._keys.searchsorted(key))
        if place == len(self._keys) or self._keys[place] != key:
            return None
        standing = ColdEntry(*self._rows[place].item())
        return (
            standing if standing.negated_priority == standing.negated_priority else None
        )  # NaN: it has left

    def discard(self, key: int) -> None:
        """Let go of a candidate that is held."""
        if self._recent.pop(key, None) is None:
            self._rows["negated_priority"][self._keys.searchsorted(key)] = np.nan
            self._gone += 1

    def best(self) -> Rank | None:
        """Return where the best candidate stands, if any is held."""
        while len(self):
            if not self._head:
                self._batch_size()
            rank, key = self._head[0]
            if (standing := self.find(key)) and standing.rank == rank:
                return rank
            del self._head[0]
        return None

    def take_best(self, most: int) -> list[int]:
        """Let go of the best candidates and return their numbers of arrival, the best first."""
        taken: list[int] = []
        while len(taken) < most and (rank := self.best()):
            self.discard(self._head.pop(0)[1])
            taken.append(rank[2])
        return taken

    def _ahead(self) -> int:
        """Return how many to put in order at once, so that to look for them costs each of them little."""
        return 1 + len(self) // AHEAD

    def _batch_size(self) -> None:
        """Put the best candidates in order."""
        self._settle()
        places = _smallest(self._rows, self._ahead())
        standings = [ColdEntry(*row) for row in self._rows[places].tolist()]
        ranks = [standing.rank for standing in standings]
        self._head = [*zip(ranks, self._keys[places].tolist(), strict=True)]

    def _settle(self) -> None:
        """Sort the recent ones in, and close the gaps."""
        if not self._recent and not self._gone:
            return
        stay = ~np.isnan(self._rows["negated_priority"])
        keys = np.concatenate([self._keys[stay], np.fromiter(self._recent, np.int64)])
        rows = np.concatenate([self._rows[stay], np.array([*self._recent.values()], _ROW)])
        order = keys.argsort()
        self._keys, self._rows, self._gone = keys[order], rows[order], 0
        self._recent = {}


def cold_by_host(backlog: QueueColumns) -> dict[int, Cold]:
    """Return what waits for each host, by the host's number."""
    hosts, keys, *columns = map(np.asarray, (backlog.hosts, backlog.keys, *backlog.standing))  # no copies
    rows = np.empty(len(keys), _ROW)
    for name, column in zip(_ROW.names or (), columns, strict=True):
        rows[name] = column
    order = hosts.argsort(kind="stable")
    numbers, starts = np.unique(hosts[order], return_index=True)
    places: Iterable[Keys] = np.split(order, starts[1:]) if len(order) else ()
    return {
        number: Cold(keys[each], rows[each]) for number, each in zip(numbers.tolist(), places, strict=True)
    }


def _smallest(rows: Rows, most: int) -> Keys:
    """Return the places of the smallest ranks, in order; among equals the earlier arrival comes first."""
    negated, arrivals, places = rows["negated_priority"], rows["arrival"], np.arange(len(rows))
    if most < len(rows):
        last = np.partition(negated, most - 1)[most - 1]
        better, equal = np.flatnonzero(negated < last), np.flatnonzero(negated == last)
        earliest = np.argpartition(arrivals[equal], most - len(better) - 1)[: most - len(better)]
        places = np.concatenate([better, equal[earliest]])
    order: Keys = places[np.lexsort((arrivals[places], negated[places]))]
    return order


RECENT = 65_536  # keys held in a plain set before they are sorted in with the others


class SeenKeys:
    """A set of 64-bit keys: the old ones in a sorted array, the recent ones in a set.

    Two URLs out of ten million share a key with a chance of 3 in a million; the second is then not asked.
    """

    def __init__(self, keys: Sequence[int] | Keys = ()) -> None:
        """Start from the keys of an earlier run."""
        self._sorted: Keys = np.sort(np.asarray(keys, np.int64))
        self.recent: set[int] = set()  # together with `among_old` the whole answer for a key

    def among_old(self, keys: Sequence[int]) -> list[bool]:
        """Tell for many keys at once whether each is among the old ones.

        Only here do recent keys become old ones: so both halves of an answer hold until the next question.
        """
        if len(self.recent) >= RECENT:
            self._sorted = np.sort(np.concatenate([self._sorted, np.fromiter(self.recent, np.int64)]))
            self.recent = set()
        if not len(self._sorted):
            return [False] * len(keys)
        wanted = np.array(keys, np.int64)
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        found: list[bool] = (self._sorted[places] == wanted).tolist()
        return found


# The state of a host


LAST: Rank = (USUAL, inf, 1 << 62)  # after every candidate, even one at minus infinity


@dataclass(slots=True)
class Host:
    """One host and what waits for it: the best at hand, the others on the shelf.

    Invariant: every hot candidate ranks up to `floor` and every cold one ranks after it; so the best hot
    candidate is the host's best. The heap may hold ranks that a later priority made stale: a rank counts only
    while it is the rank of a hot candidate. The hot candidates of all hosts are in one dictionary, so that
    whether one is known is asked without its host; `held` of them are ours.
    """

    name: str
    hot: dict[int, QueuedRequest] = field(default_factory=dict)
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

    def add(self, waiting: QueuedRequest, rank: Rank) -> None:
        """Hold a candidate that is not held, under its rank."""
        self.hot[waiting.key] = waiting
        self.held += 1
        heappush(self.heap, (rank, waiting.key))

    def drop(self, key: int) -> bool:
        """Let go of a hot candidate, and tell whether it was one."""
        found = self.hot.pop(key, None) is not None
        self.held -= found
        return found

    def best(self) -> QueuedRequest | None:
        """Return the best hot candidate."""
        self.rank()
        return self.hot[self.heap[0][1]] if self.heap else None

    def rank(self) -> Rank | None:
        """Return where the best candidate of all stands, at hand or on the shelf, dropping stale ranks."""
        heap, hot = self.heap, self.hot
        while heap:
            rank, key = heap[0]
            if (
                (waiting := hot.get(key)) is not None
                and waiting.arrival == rank[2]
                and waiting.candidate.priority == -rank[1]
                and waiting.lane == rank[0]
            ):
                return rank
            heappop(heap)
        return self.cold.best()

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
