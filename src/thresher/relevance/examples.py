"""How near a page is to the example pages the user gave (Rocchio's centroid)."""

from collections import Counter
from collections.abc import Sequence
from math import fsum, log1p, sqrt

from thresher.core.records import Page, Reason, Topic
from thresher.relevance.evidence import page_words, ranked
from thresher.relevance.semantic import calibrated
from thresher.text.vectors import shipped_vectors
from thresher.text.words import words

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
        return calibrated(self.cosine(page_words(page)), HALF_WAY)

    def similarity(self, text: str) -> float:
        """Return how near a text is to the examples."""
        return calibrated(self.cosine(words(text)), HALF_WAY)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the examples' words found on the page, with the part of the cosine each made."""
        return ranked(self.parts(page_words(page)))

    def cosine(self, found: Sequence[str]) -> float:
        """Return the cosine of words with the centroid, at least 0."""
        return max(0.0, fsum(part for _, part in self.parts(found)))

    def parts(self, found: Sequence[str]) -> list[tuple[str, float]]:
        """Return what each word contributes to the cosine."""
        if not self.centroid:
            return []
        worth = {word: log1p(count) * self._rarity(word) for word, count in Counter(found).items()}
        length = sqrt(fsum(value * value for value in worth.values()))
        return [
            (word, weight * worth[word] / length) for word, weight in self.centroid.items() if word in worth
        ]
