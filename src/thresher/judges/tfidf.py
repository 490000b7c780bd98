"""The TF-IDF score of a page for the words of the topic (Ratna et al. 2012).

    tf(t, d) = f(t, d) / max f          eq. (1)
    idf(t)   = ln(N / (1 + df))         eq. (2), "paper": below 0 for a word that all documents have
             = ln((N + 1) / (df + 1)) + 1             "sound": never below 1
    score(q, d) = sum over t in q of tf * idf         eq. (3), (4)

A judge sees one page at a time, so its idf is that of a background: the rarity of words in the vector table.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log
from typing import Literal

from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import page_counts, ranked
from thresher.text.tokenize import Counts, word_counts
from thresher.text.vectors import shipped_vectors
from thresher.topic.build import terms, word_weights

THRESHOLD = 0.035
Idf = Literal["paper", "sound"]


class TfIdf:
    """Judges by how prominent the topic's words are among the words of a text."""

    def __init__(self, topic: Topic, threshold: float = THRESHOLD) -> None:
        """Weigh each of the topic's words by its rarity alone, as the paper's query has no weights."""
        self.threshold = threshold
        self.idf = {word: shipped_vectors().rarity(word) for word in word_weights(terms(topic))}

    def score(self, page: Page) -> float:
        """Return the page's score as a share of what a page about nothing else would get."""
        return self._share(page_counts(page))

    def similarity(self, text: str) -> float:
        """Return the text's score as a share of what a text about nothing else would get."""
        return self._share(word_counts(text))

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the topic's words on the page with the share each contributed."""
        return ranked(self._parts(page_counts(page)))

    def _share(self, found: Counts) -> float:
        return min(1.0, fsum(part for _, part in self._parts(found)))

    def _parts(self, found: Counts) -> list[tuple[str, float]]:
        whole = (fsum(self.idf.values()) or 1.0) * max(found.values(), default=1)
        return [(word, count * idf / whole) for word, idf in self.idf.items() if (count := found[word])]


class Collection:
    """Documents that come one by one; each is scored among those that have come so far."""

    def __init__(self, query: Iterable[str], idf: Idf = "paper") -> None:
        """Start without a document."""
        self.documents = 0
        self.with_word = dict.fromkeys(sorted(set(query)), 0)
        self._idf = _paper_idf if idf == "paper" else _sound_idf

    def add(self, counts: Mapping[str, int]) -> None:
        """Take in a document, given as how often it has each word."""
        self.documents += 1
        for word in self.with_word:
            self.with_word[word] += word in counts

    def frequencies(self, counts: Mapping[str, int]) -> list[float]:
        """Return tf of each word of the query in a document, eq. (1)."""
        most = max(counts.values(), default=1)
        return [counts[word] / most if word in counts else 0.0 for word in self.with_word]

    def idf(self) -> list[float]:
        """Return idf of each word of the query among the documents so far, eq. (2)."""
        found = self.with_word.values()
        return [self._idf(self.documents, having) if self.documents else 0.0 for having in found]

    def score(self, counts: Mapping[str, int]) -> float:
        """Return eq. (4) of a document that was taken in."""
        most = max(counts.values(), default=1)
        return fsum(
            counts[word] / most * self._idf(self.documents, having)
            for word, having in self.with_word.items()
            if word in counts
        )


def _paper_idf(documents: int, with_word: int) -> float:
    return log(documents / (1 + with_word))


def _sound_idf(documents: int, with_word: int) -> float:
    return log((documents + 1) / (with_word + 1)) + 1
