"""What a crawl teaches the judge on its way, anchored to the question: pages teach as far as they answer it.

    likeness(x) = x . (sum p^2 x / sum p^2  -  0.5 sum (1-p) x / sum (1-p))                       Rocchio 1971
    bayes(x)    = x . log((A_w + 30 g_w) / (A + 30)  /  ((B_w + 30 g_w) / (B + 30)))
    A_w = sum p x_w,  B_w = sum (1-p) x_w,  g_w = (A_w + B_w) / (A + B)

x are unit vectors (page.py), p is what the question alone makes of a page: never what was learned, or the
judge would teach itself. scale.py says what both are worth; they count by how much was found: sure =
m / (m + 5) * min(1, largest p / .5)^4, m = sum of p: until a page is certain hardly at all. A page without
any of the question has p = 0: it cannot teach.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import exp, log
from zlib import compress, decompress

import msgspec
import numpy as np
from msgspec import Struct

from thresher.judges.question.features import LogisticModel
from thresher.judges.question.page import Vector
from thresher.judges.question.scale import (
    Batch,
    Contrast,
    FeedbackExample,
    Fitted,
    Known,
    ScaleSample,
    Sums,
    batch_met,
    contrast_of,
    fitted,
)
from thresher.text.page_record import SIZE

BACKGROUND = 0.5  # how much what is not wanted takes away
PRIOR = 30.0
DOUBT = 5.0
CERTAIN = 0.5  # from which on a page is likelier to be wanted than not
STEEP = 4
ENOUGH = 20  # pages met before anything is added to the question
YOUNG, SETTLED = 100, 2_000  # pages met: a crawl is as early as can be, and no longer early
OFTEN = 0.05  # share of new pages after which the scales are taken anew
LEAST = 1e-6
BACKGROUND_PAGES = 300  # more of them change nothing
LEAST_EDGE = 1e-3  # how near to 0 or 1 a threshold counts at most
NEVER_NONE = 1e-3  # what even a seed without a word of the topic counts for


class Feedback:
    """What the pages met so far have taught."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.squared: Sums = np.zeros(SIZE)
        self.wanted: Sums = np.zeros(SIZE)
        self.other: Sums = np.zeros(SIZE)
        self.totals: Sums = np.zeros(3)  # of p^2, of p, of 1 - p
        self.masses: Sums = np.zeros(2)  # of the words wanted, of the others
        self.largest = 0.0  # p
        self.met = 0
        self.sample = ScaleSample()
        self.scale, self.contrast = Fitted(), Contrast()
        self._scaled_at = 0

    @property
    def knows_enough(self) -> bool:
        """Whether there is anything to add to the question."""
        return self.met >= ENOUGH and self.totals[1] > LEAST

    def meet(self, lesson: FeedbackExample) -> None:
        """Learn from a page."""
        self._count(lesson, 1.0)
        self.met += 1
        self.sample.add(lesson)
        self.rescale()

    def replace(self, before: FeedbackExample, after: FeedbackExample) -> None:
        """Let a page that was met teach something else, as if it had from the start."""
        self._count(before, -1.0)
        self._count(after, 1.0)
        self.sample.replace(before, after)

    def _count(self, lesson: FeedbackExample, times: float) -> None:
        vector, x, p = lesson.vector, lesson.vector.values.astype(np.float64), lesson.wanted
        for sums, much in ((self.squared, p * p), (self.wanted, p), (self.other, 1 - p)):
            if much:
                _add(sums, vector, times * much * x)
            if times < 0:  # rounding may leave less than nothing
                sums[vector.places] = np.maximum(sums[vector.places], 0.0)
        self.totals += times * np.array([p * p, p, 1 - p])
        self.largest = max(self.largest, p if times > 0 else 0.0)
        self.masses += times * float(x.sum()) * np.array([p, 1 - p])

    @property
    def sure(self) -> float:
        """How much what was learned counts, by how much was found."""
        return float(self.totals[1] / (self.totals[1] + DOUBT)) * min(1.0, self.largest / CERTAIN) ** STEEP

    @property
    def early(self) -> float:
        """How early the crawl is: the first pages, near the seeds, are the likeliest to be wanted."""
        return self.sure * max(0.0, log(SETTLED / max(YOUNG, self.met)))

    def of(self, vector: Vector) -> Known:
        """Return likeness and bayes of one page as it is, whether or not it is among those met."""
        x, at = vector.values, vector.places
        other = self.other[at]
        near, far = float(self.squared[at] @ x) / max(self.totals[0], LEAST), float(other @ x)
        likeness = near - BACKGROUND * far / max(self.totals[2], LEAST)
        return likeness, float(self._odds_of(self.wanted[at], other) @ x)

    def without(self, lesson: FeedbackExample) -> Known:
        """Return likeness and bayes of a page that was met, as if it had not been."""
        likeness, bayes = self.of_all(batch_met([lesson]))
        return float(likeness[0]), float(bayes[0])

    def of_all(self, pages: Batch) -> tuple[Sums, Sums]:
        """Return likeness and bayes of each page; what a page itself has taught does not count for it."""
        return self._likeness(pages), self._bayes(pages)

    def packed(self) -> bytes:
        """Return all that was learned as bytes."""
        sums = np.concatenate((self.squared, self.wanted, self.other, self.totals, self.masses))
        sample = self.sample
        kept = [*_pieces(sample.lessons)], sample.every, sample.skipped, [*_pieces(sample.latest)]
        state = sums.tobytes(), self.met, self._scaled_at, kept, self.scale, self.contrast, self.largest
        return compress(msgspec.msgpack.encode(state), 1)

    @classmethod
    def unpacked(cls, state: bytes) -> "Feedback":
        """Return what was packed."""
        found = cls()
        data, found.met, found._scaled_at, kept, scale, contrast, found.largest = _STATE.decode(
            decompress(state)
        )
        found.scale, found.contrast = scale, contrast
        sums = [each.copy() for each in np.split(np.frombuffer(data), ENDS)]
        found.squared, found.wanted, found.other, found.totals, found.masses = sums
        found.sample.lessons = [*_lessons(kept[0])]
        found.sample.every, found.sample.skipped = kept[1:3]
        found.sample.latest.extend(_lessons(kept[3]))
        return found

    def _odds_of(self, a: Sums, b: Sums) -> Sums:
        """Return the log odds of words by how much of each was wanted, and how much was not."""
        of_a, of_b = self.masses.tolist()
        both = a + b
        g = PRIOR / max(of_a + of_b, LEAST) * both + 1e-9
        odds = np.log((a + g) / (b + g)) - log((of_a + PRIOR) / (of_b + PRIOR))
        return np.asarray(odds * (both > LEAST))

    def rescale(self) -> None:
        """Take both scales anew, by the pages as they look now, whenever some more were met.

        Always after the same pages: a resumed crawl judges like one that never stopped.
        """
        if not self.knows_enough or self.met - self._scaled_at <= OFTEN * self._scaled_at:
            return
        self.contrast = contrast_of(*self.of_all(batch_met(self.sample.latest)))
        pages = batch_met(self.sample.lessons)
        self.scale = fitted(*self.of_all(pages), pages.wanted)
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
        """Return what each word of one page adds to its likeness and to its bayes."""
        (wanted, other), x = pages.own, pages.values
        squared = wanted * pages.wanted
        near = (self.squared[pages.places] - squared[:, None] * x) / max(self.totals[0] - squared[0], LEAST)
        far = (self.other[pages.places] - other[:, None] * x) / max(self.totals[2] - other[0], LEAST)
        return x * (near - BACKGROUND * far), self._odds(pages)

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


