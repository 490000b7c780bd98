"""What a question has learned in a crawl: added by the fold to what the question alone makes of a page.

The question alone may be asked anywhere; here its answer is brought up to date by the pages met so far, in
the order in which they were folded. From LONGEST pages on nothing new is learned: it would change nothing,
and a crawl that is taken up again has to meet its pages again.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Protocol

import numpy as np
from msgspec.structs import replace

from thresher.core.enums import LOOKS, Outcome
from thresher.core.interfaces import Memory, Taught
from thresher.core.records import Page, Reason, Url, Visit
from thresher.core.url import key_of
from thresher.judges.question.feedback import Batch, Feedback, Lesson, batch_of
from thresher.judges.question.look import Look, logit, sigmoid
from thresher.judges.question.vector import HEAVIEST, Vector, place_of
from thresher.judges.question.weights import Line
from thresher.text.tokenize import Counts

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
