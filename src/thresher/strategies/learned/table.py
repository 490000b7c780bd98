"""One row of evidence for each URL that waits, gathered over all its mentions, in one NumPy array.

Rows of URLs that were visited are given to the next ones, so that memory is for what waits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url
from thresher.core.url import host_of, key_of, registered_domain

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

COLUMNS = (
    "parents",
    "anchor words",
    "anchor meaning",
    "URL words",
    "URL meaning",
    "same host",
    "clicks",
    "heading words",
    "heading meaning",
)
"""What a mention adds to, in this order; the yields come after them."""

GROUPS = ("domain", "host", "folder")
"""What a URL belongs to by its name, each beside the one above it."""

PARENTS = 4  # pages (and sections, and headings) remembered of those that mention a URL
GONE = -1
DEEPEST = 65_535

CELLS = np.dtype(
    [
        ("evidence", np.float16, len(COLUMNS)),
        ("groups", np.int32, len(GROUPS)),
        ("parents", np.int32, PARENTS),  # number of the page, 0: none
        ("sections", np.int32, PARENTS),
        ("headings", np.int32, PARENTS),
        ("mentions", np.int32),
        ("told", np.float32),  # the price the frontier knows; none: not a number
        ("depth", np.uint16),
        ("arrival", np.int32),  # the how manieth URL it was that was mentioned
    ]
)


class Table:
    """The rows of everything that waits."""

    def __init__(self) -> None:
        """Start with room for some rows; it is doubled as they come."""
        self._rows: dict[int, int] = {}  # key of a URL to its row, or GONE
        self.free: list[int] = []
        self.used = 0
        self.met = 0  # URLs that ever had a row
        self.changed: set[int] = set()  # rows
        self.gone: set[int] = set()  # keys
        self.urls: list[Url | None] = []
        self.cells = np.zeros(1024, CELLS)
        self._waits = np.zeros(1024, np.bool_)

    def find(self, url: Url) -> int | None:
        """Return the row of a URL, GONE if it was visited, None if nobody mentioned it."""
        return self._rows.get(key_of(url))

    def rows_of(self, keys: Sequence[int]) -> list[int | None]:
        """Return what `find` does, for the keys of many URLs."""
        return [*map(self._rows.get, keys)]

    def add(self, urls: Sequence[Url], depth: int) -> Rows:
        """Make empty rows for URLs that have none."""
        rows = []
        for url in urls:
            rows.append(self.free.pop() if self.free else self.used)
            self.place(rows[-1], url)
        self.cells[rows] = np.zeros(1, CELLS)
        self.cells["depth"][rows] = min(depth, DEEPEST)
        self.cells["told"][rows] = np.nan
        self.cells["arrival"][rows] = np.arange(self.met + 1, self.met + 1 + len(rows))
        self.met += len(rows)
        self.changed.update(rows)
        return np.array(rows, np.int64)

    def place(self, row: int, url: Url) -> None:
        """Give a row to a URL, and make room for it if need be."""
        while row >= len(self.cells):
            self.cells = np.concatenate([self.cells, np.zeros_like(self.cells)])
            self._waits = np.concatenate([self._waits, np.zeros_like(self._waits)])
        self.urls.extend([None] * (row + 1 - len(self.urls)))
        self.used = max(self.used, row + 1)
        self._rows[key_of(url)] = row
        self.urls[row] = url
        self._waits[row] = True

    def tell(self, rows: Rows, prices: Floats) -> None:
        """Remember the prices that the frontier is told."""
        self.cells["told"][rows] = prices
        self._waits[rows] = True
        self.changed.update(rows.tolist())

    def withdraw(self, row: int) -> None:
        """Know that the frontier does not have a URL: it waits no more until somebody mentions it again."""
        self.cells["told"][row] = np.nan
        self._waits[row] = False
        self.changed.add(row)

    def settle(self, row: int, cells: NDArray[np.void]) -> None:
        """Put back what an earlier run knew of a URL that has its row."""
        self.cells[row] = cells
        self._waits[row] = not np.isnan(cells["told"])

    def forget(self, key: int) -> None:
        """Know that the URL of a key was asked for, or never will be."""
        self._rows[key] = GONE

    def remove(self, url: Url) -> None:
        """Let go of the row of a URL that was asked for."""
        key = key_of(url)
        row = self._rows.get(key, GONE)
        self._rows[key] = GONE
        self.gone.add(key)
        if row != GONE:
            self._waits[row] = False
            self.urls[row] = None
            self.free.append(row)
            self.changed.discard(row)

    def rename(self, row: int, target: Url) -> None:
        """Let a row stand for the URL that its own was redirected to."""
        key = key_of(self.url(row))
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

    def waiting(self) -> Rows:
        """Return the rows of everything that waits in the frontier."""
        return np.flatnonzero(self._waits[: self.used])


Numbers = NDArray[np.signedinteger]

FIGURES = ("sums", "counts", "requests", "pages")
STRENGTH = 4.0  # visits that the prior of a group counts for


class Tally:
    """Groups by number: the sum of the labels found in each, how many, requests, and pages they brought."""

    def __init__(self) -> None:
        """Start with room for some groups; more is made as they come."""
        self._numbers: dict[str | int, int] = {}
        self._names: list[str | int] = []
        self.changed: set[int] = set()
        self.sums: Floats = np.zeros(1024)
        self.counts: Floats = np.zeros(1024)
        self.requests: Floats = np.zeros(1024)
        self.pages: Floats = np.zeros(1024)

    def number(self, name: str | int) -> int:
        """Return the number of a group, a new one if nobody has met it."""
        known = self._numbers.get(name)
        if known is None:
            known = len(self._names)
            self.put(known, name, 0.0, 0.0, 0.0, 0.0)
            self.changed.add(known)
        return known

    def name(self, number: int) -> str | int:
        """Return what a group is called."""
        return self._names[number]

    def put(self, number: int, name: str | int, *figures: float) -> None:
        """Set what is known of a group: sum, count, requests and pages."""
        while number >= len(self._names):
            self._names.append("")
        while number >= len(self.sums):
            for column in FIGURES:
                figure = getattr(self, column)
                setattr(self, column, np.concatenate([figure, np.zeros_like(figure)]))
        self._numbers[name], self._names[number] = number, name
        for column, value in zip(FIGURES, figures, strict=True):
            getattr(self, column)[number] = value

    def figures(self, numbers: Sequence[int]) -> list[list[float]]:
        """Return what is known of groups, as `put` takes it."""
        return np.stack([getattr(self, column)[numbers] for column in FIGURES], axis=1).tolist()  # type: ignore[no-any-return]

    def ask(self, number: int, brought: bool) -> None:
        """Count a request to a group, and the page it brought, if it did."""
        self.requests[number] += 1
        self.pages[number] += brought
        self.changed.add(number)

    def shares(self, numbers: Numbers, prior: Floats | float) -> Floats:
        """Return the shares of requests to groups that brought a page, drawn towards their priors."""
        pages, requests = self.pages.take(numbers), self.requests.take(numbers)
        return np.asarray((pages + STRENGTH * prior) / (requests + STRENGTH))

    def add(self, number: int, label: float, visits: int = 1) -> None:
        """Count one visit to a group, or none but a correction."""
        self.sums[number] += label
        self.counts[number] += visits
        self.changed.add(number)

    def means(self, numbers: Numbers, prior: Floats | float) -> Floats:
        """Return the yield of groups, drawn towards their priors."""
        total, visits = self.sums.take(numbers), self.counts.take(numbers)
        total += STRENGTH * prior
        visits += STRENGTH
        total /= visits
        return total


def places_of(url: Url) -> tuple[str, str, str]:
    """Return the groups a URL belongs to: domain, host, first folder; what is in no folder has its host's."""
    host = host_of(url)
    folder, slash, _ = url[len(host) + 1 :].partition("?")[0].partition("/")
    return registered_domain(url), host, f"{host}/{folder}" if slash else host
