"""The judges of four papers, beside which the default judge is measured."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log, sqrt
from operator import mul
from typing import Literal

from typing_extensions import override

from thresher.core.interfaces import Judge
from thresher.core.records import Page, Reason, Topic
from thresher.judges.word_evidence import TermSet, ranked
from thresher.text.chinese import FIRST_HAN
from thresher.text.page_record import page_counts, page_words
from thresher.text.tokenize import WordCounts, fold, plain_words, word_counts
from thresher.text.vectors import shipped_vectors
from thresher.topic.build import path_vectors, phrase_words, terms, word_weights

# The cosine of a page's word counts with the topic's weighted words (Chen et al. 2009).
#
# R_PC = cos(TF(page), v_t)     eq. (1);  v_t holds the labels of the path with w_i = i/D


DIGITS = 12  # equal cosines may differ by what rounding makes of them: first come, first served is then lost
PAPER_THRESHOLD = 0.1  # the paper's delta


class Cosine(Judge):
    """Judges by the words a text shares with the topic, long texts and short ones alike.

    A topic that is nothing but its path has a vector for each language of its labels, and the nearest counts.
    """

    def __init__(self, topic: Topic, threshold: float = PAPER_THRESHOLD) -> None:
        """Weigh the topic's words."""
        self.threshold = threshold
        self._vectors = [_Vector(word_weights(vector)) for vector in path_vectors(topic)]
        self.weights = {word: weight for each in self._vectors for word, weight in each.weights.items()}

    @override
    def score(self, page: Page) -> float:
        counts = page_counts(page)
        return max(vector.cosine(counts) for vector in self._vectors)

    @override
    def knows(self, words: Sequence[str]) -> bool:
        return any(vector.knows(words) for vector in self._vectors)

    @override
    def similarity(self, text: str) -> float:
        return max(vector.similarity(text) for vector in self._vectors)

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        counts = page_counts(page)
        nearest = max(self._vectors, key=lambda vector: vector.cosine(counts))
        return ranked(nearest.parts(counts))


class _Vector:
    """Weighted words, ready to be set beside those of a text."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self._sought = TermSet(weights)
        self.knows = self._sought.may_be_among
        self._length = sqrt(fsum(weight * weight for weight in weights.values()))

    def similarity(self, text: str) -> float:
        counts = self._sought.counted(text)
        return 0.0 if counts is None else self.cosine(counts)

    def cosine(self, counts: WordCounts) -> float:
        return round(min(1.0, fsum(part for _, part in self.parts(counts))), DIGITS)

    def parts(self, counts: WordCounts) -> list[tuple[str, float]]:
        length = self._length * sqrt(sum(map(mul, counts.values(), counts.values())))
        return [(word, self.weights[word] * counts[word] / length) for word in self._sought.within(counts)]


LEXICON_THRESHOLD = 0.1


class LexiconJudge(Judge):
    """Judges by what the concept, its parts, kinds and relatives are called."""

    def __init__(self, topic: Topic, threshold: float = LEXICON_THRESHOLD) -> None:
        """Take the lexicon of the topic's concept, or the topic's words where it has none."""
        self.threshold = threshold
        self._rarity, self._rarities = shipped_vectors().rarity, shipped_vectors().rarities
        given = word_weights(topic.lexicon or terms(topic))
        self.weights = {word: weight * self._rarity(word) for word, weight in given.items()}
        self._sought = TermSet(self.weights)
        self._length = sqrt(fsum(weight * weight for weight in self.weights.values()))

    @override
    def score(self, page: Page) -> float:
        return self._cosine(page_counts(page))

    @override
    def similarity(self, text: str) -> float:
        counts = self._sought.counted(text)
        return 0.0 if counts is None else self._cosine(counts)

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return ranked(self._parts(page_counts(page)))

    def _cosine(self, found: WordCounts) -> float:
        return min(1.0, fsum(part for _, part in self._parts(found)))

    def _parts(self, found: WordCounts) -> list[tuple[str, float]]:
        if not (known := self._sought.within(found)):
            return []
        told = [*map(mul, found.values(), self._rarities(found))]
        length = self._length * sqrt(fsum(map(mul, told, told)))
        return [(word, self.weights[word] * found[word] * self._rarity(word) / length) for word in known]


# The TF-IDF score of a page for the words of the topic (Ratna et al. 2012).
#
#     tf(t, d) = f(t, d) / max f          eq. (1)
#     idf(t)   = ln(N / (1 + df))         eq. (2), "paper": below 0 for a word that all documents have
#              = ln((N + 1) / (df + 1)) + 1             "sound": never below 1
#     score(q, d) = sum over t in q of tf * idf         eq. (3), (4)
#
# A judge sees one page at a time, so its idf is that of a background: the rarity of words in the vector
# table.


TFIDF_THRESHOLD = 0.035
Idf = Literal["paper", "sound"]


class TfIdf(Judge):
    """Judges by how prominent the topic's words are among the words of a text."""

    def __init__(self, topic: Topic, threshold: float = TFIDF_THRESHOLD) -> None:
        """Weigh each of the topic's words by its rarity alone, as the paper's query has no weights."""
        self.threshold = threshold
        self.idf = {word: shipped_vectors().rarity(word) for word in word_weights(terms(topic))}

    @override
    def score(self, page: Page) -> float:
        return self._share(page_counts(page))

    @override
    def similarity(self, text: str) -> float:
        return self._share(word_counts(text))

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return ranked(self._parts(page_counts(page)))

    def _share(self, found: WordCounts) -> float:
        return min(1.0, fsum(part for _, part in self._parts(found)))

    def _parts(self, found: WordCounts) -> list[tuple[str, float]]:
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


