"""How near the short texts of links are to the topic: by their words, and by the directions of these."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Topic
from thresher.relevance.combined import Combined
from thresher.text.vectors import shipped_vectors
from thresher.text.words import Counts, words
from thresher.topic.terms import terms, word_weights

Floats = NDArray[np.float32]

REMEMBERED = 16_384  # texts: menus come again on every page


class TopicTexts:
    """Compares texts with a topic, a whole page of them at once."""

    def __init__(self, topic: Topic, judge: Combined) -> None:
        """Take the words of the topic, as its judge has them, and the direction they point in."""
        self._judge = judge
        self._direction = shipped_vectors().direction(word_weights(terms(topic)))
        self._known: dict[str, tuple[float, float]] = {}

    def compare(self, texts: Sequence[str]) -> Floats:
        """Return how near each text is by its words, and by their directions, and remember it."""
        known = self._known
        if len(known) > REMEMBERED:
            known.clear()
        if news := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(news, map(tuple, self.measure(news).tolist()), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    def measure(self, texts: Sequence[str]) -> Floats:
        """Return how near each text is by its words, and by their directions."""
        said = [words(text) for text in texts]
        found = np.zeros((len(texts), 2), np.float32)
        found[:, 0] = [self._judge.weigh(Counts(each)) if self._judge.knows(each) else 0.0 for each in said]
        if self._direction is not None:
            distinct = [dict.fromkeys(each) for each in said]
            found[:, 1] = shipped_vectors().leanings(distinct, self._direction)
        return found