class Examples:
    """The words of the seeds that are not everywhere on this web, and how much of them a page has.

    likeness(x) = x . (sum w x of seeds / sum w  -  sum v x of others / sum v)

    x are unit vectors of all words of a page. A seed may be off topic, so w is how topical it is, times how
    readable; v is how far from topical a page is. Topical is p on a scale on which the threshold is one half.
    """

    def __init__(self, threshold: float) -> None:
        """Know no page, and from which probability on a page is topical."""
        self.edge = min(max(threshold, LEAST_EDGE), 1 - LEAST_EDGE)
        self.shown: Sums = np.zeros(SIZE)
        self.common: Sums = np.zeros(SIZE)
        self.totals: Sums = np.zeros(3)  # of w, of v, and of pages met

    def likeness(self, vector: Vector) -> float:
        """Return how much more like the seeds than like the rest a page is; 0 before there is a seed."""
        if self.totals[0] < LEAST:
            return 0.0
        x, at = vector.values, vector.places
        common = float(self.common[at] @ x / self.totals[1]) if self.totals[1] else 0.0
        return float(self.shown[at] @ x / self.totals[0]) - common

    def meet(self, vector: Vector, probability: float, readable: float, is_seed: bool) -> None:
        """Let a page count for the seeds or for the rest."""
        topical = even(probability, self.edge)
        if is_seed:
            self._count(self.shown, 0, vector, (topical + NEVER_NONE) * readable)
        if self.totals[2] < BACKGROUND_PAGES and topical < 0.5:
            self._count(self.common, 1, vector, 1 - 2 * topical)
        self.totals[2] += 1

    def packed(self) -> bytes:
        """Return all that was met as bytes."""
        return compress(np.concatenate((self.shown, self.common, self.totals)).tobytes(), 1)

    def unpack(self, state: bytes) -> None:
        """Take up what `packed` returned."""
        sums = np.frombuffer(decompress(state))
        self.shown, self.common, self.totals = (each.copy() for each in np.split(sums, (SIZE, 2 * SIZE)))

    def _count(self, sums: Sums, place: int, vector: Vector, weight: float) -> None:
        _add(sums, vector, weight * vector.values.astype(np.float64))
        self.totals[place] += weight


