"""The cosine of a page's word counts with the topic's weighted words (Chen et al. 2009).

R_PC = cos(TF(page), v_t)     eq. (1);  v_t holds the labels of the path with w_i = i/D
"""

from collections.abc import Sequence
from math import fsum, sqrt
from operator import mul

from thresher.core.records import Page, Reason, Topic
from thresher.relevance.evidence import Sought, page_counts, ranked
from thresher.text.words import Counts
from thresher.topic.terms import path_weights, terms, word_weights

PAPER_THRESHOLD = 0.1  # the paper's delta


class Cosine:
    """Judges by the words a text shares with the topic, long texts and short ones alike."""

    def __init__(self, topic: Topic, threshold: float = PAPER_THRESHOLD, labels_only: bool = False) -> None:
        """Weigh the topic's words; the paper's crawler sees the labels of the path only."""
        self.threshold = threshold
        self.weights = word_weights(path_weights(topic.path) if labels_only else terms(topic))
        self._sought = Sought(self.weights)
        self._length = sqrt(fsum(weight * weight for weight in self.weights.values()))

    def score(self, page: Page) -> float:
        """Return the cosine of the page's words with the topic's."""
        return self._cosine(page_counts(page))

    def similarity(self, text: str) -> float:
        """Return the cosine of a text's words with the topic's."""
        counts = self._sought.counted(text)
        return 0.0 if counts is None else self._cosine(counts)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the topic's words found on the page, with the part of the score each made."""
        return ranked(self._parts(page_counts(page)))

    def _cosine(self, counts: Counts) -> float:
        return min(1.0, fsum(part for _, part in self._parts(counts)))

    def _parts(self, counts: Counts) -> list[tuple[str, float]]:
        length = self._length * sqrt(sum(map(mul, counts.values(), counts.values())))
        return [(word, self.weights[word] * counts[word] / length) for word in self._sought.within(counts)]
