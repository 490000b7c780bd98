"""A judge of one's own: the share of the topic's words that a page has, in its title above all.

    thresher crawl beekeeping --set judge.name=own_judge:OwnJudge --strategy best_first --pages 200

Run it from this folder, so that Python finds the module.
"""

import re
from collections.abc import Sequence

from thresher import Judge, Page, Reason, Topic


class OwnJudge(Judge):
    """Judges by the share of the topic's words that a text has; the title counts three times the text."""

    def __init__(self, topic: Topic, threshold: float = 0.2) -> None:
        """Take the topic's words; the threshold is what a text alone reaches with four fifths of them."""
        self.threshold = threshold
        self._wanted = _words(" ".join(topic.keywords) or topic.name)

    def score(self, page: Page) -> float:
        """Return how well the page fits the topic, from 0 to 1."""
        return 0.75 * self.similarity(page.title) + 0.25 * self.similarity(page.text)

    def similarity(self, text: str) -> float:
        """Return the share of the topic's words that a text has."""
        return len(self._wanted & _words(text)) / (len(self._wanted) or 1)

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the topic's words on the page, each with its part of the score, the strongest first."""
        parts = {
            word: 0.75 * (word in _words(page.title)) + 0.25 * (word in _words(page.text))
            for word in self._wanted
        }
        found = sorted(((part, word) for word, part in parts.items() if part), reverse=True)
        return [Reason(word, part / len(self._wanted)) for part, word in found]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
