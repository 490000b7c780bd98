"""Words that belong to a topic: those worth adding, and those near it in meaning."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log, log1p

import numpy as np
from msgspec import Struct

from thresher.core.interfaces import Lexicon
from thresher.core.records import Topic
from thresher.text.languages import PLAIN
from thresher.text.meaning import PieceTable, shipped_meaning
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_vectors
from thresher.topic.question import phrase_of

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


# Other words for a topic of which nothing certain was found: what pages say in one breath with all of it.
#
#     weight(t) = log(1 + sentences) * log(1 + pages) * log(share here / share elsewhere) * likeness
#     here      the sentences that have every word of the name; likeness: of the term to the name, in meaning
#
# Where no sentence has them all, the rarest word of the name stands for it, if pages have that. What the
# knowledge calls the one thing that the name may mean goes before.


FEWEST = 2  # pages that have a term: fewer are chance
ALIKE, OF_ITS_WORDS = 0.45, 0.84  # likeness from which on a term is proposed; with a word of the name
RARE = 6.0  # from which on a word of the name may stand for it
LONGEST = 30_000  # letters of a page that are read
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？；]|\n+")


def other_words(texts: Sequence[str], topic: Topic, lexicon: Lexicon, several: int = 3) -> list[str]:
    """Return what else a topic may be called, by its pages and the knowledge, the likeliest first."""
    own = phrase_of(topic.name, topic.language or PLAIN).words
    chosen = [frozenset(plain_words(phrase)) for phrase in (topic.name, *topic.keywords)]
    cut = [fold(text[:LONGEST]) for text in texts]
    senses = lexicon.senses(topic.name)
    labels = senses[0].labels if len(senses) == 1 else ()
    names = [label for tag, label in labels if tag != "abbr" and label.isascii() == topic.name.isascii()]
    said = [*names, *(_beside(cut, topic.name, own) or _rarest(cut, own))]
    words: dict[frozenset[str], str] = {}
    for each in map(fold, said):
        stems = frozenset(plain_words(each))
        if stems and stems not in chosen and not any(stems <= other or other <= stems for other in words):
            words[stems] = each
    return list(words.values())[:several]


def _beside(texts: Sequence[str], name: str, own: Sequence[str]) -> list[str]:
    """Return what sentences that have all of the words are likeliest to have besides, the likeliest first."""
    sentences = [(page, each) for page, text in enumerate(texts) for each in _SENTENCE.split(text)]
    here = [(page, each) for page, each in sentences if own and all(_stands_in(word, each) for word in own)]
    found = Counter[str]()
    pages: dict[str, set[int]] = {}
    for page, sentence in here:
        terms = _terms(word.strip("'") for word in tokens(sentence))
        for form in {form for stems, form in terms if not {*own}.issuperset(stems)}:
            found[form] += 1
            pages.setdefault(form, set()).add(page)
    weights = {}
    for form in [form for form in found if len(pages[form]) >= FEWEST]:
        partly = any(_stands_in(word, form) for word in own)
        elsewhere = sum(text.count(form) for text in texts) - found[form]
        lift = (found[form] + 0.5) * (len(sentences) + 1) / ((len(here) + 1) * (max(0, elsewhere) + 0.5))
        like = shipped_meaning().similarity(form, name)
        enough = ALIKE if not partly else OF_ITS_WORDS if form.isascii() else 1.0
        if lift > 1 and like >= enough and fold(name) not in form:
            weights[form] = log1p(found[form]) * log1p(len(pages[form])) * log(lift) * like
    return sorted(weights, key=lambda form: (-weights[form], form))


def _rarest(texts: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the rarest of several words, as it is written, if pages have it."""
    rarest = max(own, key=shipped_vectors().rarity, default="")
    if len(own) < 2 or shipped_vectors().rarity(rarest) < RARE:
        return []
    forms = (form for text in texts if rarest[:4] in text for form in {*tokens(text)})
    written = Counter(form for form in forms if rarest in (form, *plain_words(form)))
    return [form for form, count in written.most_common(1) if count >= FEWEST]


def _stands_in(word: str, text: str) -> bool:
    """Tell whether a text has a word, as far as its beginning tells."""
    return word[:5] in text if word.isascii() else word in text


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
            piece = table.pieces[row]
            stems = plain_words(piece) if piece.isascii() else [table.chinese.get(row, "")]
            if len(stems) == 1 and stems[0]:
                found.setdefault(stems[0], round(each / float(closeness[best[0]]), 4))
    return found
