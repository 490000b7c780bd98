"""How near the short texts of a link are to the topic: by its words, and by the directions of its words."""

from functools import lru_cache

from thresher.core.records import Topic
from thresher.relevance.combined import Combined
from thresher.text.vectors import shipped_vectors
from thresher.text.words import words
from thresher.topic.terms import terms, word_weights

REMEMBERED = 16_384  # short texts: menus come again on every page
LONGEST = 80


class TopicTexts:
    """Compares texts with a topic, and remembers the short ones."""

    def __init__(self, topic: Topic) -> None:
        """Take the words of the topic and the direction they point in."""
        self._topic = topic
        self._judge = Combined(topic)
        self._direction = shipped_vectors().direction(word_weights(terms(topic)))
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._compare)

    def compare(self, text: str) -> tuple[float, float]:
        """Return how near a text is by its words, and by their directions."""
        if not text:
            return 0.0, 0.0
        return self._remembered(text) if len(text) <= LONGEST else self._compare(text)

    def _compare(self, text: str) -> tuple[float, float]:
        return self._judge.similarity(text), self._nearness(text)

    def _nearness(self, text: str) -> float:
        if self._direction is None:
            return 0.0
        counts = dict.fromkeys(words(text), 1.0)
        direction = shipped_vectors().direction(counts)
        return 0.0 if direction is None else float(direction @ self._direction)

    def __deepcopy__(self, memo: object) -> "TopicTexts":
        """Return one with a memory of its own."""
        return TopicTexts(self._topic)
