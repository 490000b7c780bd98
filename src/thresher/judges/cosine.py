"""The cosine of a page's word counts with the topic's weighted words (Chen et al. 2009).

R_PC = cos(TF(page), v_t)     eq. (1);  v_t holds the labels of the path with w_i = i/D
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from operator import mul

from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import Sought, page_counts, ranked
from thresher.text.tokenize import Counts
from thresher.text.vectors import shipped_vectors
from thresher.topic.build import path_vectors, terms, word_weights

DIGITS = 12  # equal cosines may differ by what rounding makes of them: first come, first served is then lost
PAPER_THRESHOLD = 0.1  # the paper's delta


class Cosine:
    """Judges by the words a text shares with the topic, long texts and short ones alike.

    A topic that is nothing but its path has a vector for each language of its labels, and the nearest counts.
    """

    def __init__(self, topic: Topic, threshold: float = PAPER_THRESHOLD) -> None:
        """Weigh the topic's words."""
        self.threshold = threshold
        self._vectors = [_Vector(word_weights(vector)) for vector in path_vectors(topic)]
        self.weights = {word: weight for each in self._vectors for word, weight in each.weights.items()}

    def score(self, page: Page) -> float:
        """Return the cosine of the page's words with the topic's."""
        counts = page_counts(page)
        return max(vector.cosine(counts) for vector in self._vectors)

    def knows(self, words: Sequence[str]) -> bool:
        """Tell whether any of the words may be one of the topic's."""
        return any(vector.knows(words) for vector in self._vectors)

    def similarity(self, text: str) -> float:
        """Return the cosine of a text's words with the topic's."""
        return max(vector.similarity(text) for vector in self._vectors)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the topic's words found on the page, with the part of the score each made."""
        counts = page_counts(page)
        nearest = max(self._vectors, key=lambda vector: vector.cosine(counts))
        return ranked(nearest.parts(counts))


class _Vector:
    """Weighted words, ready to be set beside those of a text."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self._sought = Sought(weights)
        self.knows = self._sought.may_be_among
        self._length = sqrt(fsum(weight * weight for weight in weights.values()))

    def similarity(self, text: str) -> float:
        counts = self._sought.counted(text)
        return 0.0 if counts is None else self.cosine(counts)

    def cosine(self, counts: Counts) -> float:
        return round(min(1.0, fsum(part for _, part in self.parts(counts))), DIGITS)

    def parts(self, counts: Counts) -> list[tuple[str, float]]:
        length = self._length * sqrt(sum(map(mul, counts.values(), counts.values())))
        return [(word, self.weights[word] * counts[word] / length) for word in self._sought.within(counts)]


THRESHOLD = 0.1


class Lexicon:
    """Judges by what the concept, its parts, kinds and relatives are called."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Take the lexicon of the topic's concept, or the topic's words where it has none."""
        self.threshold = threshold
        self._rarity, self._rarities = shipped_vectors().rarity, shipped_vectors().rarities
        given = word_weights(topic.lexicon or terms(topic))
        self.weights = {word: weight * self._rarity(word) for word, weight in given.items()}
        self._sought = Sought(self.weights)
        self._length = sqrt(fsum(weight * weight for weight in self.weights.values()))

    def score(self, page: Page) -> float:
        """Return the cosine of the page with the lexicon."""
        return self._cosine(page_counts(page))

    def similarity(self, text: str) -> float:
        """Return the cosine of a text with the lexicon."""
        counts = self._sought.counted(text)
        return 0.0 if counts is None else self._cosine(counts)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the words of the lexicon found on the page, with the part of the score each made."""
        return ranked(self._parts(page_counts(page)))

    def _cosine(self, found: Counts) -> float:
        return min(1.0, fsum(part for _, part in self._parts(found)))

    def _parts(self, found: Counts) -> list[tuple[str, float]]:
        if not (known := self._sought.within(found)):
            return []
        told = [*map(mul, found.values(), self._rarities(found))]
        length = self._length * sqrt(fsum(map(mul, told, told)))
        return [(word, self.weights[word] * found[word] * self._rarity(word) / length) for word in known]
