"""Words that belong to a topic: those worth adding, and those near it in meaning."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log1p

import numpy as np
from msgspec import Struct

from thresher.core.records import Topic
from thresher.text.meaning import PieceTable, shipped_meaning
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_vectors

# Words and phrases worth adding to a topic: what its pages have, other pages have not, and is near it.
#
#     weight(t) = sum over pages of log(1 + n) * rarity(t)  *  nearness(t)  *  (share here - share elsewhere)
#
# Frequency alone proposes what a page is made of, not what it is about: "string" and "python" for an
# introduction to regular expressions. What is proposed is for a person to choose from.


FLOOR = 0.45  # the cosine from which on a word is near a topic that no page speaks for, and a phrase anyway
TECHNICAL = 0.45  # the nearness at least of a word that is none of the table: a term of some field, or a name
OFTEN_ENOUGH = 3  # on one page, before two words are taken for a phrase
SHORTEST = 3  # Latin letters of a word: shorter ones are mostly names in examples

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
    forms = {stems: max(sorted(each), key=each.__getitem__) for stems, each in written.items()}
    table = shipped_meaning()
    direction = table.direction({topic.name: 1.0} | topic.keywords)
    cosines = table.cosines([*forms.values()], direction).tolist()
    near = {
        stems: max(cosine, TECHNICAL) if _is_technical(stems, table) else cosine
        for stems, cosine in zip(forms, cosines, strict=True)
    }
    weights = dict(_weighed(here, elsewhere, own, near))
    best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:several]
    return [
        WordSuggestion(
            forms[stems],
            round(weight / best[0][1], 2),
            sum(stems in page for page in here),
        )
        for stems, weight in best
    ]


def _weighed(
    here: Sequence[Counts], elsewhere: Sequence[Counts], own: frozenset[str], near: Mapping[Stems, float]
) -> Iterator[tuple[Stems, float]]:
    """Yield what every term weighs that a person might want to add; a phrase is near enough or nothing."""
    rarity = shipped_vectors().rarity
    spread, beside = (Counter(term for page in pages for term in page) for pages in (here, elsewhere))
    needed = 2 if len(here) > 2 else 1  # a word of one page out of many is chance
    for stems in [stems for stems in spread if spread[stems] >= needed and not own.issuperset(stems)]:
        lift = spread[stems] / len(here) - beside[stems] / max(1, len(elsewhere))
        if lift > 0 and near[stems] > (FLOOR if len(stems) > 1 else 0):
            rare = sum(map(rarity, stems)) / len(stems)
            yield stems, sum(log1p(page.get(stems, 0)) for page in here) * rare * near[stems] * lift


def _is_technical(stems: Stems, table: PieceTable) -> bool:
    """Tell whether a term is one Latin word that the table spells by several pieces."""
    return len(stems) == 1 and stems[0].isascii() and len(table.cut(stems[0])) > 1


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
# software. What lies below the floor is near nothing that was asked for, and not told at all.


SIZE = 30  # words of each language


def neighbourhood(weighted: Mapping[str, float]) -> Mapping[str, float]:
    """Return the nearest words of each language, the nearest of each weighing 1."""
    return _neighbourhood(tuple(weighted.items()))


@lru_cache(maxsize=64)  # a crawl makes its judge four times
def _neighbourhood(weighted: tuple[tuple[str, float], ...]) -> Mapping[str, float]:
    table, weights = shipped_meaning(), dict(weighted)
    directions = [*map(table.vector, weights), table.direction(weights)]
    found: dict[str, float] = {}
    for rows in table.words:
        near = np.clip((table.nearness(rows, directions) - FLOOR) / (1 - FLOOR), 0, 1)
        closeness = (near[:, :-1] * np.array([*weights.values()])).max(axis=1, initial=0) * near[:, -1]
        best = np.flatnonzero(closeness)[np.argsort(-closeness[closeness > 0], kind="stable")[:SIZE]]
        for row, each in zip(rows[best].tolist(), closeness[best].tolist(), strict=True):
            stems = plain_words(table.pieces[row])
            if len(stems) == 1:
                found.setdefault(stems[0], round(each / float(closeness[best[0]]), 4))
    return found
