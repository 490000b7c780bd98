"""The candidates of one host that wait on the shelf alone, of which memory holds 24 bytes each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rank = tuple[float, int]
"""Where a candidate stands: the negated price, then its number of arrival; smaller comes first."""

FEW = 16  # candidates held in a dictionary before they are sorted in with the others

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

_NO_INTEGERS: Integers = np.empty(0, np.int64)
_NO_NUMBERS: Numbers = np.empty(0, np.float64)


class Cold:
    """A mapping from key to rank: the old ones in arrays sorted by key, the recent ones in a dictionary.

    A candidate that left the arrays keeps its place there, with no price, until the next sorting in.
    """

    __slots__ = ("_arrivals", "_gone", "_keys", "_prices", "_recent")

    def __init__(
        self, keys: Sequence[int] = (), prices: Sequence[float] = (), arrivals: Sequence[int] = ()
    ) -> None:
        """Start from what an earlier run left: keys, negated prices and numbers of arrival."""
        self._keys, self._prices, self._arrivals = _NO_INTEGERS, _NO_NUMBERS, _NO_INTEGERS
        self._recent: dict[int, Rank] = {}
        self._gone = 0
        if keys:
            self._sort_in(np.array(keys, np.int64), np.array(prices), np.array(arrivals, np.int64))

    def __len__(self) -> int:
        """Return how many candidates wait."""
        return len(self._keys) - self._gone + len(self._recent)

    def add(self, key: int, rank: Rank) -> None:
        """Hold a candidate that is not held yet."""
        self._recent[key] = rank
        if len(self._recent) > max(FEW, len(self._keys) // 8):
            self._settle()

    def find(self, key: int) -> Rank | None:
        """Return where a candidate stands, if it is held."""
        if rank := self._recent.get(key):
            return rank
        place = self._place(key)
        return None if place < 0 else (float(self._prices[place]), int(self._arrivals[place]))

    def discard(self, key: int) -> None:
        """Let go of a candidate that is held."""
        if self._recent.pop(key, None) is None:
            self._prices[self._place(key)] = np.nan
            self._gone += 1

    def take_best(self, most: int) -> list[int]:
        """Let go of the best candidates and return their numbers of arrival, the best first."""
        self._settle()
        best = _smallest(self._prices, self._arrivals, most)
        taken: list[int] = self._arrivals[best].tolist()
        self._keys = np.delete(self._keys, best)
        self._prices, self._arrivals = np.delete(self._prices, best), np.delete(self._arrivals, best)
        return taken

    def _place(self, key: int) -> int:
        place = int(self._keys.searchsorted(key))
        held = place < len(self._keys) and self._keys[place] == key and not np.isnan(self._prices[place])
        return place if held else -1

    def _settle(self) -> None:
        """Sort the recent ones in, and close the gaps."""
        if not self._recent and not self._gone:
            return
        stay = ~np.isnan(self._prices)
        ranks = self._recent.values()
        keys = np.concatenate([self._keys[stay], np.fromiter(self._recent, np.int64)])
        prices = np.concatenate([self._prices[stay], np.fromiter((price for price, _ in ranks), np.float64)])
        arrivals = np.concatenate([self._arrivals[stay], np.fromiter((each for _, each in ranks), np.int64)])
        self._sort_in(keys, prices, arrivals)
        self._recent, self._gone = {}, 0

    def _sort_in(self, keys: Integers, prices: Numbers, arrivals: Integers) -> None:
        order = keys.argsort()
        self._keys, self._prices, self._arrivals = keys[order], prices[order], arrivals[order]


def _smallest(prices: Numbers, arrivals: Integers, most: int) -> Integers:
    """Return the places of the smallest ranks, in order; among equals the earlier arrival comes first."""
    places = np.arange(len(prices))
    if most < len(prices):
        last = np.partition(prices, most - 1)[most - 1]
        better, equal = np.flatnonzero(prices < last), np.flatnonzero(prices == last)
        earliest = np.argpartition(arrivals[equal], most - len(better) - 1)[: most - len(better)]
        places = np.concatenate([better, equal[earliest]])
    order: Integers = places[np.lexsort((arrivals[places], prices[places]))]
    return order
