"""What a crawl teaches the judge on its way, anchored to the question: pages teach as far as they answer it.

    likeness(x) = x . (sum p^2 x / sum p^2  -  0.5 sum (1-p) x / sum (1-p))                       Rocchio 1971
    bayes(x)    = x . log((A_w + 30 g_w) / (A + 30)  /  ((B_w + 30 g_w) / (B + 30)))
    A_w = sum p x_w,  B_w = sum (1-p) x_w,  g_w = (A_w + B_w) / (A + B)

x are unit vectors (vector.py), p is what the question alone makes of a page: never what was learned, or the
judge would teach itself. Both are brought to mean 0 and spread 1 over the pages met, and count by how much
was found: sure = m / (m + 5), m = sum of p. A page without any of the question has p = 0: it cannot teach.
"""

from collections import deque
from collections.abc import Sequence
from math import log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.judges.question.vector import HEAVIEST, SIZE, Vector
from thresher.text.vectors import Floats

Sums = NDArray[np.float64]
Known = tuple[float, float]

BACKGROUND = 0.5  # how much what is not wanted takes away
PRIOR = 30.0
DOUBT = 5.0
ENOUGH = 20  # pages met before anything is added to the question
LATEST = 300  # pages by which mean and spread are taken
OFTEN = 0.05  # share of new pages after which they are taken anew
LOWEST, HIGHEST = -5.0, 8.0
LEAST = 1e-6
UNSCALED = (0.0, 1.0)


class Lesson(Struct, frozen=True):
    """What one page teaches: its words, and how surely it is wanted."""

    vector: Vector
    wanted: float


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


def batch_of(vectors: list[Vector], wanted: Sums | None = None, met: Sums | None = None) -> Batch:
    """Return pages as rows of one width; shorter ones are filled up with words that weigh nothing."""
    places, values = np.zeros((len(vectors), HEAVIEST), np.int64), np.zeros((len(vectors), HEAVIEST), "f4")
    for row, vector in enumerate(vectors):
        places[row, : len(vector.places)] = vector.places
        values[row, : len(vector.values)] = vector.values
    none = np.zeros(len(vectors))
    return Batch(places, values, none if wanted is None else wanted, none if met is None else met)


