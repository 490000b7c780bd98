"""The probability that a person who asked this question would say yes to a page.

    P(facet)  = the largest sigmoid(constant + weights . evidence) over what was given: further words and the
                name, so that a keyword more never lowers a page; description; examples; or the name alone
    P(page)   = the smallest P(facet), times 1 - P of each thing that is not wanted
    relevance, contrast     P(page) with what the crawl has taught (learned.py)

This is the first part, which needs nothing but the page and may be computed anywhere; learned.py adds the
second. The weights are fitted on labelled webs (features.py, `thresher lab fit-judge`); docs/trust/judge.md
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import prod

import numpy as np
from typing_extensions import override

from thresher.core.interfaces import CrawlView, Judge
from thresher.core.records import Page, PageRecord, Reason, Topic
from thresher.judges.boilerplate import Boilerplate
from thresher.judges.question.features import Effort, EvidenceSet, LogisticModel, WeightSet, shipped_weights
from thresher.judges.question.feedback import CERTAIN, QuestionScore, sigmoid
from thresher.judges.question.learned import LearnedQuestion, told_apart
from thresher.judges.question.page import Fields, Weighed, stands_in
from thresher.judges.question.scale import Sums
from thresher.judges.word_evidence import shared_out
from thresher.text.languages import PLAIN
from thresher.text.tokenize import WordCounts, words
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.question import Facet, Phrase, TopicQuestion, question_of

THRESHOLD = 0.21  # on the way; the best F1 on labelled webs, as weights.json has it
FULL = 1.27  # a short text that has the whole question says 0.59: there are such that lead elsewhere
NEAR = 0.3  # what a short text full of words near in meaning has of the question


class QuestionJudge(Judge):
    """Judges pages by a question, and by what the crawl has taught so far."""

    certain = CERTAIN

    def __init__(self, topic: Topic, threshold: float = THRESHOLD, weights: WeightSet | None = None) -> None:
        """Understand the question; nothing is learned yet."""
        self.threshold = threshold
        self._topic, self.question = topic, question_of(topic)
        self.language = topic.language or PLAIN
        self._last: tuple[Fields, Weighed] | None = None
        self.weights = weights or shipped_weights().everything
        self._facets = [_views(facet, self.question, self.weights, not place)
                        for place, facet in enumerate(self.question.facets)]  # fmt: skip
        unwanted = [Facet((phrase,)) for phrase in self.question.excluded]
        self._excluded = [_views(facet, self.question, self.weights, False) for facet in unwanted]
        self._covers, self._uncovers = (
            [*map(PhraseCoverage, self._facets)],
            [*map(PhraseCoverage, self._excluded)],
        )
        self._has_names = any(cover.names for cover in self._covers)
        self._sought = frozenset(chain.from_iterable(cover.sought for cover in self._covers))
        self._long = any(len(word) > 2 and not word.isascii() for word in self._sought)
        self.effort = self._facets[0][-1].effort
        self._shown = len(topic.examples) if self.question.centroid else 0

    @override
    def score(self, page: Page) -> float:
        """Return the probability that the page is what is wanted."""
        return self._asked(*self._seen(page))

    @override
    def score_read(self, page: Page, record: PageRecord) -> float:
        return self._asked(*self._seen(page, record))

    def question_score(
        self, page: Page, record: PageRecord | None = None, probability: float | None = None
    ) -> QuestionScore:
        """Return what the question alone makes of a page; what is known of that need not be found again."""
        fields, weighed = self._seen(page, record)
        asked = self._asked(fields, weighed) if probability is None else probability
        answers = any(view.has_any(fields) for views in self._facets for view in views)
        return QuestionScore(asked, answers, weighed.vector())

    def words(self, page: Page) -> Iterable[str]:
        """Return the words of a page."""
        return self._seen(page)[0].counts

    @override
    def learner(self, memory: CrawlView | None = None) -> LearnedQuestion:
        """Return what will learn in a crawl, and knows nothing yet but the examples."""
        weights = self.weights.efforts[self.effort.value]
        asked = told_apart(self._topic, weights)
        boilerplate = None if memory is None else Boilerplate(self._typed(), memory)
        return LearnedQuestion(self, weights, self.question.centroid, self._shown, asked, boilerplate)

    def _typed(self) -> Iterator[str]:
        """Yield the words of the question."""
        for view in chain.from_iterable((*self._facets, *self._excluded)):
            yield from view.own

    @override
    def threshold_for(self, scores: Sequence[float]) -> float:
        """Return from which probability on the pages of a crawl are relevant."""
        return best_threshold(scores, THRESHOLD)

    @override
    def knows(self, words: Sequence[str]) -> bool:
        """Tell whether any of the words may be one of the question."""
        if self._has_names or not self._sought.isdisjoint(words):
            return True
        return self._long and not all(map(str.isascii, words))  # a long Chinese word may be there in pieces

    @override
    def similarity(self, text: str) -> float:
        """Return how much of the question a short text has; it says too little for a probability."""
        said = words(text, self.language)
        if not self.knows(said):
            return 0.0  # most anchors: spare them the longer question
        found = WordCounts(said)
        wanted = 1.0
        for cover in self._covers:
            wanted = min(wanted, cover.of(found, text))
        similarity: float = 1 - 2 ** (-FULL * wanted)
        for cover in self._uncovers:
            similarity *= 1 - cover.of(found, text)
        return similarity

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        """Return what spoke for the page, with its part of the probability, the strongest first."""
        fields, weighed = self._seen(page)
        if not fields.counts:
            return []
        direction = weighed.direction()
        judged = [max(self._judged(views, fields, weighed, direction)) for views in self._facets]
        asked, place, row = min(judged)
        view = next(views for views, each in zip(self._facets, judged, strict=True) if each[0] == asked)[
            place
        ]
        return reasons(view, self._line(view), row, fields, self._asked(fields, weighed))

    def _asked(self, fields: Fields, weighed: Weighed) -> float:
        """Return the probability by the question alone."""
        direction = weighed.direction()

        def of(views: Sequence[EvidenceSet]) -> float:
            return max(self._judged(views, fields, weighed, direction))[0]

        return min(map(of, self._facets)) * prod(1 - of(views) for views in self._excluded)

    def _judged(
        self, views: Sequence[EvidenceSet], fields: Fields, weighed: Weighed, direction: Floats
    ) -> Iterator[tuple[float, int, list[float]]]:
        """Yield the probability by each view, the view's place and the evidence."""
        for place, view in enumerate(views):
            row = view.row(fields, weighed, direction)
            yield sigmoid(self._line(view), row), place, row

    def _seen(self, page: Page, record: PageRecord | None = None) -> tuple[Fields, Weighed]:
        """Return a page as this judge sees it; the fold asks of the page that was judged last."""
        if self._last is None or self._last[0].page is not page:
            fields = Fields(page, record, self.language)
            self._last = fields, Weighed(fields.words)
        return self._last

    def _line(self, view: EvidenceSet) -> LogisticModel:
        return self.weights.efforts[view.effort.value].question


