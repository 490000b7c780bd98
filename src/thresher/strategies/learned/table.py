"""One row of evidence for each URL that waits, gathered over all its mentions, in one NumPy array.

Rows of URLs that were visited are given to the next ones, so that memory is for what waits.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url
from thresher.core.url import domain_of, key_of
from thresher.strategies.learned.rows import GONE, Keys, RowIndex, RowUrls, ShortRows, longer

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
DEEPEST = 65_535
SAMPLED = 100_000  # priorities that stand for those of all that wait
NEXT_PRIORITY = 2.5  # of a URL whose turn it is: above every priority, below a seed's

CELLS = np.dtype(
    [
        ("evidence", np.float16, len(COLUMNS)),
        ("groups", np.int32, len(GROUPS)),
        ("parents", np.int32, PARENTS),  # number of the page, 0: none
        ("sections", np.int32, PARENTS),
        ("headings", np.int32, PARENTS),
        ("mentions", np.int32),
        ("told", np.float32),  # the priority the frontier knows; none: not a number
        ("guided", np.float16),  # what a guide says of it; none: not a number
        ("depth", np.uint16),
        ("arrival", np.int32),  # the how manieth URL it was that was mentioned
    ]
)
KEPT = np.dtype([("piece", np.int32), ("cells", CELLS)])
"""A row as the store keeps it: which piece has its URL, and what is known of it."""


class RowTable:
    """The rows of everything that waits."""

    def __init__(self) -> None:
        """Start with room for some rows; it is doubled as they come."""
        self._index = RowIndex()
        self.urls = RowUrls()
        self.free: list[int] = []
        self.used = 0
        self.met = 0  # URLs that ever had a row
        self.changed: set[int] = set()  # rows
        self.gone: set[int] = set()  # keys
        self.cells = np.zeros(1024, CELLS)
        self._waits = np.zeros(1024, np.bool_)

    def find(self, url: Url) -> int | None:
        """Return the row of a URL, GONE if it was visited, None if no page linked to it."""
        return self._index.get(key_of(url))

    def rows_of(self, keys: Sequence[int]) -> list[int | None]:
        """Return what `find` does, for the keys of many URLs."""
        return self._index.get_many(keys)

    def add(self, urls: Sequence[Url], keys: Sequence[int], depth: int) -> Rows:
        """Make empty rows for URLs that have none; those that were given back come first."""
        rows = [self.free.pop() for _ in range(min(len(self.free), len(urls)))]
        rows += range(self.used, self.used + len(urls) - len(rows))
        self.make_room(max(rows, default=-1) + 1)
        for row, url, key in zip(rows, urls, keys, strict=True):
            self._index[key] = row
            self.urls.put(row, url)
        self.cells[rows] = np.zeros(1, CELLS)
        self.cells["depth"][rows] = min(depth, DEEPEST)
        self.cells["told"][rows] = self.cells["guided"][rows] = np.nan
        self.cells["arrival"][rows] = np.arange(self.met + 1, self.met + 1 + len(rows))
        self.met += len(rows)
        self._waits[rows] = True
        self.touch(rows)
        return np.array(rows, np.int64)

    def touch(self, rows: Iterable[int]) -> None:
        """Know that rows are not what they were."""
        self.changed.update(rows)

    def _place(self, row: int, url: Url) -> None:
        """Give a row to a URL."""
        self._index[key_of(url)] = row
        self.urls.put(row, url)

    def make_room(self, rows: int) -> None:
        """See that there are so many rows."""
        size = len(self.cells)
        while size < rows:
            size *= 2
        if size > len(self.cells):
            self.cells, self._waits = longer(self.cells, size), longer(self._waits, size)
            self.urls.pieces = longer(self.urls.pieces, size)
        self.used = max(self.used, rows)

    def tell(self, rows: Rows, priorities: Floats) -> None:
        """Remember the priorities that the frontier is told."""
        self.cells["told"][rows] = priorities
        self._waits[rows] = True
        self.touch(rows.tolist())

    def in_turn(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which rows were given their turn; they keep it until they are asked for."""
        return np.asarray(self.cells["told"][rows] >= NEXT_PRIORITY)

    def best_told(self, several: int) -> Rows:
        """Return about so many of the best rows that wait; a sample says how good they are."""
        told = np.where(self._waits[: self.used], self.cells["told"][: self.used], -np.inf)
        some = told[:: max(1, len(told) // SAMPLED)]
        several = min(len(some), 1 + several * len(some) // len(told))
        least = np.partition(some, -several)[-several]
        return np.flatnonzero((told >= least) & (told > -np.inf))

    def still_told(self, rows: Rows, priorities: Floats) -> NDArray[np.bool_]:
        """Tell which rows wait at the priorities that they had once."""
        return np.asarray(self._waits[rows] & (self.cells["told"][rows] == priorities))

    def withdraw(self, row: int) -> None:
        """Note that the frontier does not have a URL: it waits no more until a page links to it again."""
        self.cells["told"][row] = np.nan
        self._waits[row] = False
        self.touch([row])

    def settle(self, rows: Rows, kept: NDArray[np.void]) -> None:
        """Put back what an earlier run knew of rows, but for those that are free."""
        still = ~np.isin(rows, self.free)
        rows, kept = rows[still], kept[still]
        self.make_room(int(rows.max(initial=-1)) + 1)
        self.cells[rows], self.urls.pieces[rows] = kept["cells"], kept["piece"]
        self._waits[rows] = ~np.isnan(kept["cells"]["told"])

    def index(self, keys: Keys, rows: ShortRows) -> None:
        """Put back which URLs have which rows, or none any more."""
        self._index.load(keys, rows)

    def remove(self, url: Url) -> None:
        """Let go of the row of a URL that was asked for."""
        key = key_of(url)
        row = self._index.get(key)
        self._index[key] = GONE
        self.gone.add(key)
        if row is not None and row != GONE:
            self._waits[row] = False
            self.urls.drop(row)
            self.free.append(row)
            self.changed.discard(row)

    def rename(self, row: int, url: Url, target: Url) -> None:
        """Let the row of a URL stand for the one that it was redirected to."""
        self._index[key_of(url)] = GONE
        self.gone.add(key_of(url))
        self._place(row, target)
        self.changed.add(row)

    def waiting(self) -> Rows:
        """Return the rows of everything that waits in the frontier."""
        return np.flatnonzero(self._waits[: self.used])


Numbers = NDArray[np.signedinteger]

FIGURES = ("sums", "counts", "requests", "pages")
STRENGTH = 4.0  # visits that the prior of a group counts for


class GroupStats:
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
        """Return the number of a group, a new one if it is unknown."""
        known = self._numbers.get(name)
        if known is None:
            known = len(self._names)
            self.put(known, name, 0.0, 0.0, 0.0, 0.0)
            self.changed.add(known)
        return known

    def numbers(self, names: Iterable[str | int]) -> list[int]:
        """Return the numbers of groups."""
        known = self._numbers
        return [known[name] if name in known else self.number(name) for name in names]

    def name(self, number: int) -> str | int:
        """Return what a group is called."""
        return self._names[number]

    def names(self, numbers: Sequence[int]) -> list[str | int]:
        """Return what groups are called."""
        return [*map(self._names.__getitem__, numbers)]

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
    host = url[: url.index("/", 8)]  # as host_of: each new URL is asked
    folder, slash, _ = url[len(host) + 1 :].partition("?")[0].partition("/")
    return domain_of(host), host, f"{host}/{folder}" if slash else host
