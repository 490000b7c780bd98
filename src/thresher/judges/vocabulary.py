"""How much of a page's vocabulary is that of the sub-domains it is nearest to (Jamali et al. 2006).

sim(s) = mean of the k largest |v_i & s| / |s|     eq. (2);  s: the set of a page's words, v_i: a sub-domain's
sound:                         |v_i & s| / sqrt(|v_i| |s|), which does not reward a page for being short
"""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt

from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import page_counts, page_words, ranked
from thresher.text.chinese import FIRST_HAN
from thresher.text.tokenize import Counts, plain_words, word_counts
from thresher.topic.build import terms, word_weights

BEST = 2  # the paper's k
THRESHOLD = 0.01


class Vocabulary:
    """Judges by the share of a text's distinct words that belong to the best sub-domains."""

    def __init__(
        self, topic: Topic, threshold: float = THRESHOLD, best: int = BEST, sound: bool = False
    ) -> None:
        """Take the sub-domains found in example pages, or the topic's words as the only one."""
        self.threshold = threshold
        self.best = best
        self.sound = sound
        given = topic.vocabularies or (tuple(word_weights(terms(topic))),)
        self.vocabularies = [frozenset(vocabulary) for vocabulary in given]
        chinese = [word for word in frozenset().union(*self.vocabularies) if not word.isascii()]
        self._phrases = {phrase for each in self.vocabularies for phrase in each if " " in phrase}
        self._pairs = frozenset(word for word in chinese if len(word) < 3)
        self._longer = sorted(set(chinese) - self._pairs)

    def score(self, page: Page) -> float:
        """Return the overlap of the page's vocabulary with the topic's."""
        return self.overlap(self._page_words(page))

    def similarity(self, text: str) -> float:
        """Return the overlap of a text's vocabulary with the topic's."""
        return self.overlap(self._with_chinese(plain_words(text), word_counts(text)))

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the words of the nearest sub-domains found on the page; each counts alike."""
        found = self._page_words(page)
        nearest = sorted(self.vocabularies, key=lambda vocabulary: -len(vocabulary & found))[: self.best]
        share = 1 / (len(found) * len(nearest)) if found else 0.0
        return ranked([(word, share * sum(word in v for v in nearest)) for word in sorted(found)])

    def overlap(self, found: Iterable[str]) -> float:
        """Return eq. (2) for words; with fewer sub-domains than k, the mean of those there are."""
        distinct = set(found)
        if not distinct:
            return 0.0
        overlaps = sorted((self._share(each, distinct) for each in self.vocabularies), reverse=True)
        return fsum(overlaps[: self.best]) / len(overlaps[: self.best])

    def _page_words(self, page: Page) -> set[str]:
        counts = page_counts(page)
        if self._phrases:
            return self._with_phrases(page_words(page), counts)
        if max(counts, default="") < FIRST_HAN:
            return set(counts)  # the same words, and they are at hand
        return self._with_chinese(page_words(page), counts)

    def _with_phrases(self, found: Sequence[str], counts: Counts) -> set[str]:
        """Return the distinct words of a text and the phrases of ours that stand in it."""
        line = f" {' '.join(found)} "
        standing = {phrase for phrase in self._phrases if f" {phrase} " in line}
        return self._with_chinese(found, counts) | standing

    def _with_chinese(self, found: Iterable[str], counts: Counts) -> set[str]:
        """Return the distinct words of a text, with those of ours that it has where it is cut otherwise."""
        return {*found, *(self._pairs & counts.keys()), *(word for word in self._longer if counts[word])}

    def _share(self, vocabulary: frozenset[str], found: set[str]) -> float:
        size = sqrt(max(1, len(vocabulary)) * len(found)) if self.sound else len(found)
        return len(vocabulary & found) / size
