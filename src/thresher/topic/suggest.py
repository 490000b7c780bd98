"""Words that belong to a topic: those worth adding, and those near it in meaning."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log1p

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.core.records import Topic
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import Floats, Vectors, shipped_vectors
from thresher.topic.build import phrase_words

# Words and phrases worth adding to a topic: what its pages have, other pages have not, and is near it.
#
#     weight(t) = sum over pages of log(1 + n) * rarity(t)  *  nearness(t)  *  (share here - share elsewhere)
#     nearness  how near a term is to the topic in meaning; a word that the table lacks is a technical term
#               of some field or a name, and counts for half
#
# Frequency alone proposes what a page is made of, not what it is about: "string" and "python" for an
# introduction to regular expressions. What is proposed is for a person to choose from.


NEAR_ENOUGH = 0.5  # from which on a phrase is taken for one of the topic's
OFTEN_ENOUGH = 3  # on one page, before two words are taken for a phrase
UNKNOWN = 0.35  # the nearness of a word that the table lacks
SHORTEST = 3  # Latin letters of a word: shorter ones are mostly names in examples
USUAL_HUBNESS = 0.6

Stems = tuple[str, ...]
Counts = Mapping[Stems, int]


class WordSuggestion(Struct, frozen=True):
    """A word or phrase as the pages write it, its weight beside the first, and how many pages have it."""

    term: str
    weight: float
    pages: int


def suggest(
    texts: Sequence[str], topic: Topic, others: Sequence[str] = (), several: int = 12
) -> list[WordSuggestion]:
    """Return what to add to a topic by its pages, and by others that are not, the weightiest first."""
    own = frozenset(word for phrase in (topic.name, *topic.keywords) for word in plain_words(phrase))
    written: dict[Stems, Counter[str]] = {}
    here = [_counted(text, written) for text in texts]
    elsewhere = [_counted(text, {}) for text in others]
    weights = dict(_weighed(here, elsewhere, own, shipped_vectors()))
    best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:several]
    return [
        WordSuggestion(
            max(sorted(written[stems]), key=written[stems].__getitem__),
            round(weight / best[0][1], 2),
            sum(stems in page for page in here),
        )
        for stems, weight in best
    ]


def _weighed(
    here: Sequence[Counts], elsewhere: Sequence[Counts], own: frozenset[str], vectors: Vectors
) -> Iterator[tuple[Stems, float]]:
    """Yield what every term weighs that a person might want to add."""
    spread, beside = (Counter(term for page in pages for term in page) for pages in (here, elsewhere))
    needed = 2 if len(here) > 2 else 1  # a word of one page out of many is chance
    for stems in [stems for stems in spread if spread[stems] >= needed and not own.issuperset(stems)]:
        lift = spread[stems] / len(here) - beside[stems] / max(1, len(elsewhere))
        near = _nearness(stems, own, vectors)
        if lift > 0 and near > 0:
            rarity = sum(map(vectors.rarity, stems)) / len(stems)
            yield stems, sum(log1p(page.get(stems, 0)) for page in here) * rarity * near * lift


def _nearness(stems: Stems, own: frozenset[str], vectors: Vectors) -> float:
    """Return how near a term is to the topic in meaning; a phrase is near enough or nothing."""
    if len(stems) > 1:
        near = vectors.similarity(stems, own)
        return near if near >= NEAR_ENOUGH else 0.0
    topic, row = vectors.direction(dict.fromkeys(own, 1.0)), vectors.row(stems[0])
    if topic is None or row < 0:
        return UNKNOWN
    return float(vectors.table[row] @ topic) - float(vectors.hubness[row]) + USUAL_HUBNESS


def _counted(text: str, written: dict[Stems, Counter[str]]) -> Counter[Stems]:
    """Return how often each word and phrase stands in a text, and note how it is written."""
    counts: Counter[Stems] = Counter()
    for line in text.splitlines():
        for stems, form in _terms(tokens(fold(line))):
            counts[stems] += 1
            written.setdefault(stems, Counter())[form] += 1
    return Counter({each: n for each, n in counts.items() if len(each) == 1 or n >= OFTEN_ENOUGH})


def _terms(line: Iterable[str]) -> Iterator[tuple[Stems, str]]:
    """Yield the words of a line, and each with the one that follows it."""
    found = [(stem[0] if (stem := plain_words(token)) else "", token) for token in line]
    yield from (((stem,), token) for stem, token in found if _tells(stem))
    for (one, first), (two, second) in pairwise(found):
        if _tells(one) and _tells(two) and one != two:
            yield (one, two), f"{first} {second}" if f"{one}{two}".isascii() else f"{first}{second}"


def _tells(stem: str) -> bool:
    return not stem.isdigit() and (len(stem) >= SHORTEST if stem.isascii() else bool(stem))


# The words near a topic in meaning, in both languages: how a topic in English recognises Chinese pages.
#
# A word belongs to the neighbourhood when it is near one of the topic's terms *and* near the topic as a
# whole: the first makes "agent" reach spies as well as software, the second leaves spies out of a topic on
# software. Words that are near everything are pushed away by their hubness (CSLS, Conneau et al. 2018).


SIZE = 30  # words of each language
NEAR_A_TERM = 0.6
NEAR_THE_TOPIC = 0.35
PART_OF_A_PHRASE = 0.7  # a word of a phrase stands for the phrase only so much
_USUAL_HUBNESS = 0.6


def neighbourhood(weighted: Mapping[str, float]) -> Mapping[str, float]:
    """Return the nearest words of each language, the nearest of each weighing 1."""
    return _neighbourhood(tuple(weighted.items()))


@lru_cache(maxsize=64)  # 14 ms each, and a crawl makes its judge four times
def _neighbourhood(weighted: tuple[tuple[str, float], ...]) -> Mapping[str, float]:
    vectors = shipped_vectors()
    directions, weights, centre = _directions(dict(weighted), vectors)
    if not directions:
        return {}
    everywhere = vectors.hubness - _USUAL_HUBNESS
    near = vectors.nearness([*directions, centre]) - everywhere[:, None]
    to_the_topic = np.clip((near[:, -1] - NEAR_THE_TOPIC) / (1 - NEAR_THE_TOPIC), 0, 1)
    rows = np.flatnonzero(to_the_topic)  # few words are near the topic as a whole
    to_a_term = np.clip((near[rows, :-1] - NEAR_A_TERM) / (1 - NEAR_A_TERM), 0, 1) * np.array(weights)
    closeness = np.zeros(len(near))
    closeness[rows] = to_a_term.max(axis=1) * to_the_topic[rows]
    languages = slice(0, vectors.english), slice(vectors.english, None)
    return {
        word: weight
        for part in languages
        for word, weight in _best(closeness[part], vectors.words[part], SIZE)
    }


def _directions(weighted: Mapping[str, float], vectors: Vectors) -> tuple[list[Floats], list[float], Floats]:
    """Return the directions of terms and their words, their weights, and the direction of all."""
    directions: list[Floats] = []
    weights: list[float] = []
    centre = np.zeros(vectors.width, "f4")
    for phrase, found in phrase_words(weighted).items():
        whole = vectors.direction(dict.fromkeys(found, 1.0))
        if whole is None:
            continue
        centre = centre + weighted[phrase] * whole
        parts = [
            part for word in found if len(found) > 1 and (part := vectors.direction({word: 1.0})) is not None
        ]
        directions += [whole, *parts]
        weights += [weighted[phrase], *[weighted[phrase] * PART_OF_A_PHRASE] * len(parts)]
    length = float(np.linalg.norm(centre))
    return directions, weights, np.asarray(centre / length if length else centre, "f4")


def _best(closeness: NDArray[np.float64], words: list[str], size: int) -> list[tuple[str, float]]:
    """Return the closest words, weighed against the very closest; of equals the more frequent."""
    near = np.flatnonzero(closeness > 0)  # few are
    order = near[np.argsort(-closeness[near], kind="stable")[:size]]
    return [(words[row], round(float(closeness[row] / closeness[order[0]]), 4)) for row in order.tolist()]
