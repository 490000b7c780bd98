"""The URLs that were ever offered, at eight bytes each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECENT = 65_536  # keys held in a plain set before they are sorted in with the others

Keys = NDArray[np.int64]


class SeenKeys:
    """A set of 64-bit keys: the old ones in a sorted array, the recent ones in a set.

    Two URLs out of ten million share a key with a chance of 3 in a million; the second is then not asked.
    """

    def __init__(self, keys: Sequence[int] | Keys = ()) -> None:
        """Start from the keys of an earlier run."""
        self._sorted: Keys = np.sort(np.asarray(keys, np.int64))
        self.recent: set[int] = set()  # together with `among_old` the whole answer for a key

    def __len__(self) -> int:
        """Return how many keys were seen."""
        return len(self._sorted) + len(self.recent)

    def __contains__(self, key: int) -> bool:
        """Tell whether a key was seen."""
        return key in self.recent or self.among_old([key])[0]

    def add(self, key: int) -> None:
        """Remember a key that was not seen before."""
        self.recent.add(key)

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
