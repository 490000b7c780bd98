"""The visits that were learned from, the last few thousand of them: rows of evidence with their labels."""

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]


class History:
    """A ring of examples: when it is full each new one takes the place of the oldest."""

    def __init__(self, size: int, width: int, groups: int) -> None:
        """Hold up to `size` rows of `width` columns, each with the numbers of its groups."""
        self.size = size
        self.count = 0  # of all that ever came
        self.urls: list[Url] = []
        self.changed: set[int] = set()  # places
        self._rows: Floats = np.zeros((256, width))
        self._labels: Floats = np.zeros(256)
        self._groups: Numbers = np.zeros((256, groups), np.int32)

    def __len__(self) -> int:
        return min(self.count, self.size)

    @property
    def rows(self) -> Floats:
        """The rows of evidence, as they stood when their URLs were visited."""
        return self._rows[: len(self)]

    @property
    def labels(self) -> Floats:
        """What each of the pages turned out to be worth."""
        return self._labels[: len(self)]

    def add(self, url: Url, row: Floats, groups: Numbers, label: float) -> None:
        """Keep one more example."""
        place = self.count % self.size
        self.put(place, url, row, groups, label)
        self.changed.add(place)
        self.count += 1

    def at(self, place: int) -> tuple[Url, Floats, Numbers, float]:
        """Return an example: its URL, its row, the numbers of its groups and its label."""
        return self.urls[place], self._rows[place], self._groups[place], float(self._labels[place])

    def put(self, place: int, url: Url, row: Floats, groups: Numbers, label: float) -> None:
        """Put an example in its place."""
        while place >= len(self._labels):
            for name in ("_rows", "_labels", "_groups"):
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        self.urls.extend([url] * (place + 1 - len(self.urls)))
        self.urls[place] = url
        self._rows[place], self._groups[place], self._labels[place] = row, groups, label

    def correct(self, place: int, label: float) -> None:
        """Give an example another label."""
        self._labels[place] = label
        self.changed.add(place)

    def latest(self, several: int) -> list[int]:
        """Return the places of the last examples, the newest first."""
        return [number % self.size for number in range(self.count - 1, self.count - 1 - several, -1)]
