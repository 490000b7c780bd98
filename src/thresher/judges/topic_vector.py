"""The share of a page's words that are the topic's, weighed by the topic vector (Mali & Meshram 2011).

    T = [(k_j, w_j)], sum of w = 1;  u_k = freq(k) / |UD| * w_k;  Sim = sum of u_k     layer 1, steps 2 and 3

|UD| counts the words left when the stop words are gone; a phrase is counted as a phrase.
"""

from collections.abc import Sequence
from math import fsum

from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import page_counts, page_words, ranked
from thresher.text.chinese import FIRST_HAN
from thresher.text.tokenize import Counts, fold, plain_words, word_counts
from thresher.topic.build import phrase_words, terms

THRESHOLD = 0.002
NO_WORDS = Counts()


class TopicVector:
    """Judges by how much of a text is made of the topic's words and phrases."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Bring the weights of the topic's phrases to a sum of one."""
        self.threshold = threshold
        weighted = terms(topic)
        self.phrases = phrase_words(weighted)
        self._chinese = not all(map(str.isascii, self.phrases))
        total = fsum(weighted[phrase] for phrase in self.phrases) or 1.0
        self.weights = {phrase: weighted[phrase] / total for phrase in self.phrases}

    def score(self, page: Page) -> float:
        """Return Sim of the page."""
        return self._sim(self._page_parts(page))

    def similarity(self, text: str) -> float:
        """Return Sim of a text."""
        return self._sim(self._parts(plain_words(text), word_counts(text) if self._chinese else NO_WORDS))

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return u_k of each word and phrase found on the page."""
        return ranked(self._page_parts(page))

    def _sim(self, parts: Sequence[tuple[str, float]]) -> float:
        return min(1.0, fsum(part for _, part in parts))

    def _page_parts(self, page: Page) -> list[tuple[str, float]]:
        counts = page_counts(page)
        if max(counts, default="") < FIRST_HAN:
            return self._plain_parts(page, counts)
        return self._parts(page_words(page), counts if self._chinese else NO_WORDS)

    def _plain_parts(self, page: Page, counts: Counts) -> list[tuple[str, float]]:
        """Return u_k of each phrase on a page without Chinese: the words are counted, but for phrases."""
        found = []
        for phrase, parts in self.phrases.items():
            if len(parts) == 1:
                found.append((phrase, counts.get(parts[0], 0)))
            elif all(map(counts.__contains__, parts)):
                found.append((phrase, _line(page_words(page)).count(_line(parts))))
        total = counts.total()
        return [(phrase, count / total * self.weights[phrase]) for phrase, count in found if count]

    def _parts(self, found: Sequence[str], counts: Counts) -> list[tuple[str, float]]:
        """Return u_k of each phrase; one in Chinese is found, too, where the text is cut otherwise."""
        if not found:
            return []
        line = _line(found)
        return [
            (phrase, (line.count(_line(parts)) or counts[fold(phrase)]) / len(found) * weight)
            for (phrase, parts), weight in zip(self.phrases.items(), self.weights.values(), strict=True)
        ]


def _line(found: Sequence[str]) -> str:
    """Return words in one line, since counting is then done in C; two spaces, so that hits never touch."""
    return f" {'  '.join(found)} "
