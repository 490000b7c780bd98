"""Meaning instead of words: how strongly a page speaks of what is near the topic, in either language."""

from collections.abc import Sequence
from math import exp, log

from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import Evidence, page_counts, shared_out
from thresher.text.tokenize import word_counts
from thresher.topic.build import terms
from thresher.topic.suggest import neighbourhood

THRESHOLD = 0.5
SEVERAL = 3  # a page full of the three best words is as clear as can be
HALF_WAY = 0.35  # the strength, beside that of such a page, at which pages are as often relevant as not


class Semantic:
    """Judges by the words near the topic in the vector table."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Find the neighbourhood of the topic's words."""
        self.threshold = threshold
        self._evidence = Evidence(neighbourhood(terms(topic)))
        self._scale = HALF_WAY * min(self._evidence.clear(SEVERAL), default=1.0)

    def score(self, page: Page) -> float:
        """Return how strongly the page speaks of the topic's neighbourhood; one half means likely enough."""
        return calibrated(self._evidence.strength(page_counts(page)), self._scale)

    def similarity(self, text: str) -> float:
        """Return how strongly a text speaks of the topic's neighbourhood."""
        return calibrated(self._evidence.strength(word_counts(text)), self._scale)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the words near the topic found on the page, with the part of the score each made."""
        return shared_out(self.score(page), self._evidence.parts(page_counts(page)))


def calibrated(strength: float, half_way: float) -> float:
    """Return a strength as a score from 0 to 1 that is one half at `half_way`."""
    return 1.0 - exp(-log(2.0) * strength / half_way)
