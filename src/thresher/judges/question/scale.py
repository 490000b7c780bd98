"""What likeness and bayes are worth: two scales, one for what is counted and one for what orders.

relevance   g = a likeness + b bayes + c, a logistic regression (a, b >= 0) of the question's own p on both,
            over a sample of the whole crawl, with c such that the sums agree; g0 = odds(mean p)
contrast    (x - mean) / spread of each of both over the latest 300 pages: how a page stands out among them

What cannot explain p is worth nothing on the first scale, however small its spread is, so the leftovers at
the end of a crawl stay leftovers; on the second they are spread out, since a priority wants differences.
"""

from collections import deque
from collections.abc import Sequence
from math import log
from typing import TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from thresher.judges.question.page import HEAVIEST, Vector
from thresher.text.vectors import Floats

Sums = NDArray[np.float64]
Known = tuple[float, float]
Amount = TypeVar("Amount", float, Sums)

FEWEST = 1_000  # pages of the whole crawl by which the scale is fitted, up to twice as many
LATEST = 300  # pages among which a page stands out
LOWEST, HIGHEST = -5.0, 8.0  # spreads
LEAST = 1e-6
HELD = 1e-3  # how strongly the regression is held to slopes of 0, per page
STEPS, CLOSE = 30, 1e-5


class FeedbackExample(Struct, frozen=True):
    """What one page teaches: its words, and how surely it is wanted."""

    vector: Vector
    wanted: float

    def is_same(self, other: "FeedbackExample") -> bool:
        """Tell whether another lesson teaches the same."""
        return self.wanted == other.wanted and np.array_equal(self.vector.places, other.vector.places)


class Batch(Struct, frozen=True):
    """Some pages, a row each, and what each of them has taught so far: nothing, if it was not met."""

    places: NDArray[np.int64]
    values: Floats
    wanted: Sums
    met: Sums  # 1 for a page that was met, else 0

    @property
    def own(self) -> tuple[Sums, Sums]:
        """How much of each page is in the sums, as wanted and as not."""
        return self.met * self.wanted, self.met * (1 - self.wanted)


def batch_of(vectors: Sequence[Vector], wanted: Sums | None = None, met: Sums | None = None) -> Batch:
    """Return pages as rows of one width; shorter ones are filled up with words that weigh nothing."""
    places, values = np.zeros((len(vectors), HEAVIEST), np.int64), np.zeros((len(vectors), HEAVIEST), "f4")
    for row, vector in enumerate(vectors):
        places[row, : len(vector.places)] = vector.places
        values[row, : len(vector.values)] = vector.values
    none = np.zeros(len(vectors))
    return Batch(places, values, none if wanted is None else wanted, none if met is None else met)


def batch_met(lessons: Sequence[FeedbackExample]) -> Batch:
    """Return pages that were met, with what they have taught."""
    wanted = np.array([lesson.wanted for lesson in lessons])
    return batch_of([lesson.vector for lesson in lessons], wanted, np.ones(len(lessons)))


class ScaleSample(Struct):
    """Every page of a crawl, later every second, fourth and so on; and all of the latest."""

    lessons: list[FeedbackExample] = []
    every: int = 1  # page is kept
    skipped: int = 0
    latest: deque[FeedbackExample] = field(default_factory=lambda: deque(maxlen=LATEST))

    def add(self, lesson: FeedbackExample) -> None:
        """Note a page, if it is its turn."""
        self.latest.append(lesson)
        self.skipped += 1
        if self.skipped < self.every:
            return
        self.skipped = 0
        self.lessons.append(lesson)
        if len(self.lessons) >= 2 * FEWEST:
            del self.lessons[::2]
            self.every *= 2

    def replace(self, before: FeedbackExample, after: FeedbackExample) -> None:
        """Let a page that was noted teach something else."""
        for noted in (self.lessons, self.latest):
            if (at := next((at for at, each in enumerate(noted) if each.is_same(before)), None)) is not None:
                noted[at] = after


class Fitted(Struct, frozen=True):
    """g = a likeness + b bayes + c, and g of a page as likely as the mean of the sample."""

    slopes: Known = (0.0, 0.0)
    constant: float = 0.0
    usual: float = 0.0

    def above(self, likeness: Amount, bayes: Amount) -> Amount:
        """Return g less that of a usual page, of one page or of many."""
        a, b = self.slopes
        return a * likeness + b * bayes + (self.constant - self.usual)


def fitted(near: Sums, odds: Sums, wanted: Sums) -> Fitted:
    """Return the scale by what the question alone makes of the same pages."""
    rows = np.column_stack((near, odds))
    mean = min(max(float(wanted.mean()), LEAST), 1 - LEAST)
    usual = log(mean / (1 - mean))
    spread = rows.std(axis=0) + LEAST
    slopes = _slopes((rows - rows.mean(axis=0)) / spread, wanted, usual) / spread
    return Fitted((float(slopes[0]), float(slopes[1])), _level(rows @ slopes, float(wanted.sum())), usual)


def _slopes(columns: Sums, wanted: Sums, usual: float) -> Sums:
    """Return the slopes of the regression; one that would be negative is 0, and the other fitted alone."""
    free = [0, 1]
    while free:
        found = _regression(columns[:, free], wanted, usual)
        if (found >= 0).all():
            break
        free = [at for at, slope in zip(free, found, strict=True) if slope >= 0]
    slopes = np.zeros(2)
    slopes[free] = found if free else ()
    return slopes


def _regression(columns: Sums, wanted: Sums, usual: float) -> Sums:
    """Return the weights of columns of mean 0 and spread 1, by Newton's method from no weight at all.

    A step that goes too far is halved: between pages that are far apart it would swing back and forth.
    """
    rows = np.column_stack((columns, np.ones(len(columns))))
    held = np.diag([HELD] * columns.shape[1] + [0.0]) * len(rows)

    def loss(at: Sums) -> float:
        z = rows @ at
        return float(np.logaddexp(0, z).sum() - wanted @ z + at @ held @ at / 2)

    at = np.append(np.zeros(columns.shape[1]), usual)
    for _ in range(STEPS):
        p = _logistic(rows @ at)
        curve = (rows * (p * (1 - p))[:, None]).T @ rows + held + 1e-9 * np.eye(len(at))
        step = np.linalg.solve(curve, rows.T @ (p - wanted) + held @ at)
        while (size := np.abs(step).max()) > CLOSE and loss(at - step) > loss(at):
            step = step / 2
        at = at - step
        if size < CLOSE:
            break
    return np.asarray(at[:-1])


def _level(z: Sums, total: float) -> float:
    """Return the constant with which the probabilities add up to a total."""
    low, high = -30.0 - float(z.max()), 30.0 - float(z.min())
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if _logistic(z + middle).sum() > total else (middle, high)
    return low


def _logistic(z: Sums) -> Sums:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -30, 30))))


class Contrast(Struct, frozen=True):
    """Mean and spread of likeness and of bayes over the latest pages."""

    means: Known = (0.0, 0.0)
    spreads: Known = (1.0, 1.0)

    def of(self, likeness: float, bayes: float) -> Known:
        """Return how many spreads a page stands above the mean."""
        a, b = (likeness - self.means[0]) / self.spreads[0], (bayes - self.means[1]) / self.spreads[1]
        return min(max(a, LOWEST), HIGHEST), min(max(b, LOWEST), HIGHEST)


def contrast_of(near: Sums, odds: Sums) -> Contrast:
    """Return the scale of some pages."""
    means, spreads = zip(*((float(x.mean()), float(x.std()) + LEAST) for x in (near, odds)), strict=True)
    return Contrast(means, spreads)
