"""What a page shows of one thing that is wanted, in numbers: the evidence that the judge weighs.

s(w)      how strongly the page speaks of a word (page.py);  i(w): its rarity
words     sum of weight i s over the three largest weight i
all_words exp(mean by i of log(s + .02)) - .02: little if one word is missing;  one word: s
phrase    s of (how often they stand together + 4 if the title has all);  one word: s
url       share of i found in it
beginning, top   square of the share of i found where the main text and where all text begins: half is little
near      the words nearest in meaning, as `words`
meaning   cosine of page and question in the vector table, less that of a mean page
anchors, list    shares of the text that are links, and lines of links: against it
further_mean, further_best, further_title   the same of further words
description  mean by i of s over its words;  examples: root of the cosine with the example pages
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, repeat
from math import exp, fsum, log, log1p, sqrt
from operator import mul
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from thresher.judges.question.page import TITLE, URL, Fields, Weighed, has
from thresher.text.chinese import FIRST_HAN
from thresher.text.tokenize import WordCounts
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.question import DESCRIBED, Facet, Phrase
from thresher.topic.suggest import neighbourhood

CORE = ("words", "all_words", "phrase", "url", "beginning", "top", "near", "meaning", "anchors", "list")
SEVERAL = 3  # a page full of the three best words is as clear as can be
MISSING = 0.02  # what a word that is not there counts for among those that are


class Effort(Enum):
    """What a person gave beside the name; each has weights of its own."""

    NAME = "name"
    KEYWORDS = "keywords"
    DESCRIPTION = "description"
    EXAMPLES = "examples"


COLUMNS = {
    Effort.NAME: CORE,
    Effort.KEYWORDS: (*CORE, "further_mean", "further_best", "further_title"),
    Effort.DESCRIPTION: (*CORE, "description"),
    Effort.EXAMPLES: (*CORE, "examples"),
}


class PhraseMatch(NamedTuple):
    """What a page shows of one phrase."""

    mean: float
    all_words: float
    phrase: float
    url: float
    beginning: float
    top: float
    title: float


NOT_FOUND = PhraseMatch(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class EvidenceSet:
    """The evidence for one facet, by the name and one further thing that was given."""

    def __init__(
        self,
        effort: Effort,
        facet: Facet,
        mean: Floats,
        described: Sequence[str] = (),
        centroid: Mapping[str, float] | None = None,
        language: str = "en",
    ) -> None:
        """Find the neighbourhood and the direction of what was given."""
        self.effort = effort
        self.language = language
        self.facet = facet if effort is Effort.KEYWORDS else Facet(facet.names, (), facet.spellings)
        self.described = described if effort is Effort.DESCRIPTION else ()
        self.centroid = (centroid or {}) if effort is Effort.EXAMPLES else {}
        self.columns = COLUMNS[effort]
        vectors, phrases = shipped_vectors(), [each for each in self.facet.phrases if not each.literal]
        own = {word: vectors.rarity(word) for phrase in self.facet.phrases for word in phrase.words}
        self.own = {word: DESCRIBED * vectors.rarity(word) for word in self.described} | own
        weighted = dict.fromkeys(self.described, DESCRIBED) | {phrase.spaced: 1.0 for phrase in phrases}
        names = {word for phrase in facet.names for word in phrase.words}
        near = {word: w for word, w in neighbourhood(weighted).items() if word not in names}
        self.near = {word: weight * vectors.rarity(word) for word, weight in near.items()}
        phrases = [*self.facet.phrases, *self.facet.spellings]
        self._typed = list(dict.fromkeys(chain.from_iterable(phrase.words for phrase in phrases)))
        self._own_top, self._near_top = _top(self.own.values()), _top(self.near.values())
        pulls = dict.fromkeys(self.described, DESCRIBED)
        pulls |= {word: 1.0 for phrase in phrases for word in phrase.words}
        found = vectors.direction(pulls)
        self.direction = np.zeros(vectors.width, "f4") if found is None else found
        self._usual = float(mean @ self.direction)

    def row(self, fields: Fields, weighed: Weighed, direction: Floats) -> list[float]:
        """Return the evidence of a page, in the order of the columns."""
        found = [*map(_found, (*self.facet.names, *self.facet.spellings), repeat(fields))]
        best = PhraseMatch(*map(max, zip(*found, strict=True))) if found else NOT_FOUND
        row = [
            fsum(map(mul, self.own.values(), strengths_of(self.own, fields))) / self._own_top,
            best.all_words,
            best.phrase,
            best.url,
            best.beginning,
            best.top,
            self._near(fields),
            float(direction @ self.direction) - self._usual,
            fields.links_share,
            fields.list_share,
        ]
        return row + self._further(fields, weighed)

    def _near(self, fields: Fields) -> float:
        """Return how strongly the page speaks of words near in meaning."""
        counts, share = fields.counts, fields.half_saturation
        known = [(self.near[word], counts[word]) for word in self.near.keys() & counts.keys()]
        return fsum([worth * (count / (count + share)) / self._near_top for worth, count in known])

    def near_parts(self, fields: Fields) -> dict[str, float]:
        """Return what each word near in meaning adds."""
        counts, saturated = fields.counts, fields.saturated
        known = self.near.keys() & counts.keys()
        return {word: self.near[word] * saturated(counts[word]) / self._near_top for word in sorted(known)}

    def near_share(self, found: WordCounts) -> float:
        """Return how much of the words near in meaning a short text has, at most 1."""
        known = self.near.keys() & found.keys()
        return min(1.0, fsum(map(self.near.__getitem__, sorted(known))) / self._near_top)

    def _further(self, fields: Fields, weighed: Weighed) -> list[float]:
        """Return the columns that only this effort has."""
        if self.effort is Effort.KEYWORDS:
            more = [*map(_found, self.facet.further, repeat(fields))] or [NOT_FOUND]
            both = [(each.mean + each.phrase) / 2 for each in more]
            return [fsum(both) / len(both), max(both), max([each.title for each in more])]
        if self.effort is Effort.DESCRIPTION:
            rarity = shipped_vectors().rarity
            worth = {word: rarity(word) for word in self.described}
            told = fsum(i * fields.saturated(fields.counts[word]) for word, i in worth.items())
            return [told / (fsum(worth.values()) or 1.0)]
        return [self._likeness(fields, weighed)] if self.effort is Effort.EXAMPLES else []

    def _likeness(self, fields: Fields, weighed: Weighed) -> float:
        """Return the root of the cosine with the example pages."""
        rarity, counts = shipped_vectors().rarity, fields.counts
        shared = self.centroid.keys() & counts.keys()
        told = fsum(self.centroid[word] * log1p(counts[word]) * rarity(word) for word in sorted(shared))
        return sqrt(max(0.0, told / weighed.length))

    def has_any(self, fields: Fields) -> bool:
        """Tell whether the page has any word of what was typed: without one it cannot teach."""
        return any(strengths_of(self._typed, fields))

    def word_parts(self, fields: Fields) -> dict[str, float]:
        """Return what each word typed adds to the first column."""
        parts = zip(self.own.items(), strengths_of(self.own, fields), strict=True)
        return {word: worth * strength / self._own_top for (word, worth), strength in parts if strength}


def strengths_of(sought: Iterable[str], fields: Fields) -> list[float]:
    """Return how strongly a page speaks of words; a name is not folded, and looked for letter by letter."""
    strengths, counts = fields.strengths, fields.counts
    return [
        strengths[word] if word in counts or word == word.lower() else _literal(word, fields)
        for word in sought
    ]


def _literal(word: str, fields: Fields) -> float:
    count, title, _, _, url = fields.letter_by_letter(word)
    return fields.saturated(count + TITLE * title + URL * url)


@lru_cache(maxsize=1024)
def _worth_of(words: tuple[str, ...]) -> tuple[list[float], float]:
    """Return the rarity of each word of a phrase, and of all together."""
    rarity = list(shipped_vectors().rarities(words))
    return rarity, fsum(rarity)


def _found(phrase: Phrase, fields: Fields) -> PhraseMatch:
    """Return what a page shows of a phrase."""
    if phrase.literal:
        _, named, first, top, url = fields.letter_by_letter(phrase.text)
        strength = _literal(phrase.text, fields)
        return PhraseMatch(strength, strength, strength, url, first, top, named)
    strengths = [*map(fields.strengths.__getitem__, phrase.words)]
    if not any(strengths):
        return NOT_FOUND
    rarity, total = _worth_of(phrase.words)
    worth = [*zip(rarity, phrase.words, strict=True)]
    title, in_url, in_first, in_top = _stands(worth, total, fields)
    mean = fsum(map(mul, rarity, strengths)) / total
    stands = in_url, in_first**2, in_top**2
    if len(phrase.words) == 1:
        return PhraseMatch(mean, mean, mean, *stands, title)
    all_words = fsum([i * log(s + MISSING) for i, s in zip(rarity, strengths, strict=True)]) / total
    together = fields.together(phrase) + TITLE * (title > 0.999)
    return PhraseMatch(mean, exp(all_words) - MISSING, fields.saturated(together), *stands, title)


def _stands(
    worth: Sequence[tuple[float, str]], total: float, fields: Fields
) -> tuple[float, float, float, float]:
    """Return which share of a phrase stands in title, URL, beginning and top."""
    title, url, first, top = list[float](), list[float](), list[float](), list[float]()
    places = ((fields.title, title), (fields.url, url), (fields.main_start, first), (fields.page_start, top))
    for words, found in places:
        for rarity, word in worth:
            if word in words or (word >= FIRST_HAN and has(words, word)):
                found.append(rarity)
    return fsum(title) / total, fsum(url) / total, fsum(first) / total, fsum(top) / total


def _top(worth: Iterable[float]) -> float:
    return fsum(sorted(worth, reverse=True)[:SEVERAL]) or 1.0


# The fitted figures of the default judge: what each piece of evidence is worth, by what a person gave.
#
# `thresher lab fit-judge FOLDER...` makes weights.json from labelled webs: a set fitted on all of them, which
# the product uses, and for each web a set that never saw its labels, by which the lab judges it.


class LogisticModel(Struct, frozen=True):
    """A logistic regression: weights in the order of its columns, and a constant."""

    weights: tuple[float, ...]
    constant: float


class EffortWeights(Struct, frozen=True):
    """What was fitted for one effort: on the question alone, and with what the crawl has taught."""

    question: LogisticModel
    relevance: LogisticModel  # logit of the question, above the usual page on the scale of the crawl, early
    contrast: LogisticModel  # logit of the question, likeness and bayes on that of the latest pages


class WeightSet(Struct, frozen=True):
    """Everything that was fitted on one set of webs."""

    efforts: dict[str, EffortWeights]
    mean_page: dict[str, tuple[float, ...]]  # language -> mean direction of its pages
    threshold: float = 0.5

    def mean(self, language: str) -> Floats:
        """Return the direction of a mean page; of a language without one that of no page at all."""
        found = self.mean_page.get(language)
        return np.array(found, "f4") if found else np.zeros(shipped_vectors().width, "f4")


class JudgeWeights(Struct, frozen=True):
    """The set of all webs, and those without one of them by its name."""

    everything: WeightSet
    without: dict[str, WeightSet] = {}

    def for_web(self, name: str) -> WeightSet:
        """Return weights that never saw the labels of a web."""
        return self.without.get(name, self.everything)


@cache
def shipped_weights() -> JudgeWeights:
    """Return the figures that come with the package."""
    text = files("thresher.judges.question").joinpath("weights.json").read_bytes()
    return msgspec.json.decode(text, type=JudgeWeights)
