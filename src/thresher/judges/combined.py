"""The default judge: the topic's own words, those near them in meaning, and example pages.

    strength = evidence(own words + NEIGHBOURS * neighbourhood) / half of a clear page's
    score    = 1 - 2^-strength, the mean with the examples' where there are examples

In a language the topic has no words of its own in, the neighbourhood stands in for them with full weight:
an English topic recognises Chinese pages. The constants were chosen by half of the topics of three labelled
corpora (checks/check_judges.py); results/judges/README.md has the table for both halves.
"""

from collections.abc import Mapping, Sequence
from math import fsum, log1p, sqrt

from thresher.core.records import Page, Reason, Topic
from thresher.judges.vectors import calibrated
from thresher.judges.word_evidence import Evidence, Sought, page_counts, shared_out
from thresher.text.languages import PLAIN
from thresher.text.tokenize import Counts, word_counts
from thresher.text.vectors import shipped_vectors
from thresher.topic.build import terms, word_weights
from thresher.topic.suggest import neighbourhood

HALF_WAY_TO_EXAMPLES = 0.125  # the cosine at which pages are as often relevant as not


class Examples:
    """Judges by the words of the example pages, less those of the negative ones."""

    def __init__(self, topic: Topic, threshold: float = 0.5) -> None:
        """Take the topic's centroid; without example pages every score is 0."""
        self.threshold = threshold
        self.centroid, self._language = topic.centroid, topic.language or PLAIN
        self._rarity = shipped_vectors().rarity

    def score(self, page: Page) -> float:
        """Return how near the page is to the examples; one half means near enough."""
        return calibrated(self.cosine(page_counts(page, self._language)), HALF_WAY_TO_EXAMPLES)

    def similarity(self, text: str) -> float:
        """Return how near a text is to the examples."""
        return calibrated(self.cosine(word_counts(text, self._language)), HALF_WAY_TO_EXAMPLES)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the examples' words found on the page, with the part of the score each made."""
        return shared_out(self.score(page), self.parts(page_counts(page, self._language)))

    def cosine(self, found: Counts) -> float:
        """Return the cosine of words with the centroid, at least 0."""
        return max(0.0, fsum(part for _, part in self.parts(found)))

    def parts(self, found: Counts) -> list[tuple[str, float]]:
        """Return what each word contributes to the cosine."""
        if not self.centroid:
            return []
        length = sqrt(fsum((log1p(count) * self._rarity(word)) ** 2 for word, count in found.items()))
        return [
            (word, weight * log1p(count) * self._rarity(word) / length)
            for word, weight in self.centroid.items()
            if (count := found[word])
        ]


THRESHOLD = 0.5
NEIGHBOURS = 0.25  # beside the topic's own words of the same language
SEVERAL = 3  # a page full of the topic's three best words is as clear as can be
HALF_WAY = 0.435  # the strength, beside a clear page's, at which pages are as often relevant as not


class Combined:
    """Judges without tuning: one list of words, own and near, and the examples."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Gather the words that speak for the topic."""
        self.threshold = threshold
        self.language = topic.language or PLAIN
        weighted = terms(topic)
        own = word_weights(weighted, self.language)
        self._evidence = Evidence(_with_neighbours(own, neighbourhood(weighted)))
        self._scale = HALF_WAY * max(Evidence(own).clear(SEVERAL), default=1.0)
        self._examples = Examples(topic)
        self._sought = Sought((*self._evidence.worth, *topic.centroid))
        self._share = 0.0 if not topic.centroid else 0.5 if own else 1.0  # of the examples in the score

    def score(self, page: Page) -> float:
        """Return how clearly the page is about the topic; one half means likely enough."""
        return self.weigh(page_counts(page, self.language))

    def similarity(self, text: str) -> float:
        """Return how clearly a text is about the topic."""
        return self.weigh(word_counts(text, self.language))

    def knows(self, words: Sequence[str]) -> bool:
        """Tell whether any of the words of a text may speak for the topic: few short texts have such."""
        return self._sought.may_be_among(words)

    def weigh(self, found: Counts) -> float:
        """Return how clearly a text given as words is about the topic."""
        return calibrated(max(0.0, fsum(part for _, part in self._parts(found))), 1.0)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the words that speak for the page, with the part of the score each made."""
        return shared_out(self.score(page), self._parts(page_counts(page, self.language)))

    def _parts(self, found: Counts) -> list[tuple[str, float]]:
        """Return the strength each word adds, own words and examples joined."""
        scale = (1 - self._share) / self._scale
        parts = {word: part * scale for word, part in self._evidence.parts(found)}
        if self._share:
            for word, part in self._examples.parts(found):
                parts[word] = parts.get(word, 0.0) + part * self._share / HALF_WAY_TO_EXAMPLES
        return list(parts.items())


def _with_neighbours(own: Mapping[str, float], near: Mapping[str, float]) -> dict[str, float]:
    """Return own words and near ones; the near ones weigh less in a language that has words of its own."""
    share = {
        ascii: NEIGHBOURS if any(word.isascii() == ascii for word in own) else 1.0 for ascii in (True, False)
    }
    joined = dict(own)
    for word, weight in near.items():
        joined[word] = max(weight * share[word.isascii()], joined.get(word, 0.0))
    return joined
