"""Which row has which key: the old keys in a sorted array, 12 bytes each, the recent ones in a dictionary."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]
ShortRows = NDArray[np.int32]

RECENT = 65_536  # keys held in a dictionary before they are sorted in with the others
GONE = -1  # the row of a URL that was asked for, or never will be


class RowIndex:
    """A mapping from the 64-bit key of a URL to its row, or GONE; what is recent overrides what is old."""

    def __init__(self) -> None:
        """Know no key."""
        self._keys: Keys = np.empty(0, np.int64)
        self._rows: ShortRows = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}

    def get(self, key: int) -> int | None:
        """Return the row of a key, if it was met."""
        return self.get_many([key])[0]

    def get_many(self, keys: Sequence[int]) -> list[int | None]:
        """Return the rows of many keys at once."""
        found = [*map(self._recent.get, keys)]
        if len(self._keys) and None in found:
            missing = [place for place, row in enumerate(found) if row is None]
            wanted = np.array([keys[place] for place in missing], np.int64)
            places, known = self._find(wanted)
            rows = self._rows[places].tolist()
            for place, row, is_known in zip(missing, rows, known.tolist(), strict=True):
                if is_known:
                    found[place] = row
        return found

    def __setitem__(self, key: int, row: int) -> None:
        """Give a key a row."""
        self._recent[key] = row
        if len(self._recent) >= RECENT:
            recent, self._recent = self._recent, {}
            self.load(np.fromiter(recent, np.int64), np.fromiter(recent.values(), np.int32))

    def load(self, keys: Keys, rows: ShortRows) -> None:
        """Sort keys in with the old ones, each at most once; one that is there already gets its new row."""
        order = keys.argsort()
        keys, rows = keys[order], rows[order]
        places, known = self._find(keys)
        self._rows[places[known]] = rows[known]
        new = np.searchsorted(self._keys, keys[~known])
        self._keys = np.insert(self._keys, new, keys[~known])
        self._rows = np.insert(self._rows, new, rows[~known])

    def _find(self, wanted: Keys) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return where keys stand among the old ones, and whether they do."""
        if not len(self._keys):
            return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), np.bool_)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return places, self._keys[places] == wanted