# The share of a page's words that are the topic's, weighed by the topic vector (Mali & Meshram 2011).
#
#     T = [(k_j, w_j)], sum of w = 1;  u_k = freq(k) / |UD| * w_k;  Sim = sum of u_k     layer 1, steps 2 and
#       3
#
# |UD| counts the words left when the stop words are gone; a phrase is counted as a phrase.


VECTOR_THRESHOLD = 0.002
NO_WORDS = WordCounts()


class TopicVector(Judge):
    """Judges by how much of a text is made of the topic's words and phrases."""

    def __init__(self, topic: Topic, threshold: float = VECTOR_THRESHOLD) -> None:
        """Bring the weights of the topic's phrases to a sum of one."""
        self.threshold = threshold
        weighted = terms(topic)
        self.phrases = phrase_words(weighted)
        self._chinese = not all(map(str.isascii, self.phrases))
        total = fsum(weighted[phrase] for phrase in self.phrases) or 1.0
        self.weights = {phrase: weighted[phrase] / total for phrase in self.phrases}

    @override
    def score(self, page: Page) -> float:
        return self._sim(self._page_parts(page))

    @override
    def similarity(self, text: str) -> float:
        return self._sim(self._parts(plain_words(text), word_counts(text) if self._chinese else NO_WORDS))

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return ranked(self._page_parts(page))

    def _sim(self, parts: Sequence[tuple[str, float]]) -> float:
        return min(1.0, fsum(part for _, part in parts))

    def _page_parts(self, page: Page) -> list[tuple[str, float]]:
        counts = page_counts(page)
        if max(counts, default="") < FIRST_HAN:
            return self._plain_parts(page, counts)
        return self._parts(page_words(page), counts if self._chinese else NO_WORDS)

    def _plain_parts(self, page: Page, counts: WordCounts) -> list[tuple[str, float]]:
        """Return u_k of each phrase on a page without Chinese: the words are counted, but for phrases."""
        found = []
        for phrase, parts in self.phrases.items():
            if len(parts) == 1:
                found.append((phrase, counts.get(parts[0], 0)))
            elif all(map(counts.__contains__, parts)):
                found.append((phrase, _line(page_words(page)).count(_line(parts))))
        total = counts.total()
        return [(phrase, count / total * self.weights[phrase]) for phrase, count in found if count]

    def _parts(self, found: Sequence[str], counts: WordCounts) -> list[tuple[str, float]]:
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


# How much of a page's vocabulary is that of the sub-domains it is nearest to (Jamali et al. 2006).
#
# sim(s) = mean of the k largest |v_i & s| / |s|     eq. (2);  s: the set of a page's words, v_i: a sub-
#   domain's
# sound:                         |v_i & s| / sqrt(|v_i| |s|), which does not reward a page for being short


BEST = 2  # the paper's k
VOCABULARY_THRESHOLD = 0.01


class VocabularyJudge(Judge):
    """Judges by the share of a text's distinct words that belong to the best sub-domains."""

    def __init__(
        self, topic: Topic, threshold: float = VOCABULARY_THRESHOLD, best: int = BEST, sound: bool = False
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

    @override
    def score(self, page: Page) -> float:
        return self.overlap(self._page_words(page))

    @override
    def similarity(self, text: str) -> float:
        return self.overlap(self._with_chinese(plain_words(text), word_counts(text)))

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
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

    def _with_phrases(self, found: Sequence[str], counts: WordCounts) -> set[str]:
        """Return the distinct words of a text and the phrases of ours that stand in it."""
        line = f" {' '.join(found)} "
        standing = {phrase for phrase in self._phrases if f" {phrase} " in line}
        return self._with_chinese(found, counts) | standing

    def _with_chinese(self, found: Iterable[str], counts: WordCounts) -> set[str]:
        """Return the distinct words of a text, with those of ours that it has where it is cut otherwise."""
        return {*found, *(self._pairs & counts.keys()), *(word for word in self._longer if counts[word])}

    def _share(self, vocabulary: frozenset[str], found: set[str]) -> float:
        size = sqrt(max(1, len(vocabulary)) * len(found)) if self.sound else len(found)
        return len(vocabulary & found) / size


# A guard before a paper's judge: pages stuffed with the topic's words (not in the papers; judge.guard)

STUFFED, FEWEST_WORDS = 0.125, 50  # the share of one word, and of how many words


class GuardedJudge(Judge):
    """Judges as another judge, and gives nothing to a page an eighth of which is one word of the topic."""

    def __init__(self, inner: Judge) -> None:
        """Stand before a judge."""
        self.inner, self.threshold = inner, inner.threshold

    @override
    def distrusts(self, page: Page) -> bool:
        counts = page_counts(page)
        least = STUFFED * max(FEWEST_WORDS, counts.total())
        return any(self.inner.knows([word]) for word, count in counts.items() if count > least)

    @override
    def score(self, page: Page) -> float:
        return 0.0 if self.distrusts(page) else self.inner.score(page)

    @override
    def similarity(self, text: str) -> float:
        return self.inner.similarity(text)

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return () if self.distrusts(page) else self.inner.explain(page)