class PhraseCoverage:
    """How much of a facet short texts have: the share of its best phrase, squared if it is not Chinese."""

    def __init__(self, views: Sequence[EvidenceSet]) -> None:
        """Weigh the words of each phrase once."""
        spellings = views[0].facet.spellings
        phrases = dict.fromkeys((*spellings, *(each for view in views for each in view.facet.phrases)))
        self._views = views
        self.names = [phrase.text for phrase in phrases if phrase.literal]
        self._worths = [_worth(phrase) for phrase in phrases if not phrase.literal]
        told = chain.from_iterable(worth for worth, _ in self._worths)
        self.sought = frozenset(chain(told, *(view.near for view in views)))

    def of(self, found: WordCounts, text: str) -> float:
        """Return the share of the facet that a text has."""
        best = 0.0
        for view in self._views:
            best = max(best, NEAR * view.near_share(found))
        for worth, total in self._worths:
            share = 0.0
            for word, rarity in worth.items():
                if word in found if word.isascii() else found[word]:
                    share += rarity
            best = max(best, (share / total) ** (2 if word.isascii() else 1))
        for name in self.names:
            best = max(best, float(stands_in(name, text)))
        return best


def _worth(phrase: Phrase) -> tuple[dict[str, float], float]:
    worth = dict(zip(phrase.words, shipped_vectors().rarities(phrase.words), strict=True))
    return worth, sum(worth.values())


