"""How near a page is to the example pages the user gave (Rocchio's centroid)."""

from collections.abc import Sequence
from math import fsum, log1p, sqrt

from thresher.core.records import Page, Reason, Topic
from thresher.relevance.evidence import page_counts, shared_out
from thresher.relevance.semantic import calibrated
from thresher.text.vectors import shipped_vectors
from thresher.text.words import Counts, word_counts

THRESHOLD = 0.5
HALF_WAY = 0.125  # the cosine at which pages are as often relevant as not


class Examples:
    """Judges by the words of the example pages, less those of the negative ones."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Take the topic's centroid; without example pages every score is 0."""
        self.threshold = threshold
        self.centroid = topic.centroid
        self._rarity = shipped_vectors().rarity

    def score(self, page: Page) -> float:
        """Return how near the page is to the examples; one half means near enough."""
        return calibrated(self.cosine(page_counts(page)), HALF_WAY)

    def similarity(self, text: str) -> float:
        """Return how near a text is to the examples."""
        return calibrated(self.cosine(word_counts(text)), HALF_WAY)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the examples' words found on the page, with the part of the score each made."""
        return shared_out(self.score(page), self.parts(page_counts(page)))

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
