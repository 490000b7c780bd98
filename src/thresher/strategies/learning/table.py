"""One row of evidence for each URL that waits, gathered over all its mentions; columns are NumPy arrays.

Rows of URLs that were visited are given to the next ones, so that memory is for what waits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url
from thresher.core.url import key_of

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

COLUMNS = (
    "best parent",
    "mean parent",
    "handed down",
    "anchor words",
    "anchor meaning",
    "URL words",
    "URL meaning",
    "mentions",
    "shared parents",
    "same host",
    "on a seed",
)
"""What a mention adds to, in this order; the yields come after them."""

PARENTS = 4  # pages (and sections) remembered of those that mention a URL
GONE = -1
DEEPEST = 65_535


class Table:
    """The rows of everything that waits."""

    def __init__(self) -> None:
        """Start with room for some rows; it is doubled as they come."""
        self._rows: dict[int, int] = {}  # key of a URL to its row, or GONE
        self.free: list[int] = []
        self.used = 0
        self.changed: set[int] = set()  # rows
        self.gone: set[int] = set()  # keys
        self.urls: list[Url | None] = []
        self.evidence = np.zeros((1024, len(COLUMNS)), np.float16)
        self.groups = np.zeros((1024, 5), np.int32)  # domain, host, first and second folder, pattern
        self.parents = np.zeros((1024, PARENTS), np.int32)  # number of the page, 0: none
        self.sections = np.zeros((1024, PARENTS), np.int32)
        self.mentions = np.zeros(1024, np.int32)
        self.depths = np.zeros(1024, np.uint16)
        self.told = np.zeros(1024, np.float32)  # the price the frontier knows
        self.waits = np.zeros(1024, np.bool_)

    def find(self, url: Url) -> int | None:
        """Return the row of a URL, GONE if it was visited, None if nobody mentioned it."""
        return self._rows.get(key_of(url))

    def add(self, url: Url, groups: Sequence[int], depth: int) -> int:
        """Make a row for a URL."""
        row = self.free.pop() if self.free else self.used
        self.place(row, url)
        self.changed.add(row)
        self.evidence[row] = 0.0
        self.groups[row] = groups
        self.parents[row] = self.sections[row] = 0
        self.mentions[row], self.depths[row], self.told[row] = 0, min(depth, DEEPEST), 0.0
        return row

    def place(self, row: int, url: Url) -> None:
        """Give a row to a URL, and make room for it if need be."""
        while row >= len(self.waits):
            for name in ("evidence", "groups", "parents", "sections", "mentions", "depths", "told", "waits"):
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        self.urls.extend([None] * (row + 1 - len(self.urls)))
        self.used = max(self.used, row + 1)
        self._rows[key_of(url)] = row
        self.urls[row] = url
        self.waits[row] = True

    def tell(self, rows: Rows, prices: Floats) -> None:
        """Remember the prices that the frontier is told."""
        self.told[rows] = prices
        self.changed.update(rows.tolist())

    def forget(self, key: int) -> None:
        """Know that the URL of a key was asked for."""
        self._rows[key] = GONE

    def remove(self, url: Url) -> None:
        """Let go of the row of a URL that was asked for."""
        key = key_of(url)
        row = self._rows.get(key, GONE)
        self._rows[key] = GONE
        self.gone.add(key)
        if row != GONE:
            self.waits[row] = False
            self.urls[row] = None
            self.free.append(row)
            self.changed.discard(row)

    def rename(self, row: int, target: Url) -> None:
        """Let a row stand for the URL that its own was redirected to."""
        key = self.key(row)
        self._rows[key] = GONE
        self.gone.add(key)
        self._rows[key_of(target)] = row
        self.urls[row] = target
        self.changed.add(row)

    def url(self, row: int) -> Url:
        """Return the URL of a row that waits."""
        url = self.urls[row]
        assert url is not None, "what waits has a URL"
        return url

    def key(self, row: int) -> int:
        """Return the key of the URL of a row that waits."""
        return key_of(self.url(row))

    def waiting(self) -> Rows:
        """Return the rows of everything that waits."""
        return np.flatnonzero(self.waits[: self.used])

    def mention(self, rows: Rows, parent: int, sections: Sequence[int]) -> None:
        """Remember which page mentions the URLs of rows, and where on it."""
        slot = self.mentions[rows] % PARENTS
        self.parents[rows, slot] = parent
        self.sections[rows, slot] = sections
        self.mentions[rows] += 1
        self.changed.update(rows.tolist())
