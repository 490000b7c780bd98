"""Words and phrases worth adding to a topic: what its pages have, other pages have not, and is near it.

    weight(t) = sum over pages of log(1 + n) * rarity(t)  *  nearness(t)  *  (share here - share elsewhere)
    nearness  how near a term is to the topic in meaning; a word that the table lacks is a technical term
              of some field or a name, and counts for half

Frequency alone proposes what a page is made of, not what it is about: "string" and "python" for an
introduction to regular expressions. What is proposed is for a person to choose from.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log1p

from msgspec import Struct

from thresher.core.records import Topic
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import Vectors, shipped_vectors

NEAR_ENOUGH = 0.5  # from which on a phrase is taken for one of the topic's
OFTEN_ENOUGH = 3  # on one page, before two words are taken for a phrase
UNKNOWN = 0.35  # the nearness of a word that the table lacks
SHORTEST = 3  # Latin letters of a word: shorter ones are mostly names in examples
USUAL_HUBNESS = 0.6

Stems = tuple[str, ...]
Counts = Mapping[Stems, int]


class Suggestion(Struct, frozen=True):
    """A word or phrase as the pages write it, its weight beside the first, and how many pages have it."""

    term: str
    weight: float
    pages: int


def suggest(
    texts: Sequence[str], topic: Topic, others: Sequence[str] = (), several: int = 12
) -> list[Suggestion]:
    """Return what to add to a topic by its pages, and by others that are not, the weightiest first."""
    own = frozenset(word for phrase in (topic.name, *topic.keywords) for word in plain_words(phrase))
    written: dict[Stems, Counter[str]] = {}
    here = [_counted(text, written) for text in texts]
    elsewhere = [_counted(text, {}) for text in others]
    weights = dict(_weighed(here, elsewhere, own, shipped_vectors()))
    best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:several]
    return [
        Suggestion(
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