class Feedback:
    """What the pages met so far have taught."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.squared: Sums = np.zeros(SIZE)
        self.wanted: Sums = np.zeros(SIZE)
        self.other: Sums = np.zeros(SIZE)
        self.totals: Sums = np.zeros(3)  # of p^2, of p, of 1 - p
        self.masses: Sums = np.zeros(2)  # of the words wanted, of the others
        self.met = 0
        self.latest: deque[Lesson] = deque(maxlen=LATEST)
        self._scale: tuple[Known, Known] = (UNSCALED, UNSCALED)
        self._scaled_at = 0

    @property
    def knows_enough(self) -> bool:
        """Whether there is anything to add to the question."""
        return self.met >= ENOUGH and self.totals[1] > LEAST

    def meet(self, lesson: Lesson, times: float = 1.0) -> None:
        """Learn from a page; -1 times takes back what it taught before."""
        vector, x, p = lesson.vector, lesson.vector.values.astype(np.float64), lesson.wanted
        for sums, much in ((self.squared, p * p), (self.wanted, p), (self.other, 1 - p)):
            if much:
                _add(sums, vector, times * much * x)
        self.totals += times * np.array([p * p, p, 1 - p])
        self.masses += times * float(x.sum()) * np.array([p, 1 - p])
        self.met += round(times)
        if times > 0:
            self.latest.append(lesson)
            self._rescale()

    def meet_all(self, pages: Batch, lessons: Sequence[Lesson]) -> None:
        """Learn from many pages at once: the rows that were met, in the order of the lessons."""
        at, (wanted, other) = pages.places.ravel(), pages.own
        squared = wanted * pages.wanted
        for sums, much in ((self.squared, squared), (self.wanted, wanted), (self.other, other)):
            sums += np.bincount(at, (much[:, None] * pages.values).ravel(), SIZE)
        mass = pages.values.sum(axis=1)
        self.totals += np.array([squared.sum(), wanted.sum(), other.sum()])
        self.masses += np.array([wanted @ mass, other @ mass])
        self.met += len(lessons)
        self.latest.extend(lessons)
        self._rescale()

    def added_to(self, vector: Vector) -> tuple[float, float]:
        """Return likeness and bayes of one page that has taught nothing: the page at hand in a crawl."""
        if not self.knows_enough:
            return 0.0, 0.0
        x, at = vector.values, vector.places
        other = self.other[at]
        near, far = float(self.squared[at] @ x) / max(self.totals[0], LEAST), float(other @ x)
        likeness = near - BACKGROUND * far / max(self.totals[2], LEAST)
        return self._scaled(likeness, float(self._odds_of(self.wanted[at], other) @ x))

    def _scaled(self, likeness: float, bayes: float) -> tuple[float, float]:
        """Return both on the scale of the pages met, by how much was found."""
        sure = float(self.totals[1] / (self.totals[1] + DOUBT))
        (mean_a, spread_a), (mean_b, spread_b) = self._scale
        a, b = (likeness - mean_a) / spread_a, (bayes - mean_b) / spread_b
        return sure * min(max(a, LOWEST), HIGHEST), sure * min(max(b, LOWEST), HIGHEST)

    def _odds_of(self, a: Sums, b: Sums) -> Sums:
        """Return the log odds of words by how much of each was wanted, and how much was not."""
        of_a, of_b = self.masses.tolist()
        both = a + b
        g = PRIOR / max(of_a + of_b, LEAST) * both + 1e-9
        odds = np.log((a + g) / (b + g)) - log((of_a + PRIOR) / (of_b + PRIOR))
        return np.asarray(odds * (both > LEAST))

    def added(self, pages: Batch) -> tuple[Sums, Sums]:
        """Return likeness and bayes of each page; what a page itself has taught does not count for it."""
        if not self.knows_enough:
            return np.zeros(len(pages.met)), np.zeros(len(pages.met))
        sure = self.totals[1] / (self.totals[1] + DOUBT)
        (mean_a, spread_a), (mean_b, spread_b) = self._scale
        a = (self._likeness(pages) - mean_a) / spread_a
        b = (self._bayes(pages) - mean_b) / spread_b
        return sure * _clipped(a), sure * _clipped(b)

    def _rescale(self) -> None:
        """Take mean and spread of both over the latest pages, as they look now, whenever some more were met.

        At the same pages whoever asks: a crawl that was taken up again judges like one that never stopped.
        """
        if not self.knows_enough or self.met - self._scaled_at <= OFTEN * self._scaled_at:
            return
        lessons = list(self.latest)
        wanted = np.array([lesson.wanted for lesson in lessons])
        pages = batch_of([lesson.vector for lesson in lessons], wanted, np.ones(len(lessons)))
        self._scale = _scale(self._likeness(pages)), _scale(self._bayes(pages))
        self._scaled_at = self.met

    def _likeness(self, pages: Batch) -> Sums:
        """Return how much nearer each page is to what is wanted than to the rest."""
        (wanted, other), x = pages.own, pages.values
        squared, length = wanted * pages.wanted, (x * x).sum(axis=1)
        near = (self.squared[pages.places] * x).sum(axis=1) - squared * length
        far = (self.other[pages.places] * x).sum(axis=1) - other * length
        near /= np.maximum(self.totals[0] - squared, LEAST)
        return np.asarray(near - BACKGROUND * far / np.maximum(self.totals[2] - other, LEAST))

    def by_word(self, pages: Batch) -> tuple[Sums, Sums]:
        """Return what each word of one page adds to its likeness and to its bayes, before clipping."""
        (wanted, other), x = pages.own, pages.values
        squared = wanted * pages.wanted
        near = (self.squared[pages.places] - squared[:, None] * x) / max(self.totals[0] - squared[0], LEAST)
        far = (self.other[pages.places] - other[:, None] * x) / max(self.totals[2] - other[0], LEAST)
        sure = self.totals[1] / (self.totals[1] + DOUBT)
        (_, spread_a), (_, spread_b) = self._scale
        return sure * x * (near - BACKGROUND * far) / spread_a, sure * self._odds(pages) / spread_b

    def _bayes(self, pages: Batch) -> Sums:
        """Return the log odds of each page's words together."""
        return np.asarray(self._odds(pages).sum(axis=1))

    def _odds(self, pages: Batch) -> Sums:
        """Return the log odds of each word of each page, by its weight."""
        (wanted, other), x = pages.own, pages.values
        mass = x.sum(axis=1)
        of_a, of_b = self.masses[0] - wanted * mass, self.masses[1] - other * mass
        a = np.maximum(self.wanted[pages.places] - wanted[:, None] * x, 0.0)
        b = np.maximum(self.other[pages.places] - other[:, None] * x, 0.0)
        g = PRIOR * (a + b) / np.maximum(of_a + of_b, LEAST)[:, None] + 1e-9
        usual = np.log((of_a + PRIOR) / (of_b + PRIOR))[:, None]
        odds = np.where(a + b > LEAST, np.log((a + g) / (b + g)) - usual, 0.0)
        return np.asarray(x * odds)


def _add(sums: Sums, vector: Vector, much: Sums) -> None:
    """Add the words of a page; np.add.at is for two words of one place, and takes five times as long."""
    if vector.apart:
        sums[vector.places] += much
    else:
        np.add.at(sums, vector.places, much)


def _clipped(scores: Sums) -> Sums:
    return np.minimum(np.maximum(scores, LOWEST), HIGHEST)  # a fifth of the time of np.clip for one page


def _scale(scores: Sums) -> Known:
    return float(scores.mean()), float(scores.std()) + LEAST