def even(probability: float, edge: float) -> float:
    """Return a probability on a scale on which the threshold is one half."""
    return probability / (2 * edge) if probability < edge else 1 - (1 - probability) / (2 * (1 - edge))


def _add(sums: Sums, vector: Vector, much: Sums) -> None:
    """Add the words of a page; np.add.at is for two words of one place, and takes five times as long."""
    if vector.has_no_collisions:
        sums[vector.places] += much
    else:
        np.add.at(sums, vector.places, much)


Piece = tuple[bytes, bytes, float]
_STATE = msgspec.msgpack.Decoder(
    tuple[bytes, int, int, tuple[list[Piece], int, int, list[Piece]], Fitted, Contrast, float]
)
ENDS = (SIZE, 2 * SIZE, 3 * SIZE, 3 * SIZE + 3)


def _pieces(lessons: Iterable[FeedbackExample]) -> Iterator[Piece]:
    for lesson in lessons:
        vector = lesson.vector
        yield vector.places.astype("<u2").tobytes(), vector.values.astype("<f4").tobytes(), lesson.wanted


def _lessons(pieces: Iterable[Piece]) -> Iterator[FeedbackExample]:
    for places, values, wanted in pieces:
        vector = Vector(np.frombuffer(places, "<u2").astype(np.int64), np.frombuffer(values, "<f4"))
        yield FeedbackExample(vector, wanted)


# The score by the question alone, which needs no state


CLOSEST = 1e-6  # to 0 and 1
TOLD = {True: 0.99, False: 0.01}  # how surely a page is wanted of which the user has said so


class QuestionScore(Struct, frozen=True):
    """The stateless part of a judgement: what the question alone makes of a page, and its words."""

    probability: float
    answers: bool  # has any word of the question
    vector: Vector

    def lesson(self, label: bool | None = None) -> FeedbackExample:
        """Return what the page teaches; what the user said of it goes before all else."""
        if label is not None:
            return FeedbackExample(self.vector, TOLD[label])
        return FeedbackExample(self.vector, self.probability if self.answers else 0.0)


def logit(probability: float) -> float:
    """Return the log odds, never infinite."""
    kept = min(1 - CLOSEST, max(CLOSEST, probability))
    return log(kept / (1 - kept))


def sigmoid(line: LogisticModel, row: Sequence[float]) -> float:
    """Return the probability that a regression makes of evidence."""
    z = line.constant + sum(map(float.__mul__, line.weights, row))
    return 1 / (1 + exp(-min(30.0, max(-30.0, z))))
