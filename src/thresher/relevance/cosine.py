"""The cosine of a page's word counts with the topic's weighted words (Chen et al. 2009).

R_PC = cos(TF(page), v_t)     eq. (1)
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from thresher.core.records import Page, Reason, Topic
from thresher.text.words import words

PAPER_THRESHOLD = 0.1  # the paper's delta


class Cosine:
    """Judges by the words a text shares with the topic, long texts and short ones alike."""

    def __init__(self, topic: Topic, threshold: float = PAPER_THRESHOLD) -> None:
        """Weigh the topic's words."""
        self.threshold = threshold
        self.weights = word_weights(topic.keywords or path_weights(topic.path))
        self._length = sqrt(sum(weight * weight for weight in self.weights.values()))

    def score(self, page: Page) -> float:
        """Return the cosine of the page's words with the topic's."""
        return self.similarity(f"{page.title}\n{page.text}")

    def similarity(self, text: str) -> float:
        """Return the cosine of a text's words with the topic's."""
        counts = Counter(words(text))
        shared = sum(weight * counts[word] for word, weight in self.weights.items() if word in counts)
        if not shared:
            return 0.0
        return min(1.0, shared / (self._length * sqrt(sum(count * count for count in counts.values()))))

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the topic's words found on the page, with the part of the score each made."""
        counts = Counter(words(f"{page.title}\n{page.text}"))
        length = self._length * sqrt(sum(count * count for count in counts.values()))
        found = [
            (word, weight * counts[word] / length) for word, weight in self.weights.items() if counts[word]
        ]
        return [Reason(word, part) for word, part in sorted(found, key=lambda pair: -pair[1])]


def path_weights(path: Sequence[str]) -> dict[str, float]:
    """Return w_i = i/D for the labels of a taxonomy path, the root first."""
    return {label: position / len(path) for position, label in enumerate(path, start=1)}


def word_weights(keywords: Mapping[str, float] | Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the weight of each word of the keywords; a word of two keywords keeps the larger."""
    pairs = keywords.items() if isinstance(keywords, Mapping) else keywords
    weights: dict[str, float] = {}
    for keyword, weight in pairs:
        for word in words(keyword):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights
