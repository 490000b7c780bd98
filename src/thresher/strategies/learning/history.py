"""The visits that were learned from, the last few thousand of them: rows of evidence with their labels."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class History:
    """A ring of examples: when it is full each new one takes the place of the oldest."""

    def __init__(self, size: int, width: int) -> None:
        """Hold up to `size` rows of `width` columns."""
        self.size = size
        self._rows: Floats = np.zeros((256, width))
        self._labels: Floats = np.zeros(256)
        self.count = 0  # of all that ever came
        self.changed: set[int] = set()  # places

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

    def add(self, row: Floats, label: float) -> None:
        """Keep one more example."""
        self._write(self.count, row, label)
        self.changed.add(self.count % self.size)
        self.count += 1

    def at(self, place: int) -> tuple[Floats, float]:
        """Return the row and the label of an example."""
        return self._rows[place], float(self._labels[place])

    def put(self, place: int, row: Floats, label: float) -> None:
        """Put an example of an earlier run back in its place."""
        self._write(place, row, label)

    def _write(self, number: int, row: Floats, label: float) -> None:
        place = number % self.size
        while place >= len(self._labels):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._labels = np.concatenate([self._labels, np.zeros_like(self._labels)])
        self._rows[place], self._labels[place] = row, label
