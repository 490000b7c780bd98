"""How likely a request is to bring a page: a ridge regression on what the latest requests have brought.

    chance = level + weights . (row - mean),    row = mentions, host, folder, section, same host, page

Host, folder and section are the shares of requests to the same place that brought a page, each beside the one
above it; page is that of links of the same page, because an old list is dead from top to bottom. What many
pages mention is seldom gone; what stands in a menu of edit links always is. Sums are all that is kept of the
requests, and the oldest fade; so a crawl can go on from them exactly.
"""

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NAMES = ("mentions", "host", "folder", "section", "same host", "page")
PRIOR = np.array([0.1, 0.5, 0.5, 0.5, 0.0, 0.5])  # what they were worth on other webs, rounded
RIDGE = np.diag([5.0, 1.0, 1.0, 1.0, 2.0, 1.0])
FADES = 1 - 1 / 2_000  # what is left of a request's weight when the next one comes
FEWEST = 10  # requests before anything is learned from them
LEAST = 0.05  # no chance is smaller: a host may come back


class Requests(Struct):
    """Sums over requests: their number, rows, products of rows, pages, and rows that brought one."""

    number: float = 0.0
    rows: list[float] = field(default_factory=lambda: [0.0] * len(NAMES))
    products: list[list[float]] = field(default_factory=lambda: [[0.0] * len(NAMES) for _ in NAMES])
    pages: float = 0.0
    brought: list[float] = field(default_factory=lambda: [0.0] * len(NAMES))


class Lesson(Struct):
    """What the requests taught: a level, and what each column adds beside its mean."""

    mean: list[float]
    weights: list[float]
    level: float


class Answers:
    """What requests have brought, and what that says of the next ones."""

    def __init__(self) -> None:
        """Expect that whatever is asked for is there."""
        self.requests = Requests()
        self.lesson: Lesson | None = None

    def count(self, evidence: Floats, brought: bool) -> None:
        """Count a request for a row, and whether it brought a page; so few numbers are no work for NumPy."""
        sums, each, row = self.requests, float(brought), evidence.tolist()
        self.requests = Requests(
            FADES * sums.number + 1,
            [FADES * known + new for known, new in zip(sums.rows, row, strict=True)],
            [
                [FADES * known + one * new for known, new in zip(line, row, strict=True)]
                for line, one in zip(sums.products, row, strict=True)
            ],
            FADES * sums.pages + each,
            [FADES * known + each * new for known, new in zip(sums.brought, row, strict=True)],
        )

    def fit(self) -> None:
        """Let the requests so far teach what brings a page."""
        sums = self.requests
        if sums.number < FEWEST:
            return
        mean, level = np.array(sums.rows) / sums.number, (sums.pages + 1.0) / (sums.number + 2.0)
        spread = np.array(sums.products) - sums.number * np.outer(mean, mean)
        missed = np.array(sums.brought) - mean * sums.pages - spread @ PRIOR
        weights = PRIOR + np.linalg.solve(spread + RIDGE, missed)
        self.lesson = Lesson(mean.tolist(), weights.tolist(), level)

    def chances(self, rows: Floats) -> Floats:
        """Return how likely a request for each row is to bring a page."""
        if self.lesson is None:
            return np.ones(len(rows))
        found = self.lesson.level + (rows - np.array(self.lesson.mean)) @ np.array(self.lesson.weights)
        return np.asarray(np.clip(found, LEAST, 1.0))
