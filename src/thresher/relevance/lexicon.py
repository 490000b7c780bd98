"""How near a page is to the lexicon of the local ontology (the CT-FC crawler).

The paper gives no formula; ours is the cosine of the page with the lexicon, both weighed by rarity. A page is
relevant (the paper's Score = 1) when the cosine reaches the threshold; the score is the cosine itself.
"""

from collections.abc import Sequence
from math import fsum, sqrt
from operator import mul

from thresher.core.records import Page, Reason, Topic
from thresher.relevance.evidence import Sought, page_counts, ranked
from thresher.text.vectors import shipped_vectors
from thresher.text.words import Counts
from thresher.topic.terms import terms, word_weights

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
