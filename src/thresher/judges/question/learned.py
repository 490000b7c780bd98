"""A question with what its crawl has taught: added by the fold to what the question alone makes of a page.

    relevance = sigmoid(w . (logit P, sure (g - g0), early) + c)                      what is counted
    contrast  = sigmoid(v . (logit P, sure likeness', sure bayes') + d)               what a strategy hears

P is what the question alone makes of the page, g and g0 are on the scale of the whole crawl, likeness' and
bayes' on that of the latest 300 pages (scale.py); sure = m / (m + 5), m = sum of P, and early = sure
log(2000 / n) for n pages met, 100 to 2,000, since the first pages lie nearest to the seeds (feedback.py). The
question alone may be asked anywhere; here its answer is brought up to date by the pages met so far, in the
order in which they were folded.

What was learned is kept after every SAVED pages, so that a crawl that is taken up again has to meet no more
pages than that: each has to be read and cut into words again.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from math import isnan, sqrt
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import LEADING, REVISITS, Outcome, Request
from thresher.core.interfaces import CrawlView, FeedbackExplanation, OnlineJudge
from thresher.core.records import Candidate, Page, PageRecord, Reason, Topic, Url, Visit
from thresher.core.url import key_of
from thresher.judges.boilerplate import Boilerplate
from thresher.judges.question.features import EffortWeights
from thresher.judges.question.feedback import Examples, Feedback, QuestionScore, logit, sigmoid
from thresher.judges.question.page import HEAVIEST, Vector, readable, whole_vector
from thresher.judges.question.scale import FeedbackExample, batch_met, batch_of
from thresher.text.page_record import place_of, record_of, without_lines

if TYPE_CHECKING:
    from thresher.judges.question.judge import QuestionJudge

SAVED = 1_000  # pages
VERSION = 4  # of what is kept; and of what it is worth
KEPT = 5_000  # pages whose looks are kept, 2 KB each: at the end all are judged once more
SHOWN = 0.99  # how surely an example page is wanted


class LearnedQuestion(OnlineJudge):
    """A question with what its crawl has taught so far."""

    judges = True  # by itself: a page need not be judged where it is read

    def __init__(
        self,
        judge: "QuestionJudge",
        weights: EffortWeights,
        examples: Mapping[str, float],
        shown: int,
        asked: bytes = b"",
        boilerplate: Boilerplate | None = None,
    ) -> None:
        """Know what that will be worth, the words of so many example pages, and what tells the question."""
        self._judge, self._weights, self._boilerplate = judge, weights, boilerplate
        self._asked = asked + (b" without boilerplate" if boilerplate else b"")
        self._scores: dict[int, QuestionScore] = {}
        self._said: dict[Url, bool] = {}  # what was learned of pages as it was said, not as they were judged
        self._saved_at = 0
        self.feedback, self.examples = Feedback(), Examples(judge.threshold)
        for _ in range(shown):
            self.feedback.meet(FeedbackExample(_vector_of(examples), SHOWN))

    @override
    def update(self, visit: Visit) -> Visit:
        if visit.page is None or visit.outcome is not Outcome.FETCHED:
            return visit
        if new := visit.candidate.kind not in REVISITS:
            self._count_lines(visit.page)
        asked = None if isnan(visit.relevance) else visit.relevance
        record = self._record_of(visit, visit.page)
        question_score = self._keep(visit.page, self._look(visit.page, record, asked))
        relevance = self.updated(question_score, None)
        likeness = self.examples.likeness(whole_vector(record))
        if new:
            self._meet(visit, visit.page, record, question_score)
        contrast = self._contrast(question_score) if self.feedback.knows_enough else None
        return replace(visit, relevance=relevance, contrast=contrast, likeness=likeness)

    def _count_lines(self, page: Page) -> None:
        """Count the lines of a new page; what earlier pages taught by other boilerplate is taken back."""
        for other, before, after in self._boilerplate.add(page) if self._boilerplate else ():
            said, question_score = self._said.get(other.url), self._look_at(other, *after)
            known = self._scores.get(key_of(other.url)) or self._look_at(other, *before)
            self.feedback.replace(known.lesson(said), question_score.lesson(said))
            self._keep(other, question_score)

    def _look(
        self, page: Page, record: PageRecord | None = None, probability: float | None = None
    ) -> QuestionScore:
        """Return what the question alone makes of a page without boilerplate."""
        cut = self._boilerplate.without(page) if self._boilerplate else (page, "")
        return self._look_at(page, *cut, record, probability)

    def _look_at(
        self, page: Page, kept: Page, gone: str, record: PageRecord | None = None, asked: float | None = None
    ) -> QuestionScore:
        """Return what the question alone makes of what is kept of a page."""
        if not gone:
            return self._judge.question_score(page, record, asked)
        language = self._judge.language
        record = without_lines(page, record or record_of(page, language), kept, gone, language)
        return self._judge.question_score(kept, record)

    def _record_of(self, visit: Visit, page: Page) -> PageRecord:
        """Return the record of a page, made here where the page was not read just now."""
        known = visit.page_record
        return known if known and known.words else record_of(page, self._judge.language)

    def updated(self, question_score: QuestionScore, taught: FeedbackExample | None) -> float:
        """Return the relevance with what was learned; what the page itself `taught` does not count."""
        feedback = self.feedback
        if not feedback.knows_enough:
            return question_score.probability
        likeness, bayes = feedback.of(question_score.vector) if taught is None else feedback.without(taught)
        above = feedback.scale.above(likeness, bayes)
        row = [logit(question_score.probability), feedback.sure * above, feedback.early]
        return sigmoid(self._weights.relevance, row)

    def _contrast(self, question_score: QuestionScore) -> float:
        """Return how a page stands out among the latest."""
        feedback = self.feedback
        likeness, bayes = feedback.contrast.of(*feedback.of(question_score.vector))
        row = [logit(question_score.probability), feedback.sure * likeness, feedback.sure * bayes]
        return sigmoid(self._weights.contrast, row)

    @override
    def recall(self, visits: Iterable[Visit], labels: Mapping[Url, bool]) -> None:
        for visit in visits:
            if visit.page is None:
                continue
            said = labels.get(url := visit.candidate.url)
            self._count_lines(visit.page)
            record = self._record_of(visit, visit.page)
            question_score = self._keep(visit.page, self._look(visit.page, record))
            self._meet(visit, visit.page, record, question_score, said)
            self._said |= {} if said is None else {url: said}

    @override
    def hear(self, labels: Mapping[Url, bool], memory: CrawlView) -> None:
        """Learn what the user says of pages that were met, in the place of what the question made of them."""
        for url, wanted in labels.items():
            if self._said.get(url) is not wanted and (page := memory.page(url)):
                question_score = self._look(page)
                self.feedback.replace(
                    question_score.lesson(self._said.get(url)), question_score.lesson(wanted)
                )
                self._said[url] = wanted

    @override
    def now(self, page: Page, label: bool | None = None) -> float:
        question_score = self._scores.get(key_of(page.url)) or self._look(page)
        return self.updated(question_score, question_score.lesson(label) if self._teaches(page) else None)

    @override
    def taught(self, page: Page, label: bool | None = None) -> FeedbackExplanation:
        """Return what was learned about a page that was met, word by word."""
        question_score = self._look(page)
        lesson = question_score.lesson(label) if self._teaches(page) else None
        words = self._by_word(question_score, lesson, page) if self.feedback.knows_enough else ()
        return FeedbackExplanation(
            question_score.probability, self.updated(question_score, lesson), self.feedback.met, tuple(words)
        )

    def _by_word(
        self, question_score: QuestionScore, lesson: FeedbackExample | None, page: Page
    ) -> Sequence[Reason]:
        """Return what each word adds to the log odds; two words of one place stand together."""
        likeness, bayes = self.feedback.by_word(
            batch_met([lesson]) if lesson else batch_of([question_score.vector])
        )
        worth, (a, b) = self._weights.relevance.weights[1] * self.feedback.sure, self.feedback.scale.slopes
        parts = (worth * (a * likeness + b * bayes))[0].tolist()
        names: dict[int, str] = {}
        for word in self._judge.words(page):
            names.setdefault(place_of(word), word)
        found = [
            Reason(names[at], part)
            for at, part in zip(question_score.vector.places.tolist(), parts, strict=False)
        ]
        return sorted(found, key=lambda reason: -abs(reason.weight))

    @override
    def save(self) -> bytes | None:
        """Return what was learned if that is due, else None."""
        if self.feedback.met - self._saved_at < SAVED:
            return None
        self._saved_at = self.feedback.met
        lines = self._boilerplate.packed() if self._boilerplate else b""
        learned = self.feedback.packed(), self.examples.packed()
        return msgspec.msgpack.encode((VERSION, self._asked, self._said, *learned, lines))

    @override
    def restore(self, state: bytes) -> bool:
        kept = msgspec.msgpack.decode(state)
        if not isinstance(kept, list) or kept[:2] != [VERSION, self._asked]:
            return False
        _, _, said, packed, examples, lines = _KEPT.decode(state)
        if self._boilerplate:
            self._boilerplate.unpack(lines)
        self.feedback, self._said = Feedback.unpacked(packed), said
        self.examples.unpack(examples)
        self._saved_at = self.feedback.met
        return True

    def _keep(self, page: Page, question_score: QuestionScore) -> QuestionScore:
        """Note what the question alone makes of the latest version of a page, and return it."""
        key = key_of(page.url)
        if len(self._scores) < KEPT or key in self._scores:
            self._scores[key] = question_score
        return question_score

    def _meet(
        self,
        visit: Visit,
        page: Page,
        record: PageRecord,
        question_score: QuestionScore,
        label: bool | None = None,
    ) -> None:
        probability, is_seed = question_score.probability, _is_seed(visit.candidate)
        self.examples.meet(whole_vector(record), probability, readable(record), is_seed)
        if self._teaches(page):
            self.feedback.meet(question_score.lesson(label))

    def _teaches(self, page: Page) -> bool:
        """Tell whether a page is one to learn from: the words of a noindex page are not kept."""
        return not page.noindex

    def __str__(self) -> str:
        return f"what {self.feedback.met} pages have taught, anchored to the question"


def _is_seed(candidate: Candidate) -> bool:
    """Tell whether the user named a page, or what a seed moved to or calls its proper address."""
    moved = candidate.via is None and candidate.depth == 0 and candidate.kind in LEADING
    return moved or candidate.kind is Request.SEED


_KEPT = msgspec.msgpack.Decoder(tuple[int, bytes, dict[Url, bool], bytes, bytes, bytes])


def told_apart(topic: Topic, weights: EffortWeights) -> bytes:
    """Return what tells a question, with what its evidence is worth, from any other."""
    asked = msgspec.msgpack.encode((replace(topic, seeds=()), weights))
    return blake2b(asked, digest_size=16).digest()


def _vector_of(centroid: Mapping[str, float]) -> Vector:
    """Return the words that the example pages share as one page."""
    best = sorted(((w, word) for word, w in centroid.items() if w > 0), reverse=True)[:HEAVIEST]
    length = sqrt(sum(weight * weight for weight, _ in best)) or 1.0
    values = np.array([weight / length for weight, _ in best], "f4")
    return Vector(np.array([place_of(word) for _, word in best], np.int64), values)
