"""What a crawl teaches the judge on its way, anchored to the question: pages teach as far as they answer it.

    likeness(x) = x . (sum p^2 x / sum p^2  -  0.5 sum (1-p) x / sum (1-p))                       Rocchio 1971
    bayes(x)    = x . log((A_w + 30 g_w) / (A + 30)  /  ((B_w + 30 g_w) / (B + 30)))
    A_w = sum p x_w,  B_w = sum (1-p) x_w,  g_w = (A_w + B_w) / (A + B)

x are unit vectors (page.py), p is what the question alone makes of a page: never what was learned, or the
judge would teach itself. Both are brought to mean 0 and spread 1 over the pages met, and count by how much
was found: sure = m / (m + 5), m = sum of p. A page without any of the question has p = 0: it cannot teach.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log, sqrt
from typing import Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from thresher.core.enums import LOOKS, Outcome
from thresher.core.interfaces import Memory, Taught
from thresher.core.records import Page, Reason, Url, Visit
from thresher.core.url import key_of
from thresher.judges.question.features import Line
from thresher.judges.question.page import HEAVIEST, SIZE, Vector, place_of
from thresher.text.tokenize import Counts
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


# The score by the question alone, which needs no state


CLOSEST = 1e-6  # to 0 and 1
TOLD = {True: 0.99, False: 0.01}  # how surely a page is wanted of which the user has said so


class Look(Struct, frozen=True):
    """The stateless part of a judgement: what the question alone makes of a page, and its words."""

    probability: float
    answers: bool  # has any word of the question
    vector: Vector

    def lesson(self, label: bool | None = None) -> Lesson:
        """Return what the page teaches; what the user said of it goes before all else."""
        if label is not None:
            return Lesson(self.vector, TOLD[label])
        return Lesson(self.vector, self.probability if self.answers else 0.0)


def logit(probability: float) -> float:
    """Return the log odds, never infinite."""
    kept = min(1 - CLOSEST, max(CLOSEST, probability))
    return log(kept / (1 - kept))


def sigmoid(line: Line, row: Sequence[float]) -> float:
    """Return the probability that a regression makes of evidence."""
    z = line.constant + sum(map(float.__mul__, line.weights, row))
    return 1 / (1 + exp(-min(30.0, max(-30.0, z))))


# What a question has learned in a crawl: added by the fold to what the question alone makes of a page.
#
# The question alone may be asked anywhere; here its answer is brought up to date by the pages met so far, in
# the order in which they were folded. From LONGEST pages on nothing new is learned: it would change nothing,
# and a crawl that is taken up again has to meet its pages again.


LONGEST = 5_000  # pages
SHOWN = 0.99  # how surely an example page is wanted


class Looking(Protocol):
    """Who says what the question alone makes of a page."""

    def look(self, page: Page, counts: Counts | None = None, probability: float | None = None) -> Look:
        """Return it; what is known of it need not be found again."""

    def words(self, page: Page) -> Iterable[str]:
        """Return the words of a page."""


class LearnedQuestion:
    """A question with what its crawl has taught so far."""

    def __init__(self, judge: Looking, line: Line, examples: Mapping[str, float], shown: int) -> None:
        """Know what that will be worth, and the words of so many example pages."""
        self._judge, self._line = judge, line
        self._looks: dict[int, Look] = {}  # at the pages met, 2 KB each: at the end all are judged once more
        self.feedback = Feedback()
        self._said: dict[Url, bool] = {}  # what was learned of pages as it was said, not as they were judged
        for _ in range(shown):
            self.feedback.meet(Lesson(_vector_of(examples), SHOWN))

    def judged(self, visit: Visit) -> Visit:
        """Return the visit with the relevance of its page as it is known now, and learn from a new page."""
        if visit.page is None or visit.outcome is not Outcome.FETCHED:
            return visit
        look = self._keep(visit.page, self._judge.look(visit.page, counted(visit.words), visit.relevance))
        if visit.candidate.kind not in LOOKS:
            self._meet(visit.page, look)
        return replace(visit, relevance=self.updated(look, None))

    def updated(self, look: Look, taught: Lesson | None) -> float:
        """Return the probability with what was learned; what the page itself `taught` does not count."""
        if not self.feedback.knows_enough:
            return look.probability
        if taught is None:
            return sigmoid(self._line, [logit(look.probability), *self.feedback.added_to(look.vector)])
        likeness, bayes = self.feedback.added(_batch(look, taught))
        return sigmoid(self._line, [logit(look.probability), float(likeness[0]), float(bayes[0])])

    def recall(self, visits: Iterable[Visit], labels: Mapping[Url, bool]) -> None:
        """Meet the pages of an earlier run again, in their order, with what the user has said of them."""
        for visit in visits:
            if self.feedback.met >= LONGEST:
                return
            if visit.page is not None:
                said = labels.get(url := visit.candidate.url)
                self._meet(visit.page, self._keep(visit.page, self._judge.look(visit.page)), said)
                self._said |= {} if said is None else {url: said}

    def hear(self, labels: Mapping[Url, bool], memory: Memory) -> None:
        """Learn what the user says of pages that were met, in the place of what the question made of them."""
        for url, wanted in labels.items():
            if self._said.get(url) is not wanted and (page := memory.page(url)):
                look = self._judge.look(page)
                self.feedback.meet(look.lesson(self._said.get(url)), times=-1)
                self.feedback.meet(look.lesson(wanted))
                self._said[url] = wanted

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the probability of a page that was met, as it is known now."""
        look = self._looks.get(key_of(page.url)) or self._judge.look(page)
        return self.updated(look, look.lesson(label) if self._teaches(page) else None)

    def taught(self, page: Page, label: bool | None = None) -> Taught:
        """Return what was learned about a page that was met, word by word."""
        look = self._judge.look(page)
        lesson = look.lesson(label) if self._teaches(page) else None
        words = self._by_word(look, lesson, page) if self.feedback.knows_enough else ()
        return Taught(look.probability, self.updated(look, lesson), self.feedback.met, tuple(words))

    def _by_word(self, look: Look, lesson: Lesson | None, page: Page) -> Sequence[Reason]:
        """Return what each word adds to the log odds; two words of one place stand together."""
        likeness, bayes = self.feedback.by_word(_batch(look, lesson))
        _, of_likeness, of_bayes = self._line.weights
        parts = (of_likeness * likeness + of_bayes * bayes)[0].tolist()
        names: dict[int, str] = {}
        for word in self._judge.words(page):
            names.setdefault(place_of(word), word)
        found = [
            Reason(names[at], part) for at, part in zip(look.vector.places.tolist(), parts, strict=False)
        ]
        return sorted(found, key=lambda reason: -abs(reason.weight))

    def _keep(self, page: Page, look: Look) -> Look:
        """Note what the question alone makes of the latest version of a page, and return it."""
        key = key_of(page.url)
        if len(self._looks) < LONGEST or key in self._looks:
            self._looks[key] = look
        return look

    def _meet(self, page: Page, look: Look, label: bool | None = None) -> None:
        if self.feedback.met < LONGEST and self._teaches(page):
            self.feedback.meet(look.lesson(label))

    def _teaches(self, page: Page) -> bool:
        """Tell whether a page is one to learn from: the words of a noindex page are not kept."""
        return not page.noindex

    def __str__(self) -> str:
        return f"what {self.feedback.met} pages have taught, anchored to the question"


def counted(words: Mapping[str, int] | None) -> Counts | None:
    """Return counted words as those that any word may be asked of; mostly they are."""
    return words if words is None or isinstance(words, Counts) else Counts(words)


def _batch(look: Look, taught: Lesson | None) -> Batch:
    """Return one page as a batch, with what it has taught, if it was met."""
    wanted, met = (np.array([taught.wanted]), np.ones(1)) if taught else (None, None)
    return batch_of([look.vector], wanted, met)


def _vector_of(centroid: Mapping[str, float]) -> Vector:
    """Return the words that the example pages share as one page."""
    best = sorted(((w, word) for word, w in centroid.items() if w > 0), reverse=True)[:HEAVIEST]
    length = sqrt(sum(weight * weight for weight, _ in best)) or 1.0
    values = np.array([weight / length for weight, _ in best], "f4")
    return Vector(np.array([place_of(word) for _, word in best], np.int64), values)