def _views(facet: Facet, question: TopicQuestion, weights: WeightSet, first: bool) -> list[EvidenceSet]:
    """Return the ways to look at a facet: by its name, and by each further thing that was given."""
    mean, described = weights.mean(question.language), question.description if first else ()
    shown = first and bool(question.centroid)
    given = {
        Effort.NAME: bool(facet.names) and (bool(facet.further) or not (described or shown)),
        Effort.DESCRIPTION: bool(described),
        Effort.KEYWORDS: bool(facet.further),
        Effort.EXAMPLES: shown,
    }
    wanted = [effort for effort, has in given.items() if has] or [Effort.NAME]
    return [
        EvidenceSet(effort, facet, mean, described, question.centroid, question.language) for effort in wanted
    ]


# Reasons: the words and phrases of the question that spoke for a page


SAID = {
    "url": "in its URL",
    "beginning": "in its first lines",
    "top": "at its top",
    "meaning": "semantic similarity",
    "further_mean": "further words",
    "further_best": "further words",
    "further_title": "further words in its title",
    "description": "words of the description",
    "examples": "words of the examples",
}
"""How the columns that stand for no single word are called."""


def reasons(
    view: EvidenceSet, line: LogisticModel, row: Sequence[float], fields: Fields, score: float
) -> list[Reason]:
    """Return what spoke for the page, each piece with its share of the probability, the strongest first."""
    worth = {name: w * value for name, w, value in zip(view.columns, line.weights, row, strict=True)}
    parts = _shares(worth["words"], view.word_parts(fields)) | _shares(worth["near"], view.near_parts(fields))
    if together := worth["all_words"] + worth["phrase"]:
        names = " or ".join(phrase.text for phrase in view.facet.names) or "the words together"
        parts[names] = parts.get(names, 0.0) + together
    for column, said in SAID.items():
        if worth.get(column, 0.0) > 0:
            parts[said] = parts.get(said, 0.0) + worth[column]
    return shared_out(score, list(parts.items()))


def _shares(worth: float, parts: Mapping[str, float]) -> dict[str, float]:
    """Return what a column is worth, shared out among the words that made it."""
    whole = sum(parts.values())
    return {word: worth * part / whole for word, part in parts.items()} if whole and worth else {}


# From which probability on the pages of a crawl are called relevant: where the best F1 is to be expected.
#
#     F1 to be expected of the n surest pages = 2 (the sum of their p) / (n + the sum of all p)
#
# The best of these, F, is reached at p = F / 2 (Lipton, Elkan and Naryanaswamy 2014). So a crawl that is sure
# of its pages asks more of a page than one in which nothing is sure, and never less than on the way: below
# that people seldom agree. Where no page is certain, none is relevant.


FEWEST = 20  # pages of which that can be said


def best_threshold(probabilities: Sequence[float], otherwise: float) -> float:
    """Return the threshold of these pages, or another if they are few."""
    if len(probabilities) < FEWEST:
        return otherwise
    pages = np.asarray(probabilities, float)
    return round(expected_threshold(pages, np.ones(len(pages)), otherwise), 2)  # as people are told of it


def expected_threshold(probabilities: Sums, counts: Sums, otherwise: float) -> float:
    """Return the threshold of pages that count for so many each; unless one is certain, none is relevant."""
    if probabilities.max() < CERTAIN:
        return max(otherwise, CERTAIN)
    order = np.argsort(-probabilities)
    wanted, pages = np.cumsum((probabilities * counts)[order]), np.cumsum(counts[order])
    return max(otherwise, float((2 * wanted / (pages + wanted[-1])).max()) / 2)
