"""From a query to exactly one concept, by what the seed pages say (the CT-FC crawler's Q:C = 1:1).

    score(c) = cos(context, signature(c)) by shared words + the same by meaning
               + PRIOR / (1 + rank of the sense) + COVERED * share of the query's words that name the concept

The signature of a concept is its gloss and labels, and with less weight those of the concepts beside it. The
words that named a concept tell nothing more and are left out. A query of several words that names nothing as
a whole may be about something beside one word's meaning that its gloss explains by another: a kitten is a
young mammal, as a baby is, and 'a young domestic cat'.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt

from msgspec import Struct

from thresher.core.errors import AmbiguousTopic, SettingsError
from thresher.core.interfaces import Lexicon
from thresher.core.records import Concept, Neighbour
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_vectors

PRIOR = 0.05
COVERED = 0.5
BESIDE, GLOSS_BESIDE = 0.5, 0.3  # the weight of a neighbour's label and of its gloss in a signature
SMALL_MARGIN = 0.05

Weights = dict[str, float]


class Choice(Struct, frozen=True):
    """The concept a query was taken for, and the others it might have been, the likeliest first."""

    concept: Concept
    score: float
    rivals: tuple[tuple[Concept, float], ...] = ()

    @property
    def margin(self) -> float:
        """How far the concept is ahead of the next."""
        return self.score - self.rivals[0][1] if self.rivals else self.score

    @property
    def is_close(self) -> bool:
        """Whether the next concept is nearly as likely."""
        return bool(self.rivals) and self.margin < SMALL_MARGIN


class Named(Struct, frozen=True):
    """A concept, how common it is for the words to mean it, and the words of the query that name it."""

    concept: Concept
    rank: int
    by: frozenset[str]
    explained: frozenset[str] = frozenset()  # further words of the query that its gloss has


def choose(query: str, context: str, lexicon: Lexicon) -> Choice:
    """Return the concept of a query that fits the pooled text of the seed pages best."""
    named_by = candidates(query, lexicon)
    if not named_by:
        raise unknown(query, lexicon)
    around = dict.fromkeys(plain_words(f"{query} {context}"), 1.0)
    asked = frozenset(plain_words(query))
    ranked = sorted(
        ((found.concept, _fit(found, asked, around, lexicon)) for found in named_by),
        key=lambda pair: -pair[1],
    )
    return Choice(ranked[0][0], ranked[0][1], tuple(ranked[1:]))


def unknown(label: str, lexicon: Lexicon) -> SettingsError:
    """Return the error for a label nobody here knows, with the nearest ones in both languages."""
    near = "; ".join(named(concept) for concept in lexicon.nearest(label))
    return SettingsError(f"Nothing here is called {label!r}. The nearest topics: {near}.")


def refuse_a_guess(query: str, choice: Choice, lexicon: Lexicon) -> None:
    """Raise when a query without context may mean several things, with the words that tell them apart."""
    meant = [choice.concept, *(concept for concept, _ in choice.rivals[:5])]
    if len(meant) > 1:
        lines = "".join(f"\n  {named(concept)}: {', '.join(telling(concept, lexicon))}" for concept in meant)
        raise AmbiguousTopic(
            f"{query!r} may mean several things; add some of these words, or seed pages:{lines}"
        )


def candidates(query: str, lexicon: Lexicon) -> list[Named]:
    """Return the concepts a query may mean, each with the words that named it.

    A query that names nothing as a whole is about one of its words, or about what lies beside two of them.
    """
    whole = [
        Named(concept, rank, frozenset(plain_words(query)))
        for rank, concept in enumerate(lexicon.senses(query))
    ]
    if whole:
        return whole
    parts = [part for part in query.split() if plain_words(part)]
    single = [
        Named(concept, rank, frozenset(plain_words(part)))
        for part in parts
        for rank, concept in enumerate(lexicon.senses(part))
    ]
    return single + _between(single, frozenset(plain_words(query)), lexicon)


def signature(concept: Concept, lexicon: Lexicon) -> Weights:
    """Return the words that speak of a concept, with their weights."""
    weights: Weights = {}
    _speak(weights, 1.0, [concept.gloss, *_names(concept)])
    for beside in lexicon.neighbours(concept.id):
        _speak(weights, BESIDE, _names(beside.concept))
        _speak(weights, GLOSS_BESIDE, [beside.concept.gloss])
        if beside.kind == "broader":
            _speak(weights, GLOSS_BESIDE, _relatives(lexicon.neighbours(beside.concept.id)))
    return weights


def telling(concept: Concept, lexicon: Lexicon, several: int = 6) -> list[str]:
    """Return the words that tell a concept from others: the rarest of what is said of it and round it."""
    vectors = shipped_vectors()
    above = [other.concept for other in lexicon.neighbours(concept.id) if other.kind == "broader"]
    text = " ".join([concept.gloss.partition('"')[0], *(name for other in above for name in _names(other))])
    said = {stem[0]: token for token in tokens(fold(text)) if (stem := plain_words(token))}
    said = {
        stem: token
        for stem, token in said.items()
        if stem in vectors and stem not in plain_words(" ".join(_names(concept)))
    }
    return [said[stem] for stem in sorted(said, key=lambda stem: -vectors.rarity(stem))[:several]]


def named(concept: Concept) -> str:
    """Return what to call a concept: its first labels, and where it comes from."""
    labels = list(dict.fromkeys(label for language, label in concept.labels if language != "abbr"))
    return f"{' / '.join(labels[:3])} ({concept.id})"


def _between(single: Sequence[Named], asked: frozenset[str], lexicon: Lexicon) -> list[Named]:
    """Return the concepts beside one word's meanings whose gloss has the query's other words."""
    between: dict[str, Named] = {}
    for found in single:
        for concept in _near(found.concept, lexicon):
            explained = asked & frozenset(plain_words(concept.gloss)) - found.by
            if explained:
                between.setdefault(concept.id, Named(concept, found.rank, found.by, explained))
    known = {found.concept.id for found in single}
    return [found for identity, found in between.items() if identity not in known]


def _near(concept: Concept, lexicon: Lexicon) -> list[Concept]:
    """Return the kinds of a concept, and the kinds of what is one step broader."""
    beside = lexicon.neighbours(concept.id)
    kinds = [other.concept for other in beside if other.kind == "narrower"]
    above = [other.concept for other in beside if other.kind == "broader"]
    return kinds + [
        n.concept for other in above for n in lexicon.neighbours(other.id) if n.kind == "narrower"
    ]


def _fit(found: Named, asked: frozenset[str], around: Mapping[str, float], lexicon: Lexicon) -> float:
    """Return the score of one concept; the words that named it are left out on both sides."""
    said = {
        word: weight for word, weight in signature(found.concept, lexicon).items() if word not in found.by
    }
    context = {word: weight for word, weight in around.items() if word not in found.by}
    here, there = shipped_vectors().direction(context), shipped_vectors().direction(said)
    meaning = float(here @ there) if here is not None and there is not None else 0.0
    covered = len(found.by | found.explained) / len(asked) if asked else 0.0
    return _cosine(context, said) + meaning + PRIOR / (1 + found.rank) + COVERED * covered


def _cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Return the cosine of two lists of words, the rare ones weighing more."""
    rarity = shipped_vectors().rarity
    shared = fsum(left[word] * right[word] * rarity(word) ** 2 for word in left if word in right)
    length = sqrt(
        fsum((weight * rarity(word)) ** 2 for word, weight in left.items())
        * fsum((weight * rarity(word)) ** 2 for word, weight in right.items())
    )
    return shared / length if length else 0.0


def _speak(weights: Weights, weight: float, texts: Iterable[str]) -> None:
    for text in texts:
        for word in plain_words(text):
            weights[word] = max(weight, weights.get(word, 0.0))


def _names(concept: Concept) -> list[str]:
    return [label for language, label in concept.labels if language != "abbr"]


def _relatives(beside: Sequence[Neighbour]) -> list[str]:
    """Return the names of what is broader and narrower: the next rung, and the siblings."""
    return [
        name for other in beside if other.kind in ("broader", "narrower") for name in _names(other.concept)
    ]
