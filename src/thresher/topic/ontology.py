"""From a query to exactly one concept, by what the seed pages say (the CT-FC crawler's Q:C = 1:1).

    score(c) = cos(context, signature(c)) by shared words + the same by meaning
               + PRIOR / (1 + rank of the sense) + COVERED * share of the query's words that name the concept

The signature of a concept is its gloss and labels, and with less weight those of the concepts beside it. The
words that named a concept tell nothing more and are left out. A query of several words that names nothing as
a whole may be about something beside one word's meaning that its gloss explains by another: a kitten is a
young mammal, as a baby is, and 'a young domestic cat'.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, sqrt

from msgspec import Struct

from thresher.core.errors import AmbiguousTopic, SettingsError
from thresher.core.interfaces import Lexicon
from thresher.core.records import Concept, KeptConcept, Neighbour
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import Floats, shipped_vectors

PRIOR = 0.05
COVERED = 0.5
BESIDE, GLOSS_BESIDE = 0.5, 0.3  # the weight of a neighbour's label and of its gloss in a signature
SMALL_MARGIN = 0.05

Weights = dict[str, float]


class ConceptChoice(Struct, frozen=True):
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


class ConceptMatch(Struct, frozen=True):
    """A concept, how common it is for the words to mean it, and the words of the query that name it."""

    concept: Concept
    rank: int
    by: frozenset[str]
    explained: frozenset[str] = frozenset()  # further words of the query that its gloss has


def choose(query: str, context: str, lexicon: Lexicon) -> ConceptChoice:
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
    return ConceptChoice(ranked[0][0], ranked[0][1], tuple(ranked[1:]))


def unknown(label: str, lexicon: Lexicon) -> SettingsError:
    """Return the error for an unknown label, with the nearest ones in both languages."""
    near = "; ".join(named(concept) for concept in lexicon.nearest(label))
    return SettingsError(f"Nothing here is called {label!r}. The nearest topics: {near}.")


def refuse_a_guess(query: str, choice: ConceptChoice, lexicon: Lexicon) -> None:
    """Raise when a query without context may mean several things, with the words that tell them apart."""
    meant = [choice.concept, *(concept for concept, _ in choice.rivals[:5])]
    if len(meant) > 1:
        lines = "".join(f"\n  {named(concept)}: {', '.join(telling(concept, lexicon))}" for concept in meant)
        raise AmbiguousTopic(
            f"{query!r} may mean several things; add some of these words, or seed pages:{lines}"
        )


def candidates(query: str, lexicon: Lexicon) -> list[ConceptMatch]:
    """Return the concepts a query may mean, each with the words that named it.

    A query that names nothing as a whole is about one of its words, or about what lies beside two of them.
    """
    whole = [
        ConceptMatch(concept, rank, frozenset(plain_words(query)))
        for rank, concept in enumerate(lexicon.senses(query))
    ]
    if whole:
        return whole
    parts = [part for part in query.split() if plain_words(part)]
    single = [
        ConceptMatch(concept, rank, frozenset(plain_words(part)))
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


def _between(single: Sequence[ConceptMatch], asked: frozenset[str], lexicon: Lexicon) -> list[ConceptMatch]:
    """Return the concepts beside one word's meanings whose gloss has the query's other words."""
    between: dict[str, ConceptMatch] = {}
    for found in single:
        for concept in _near(found.concept, lexicon):
            explained = asked & frozenset(plain_words(concept.gloss)) - found.by
            if explained:
                between.setdefault(concept.id, ConceptMatch(concept, found.rank, found.by, explained))
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


def _fit(found: ConceptMatch, asked: frozenset[str], around: Mapping[str, float], lexicon: Lexicon) -> float:
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


# Local ontology of a topic: the concepts beside the one it is about, and what they are called.
#
# Concepts without a link to the topic's are dropped; the names of those kept are the lexicon (CT-FC, Figure
# 7).


WEIGHT_OF = {"same": 1.0, "narrower": 0.7, "part": 0.6, "member": 0.5, "sibling": 0.3}
"""What belongs to a concept: itself, its kinds, its parts, what its field is about, and its siblings."""

LARGEST = 300  # labels; the lightest are left out
NARROWER_STEPS = 2
MEANINGS = 5  # of a query, whose concepts are kept beside those of the one it is taken for
NEAR_ENOUGH = 0.25  # a translation further from the concept in meaning translates another sense


def local_ontology(concept: Concept, lexicon: Lexicon) -> dict[str, tuple[Concept, float]]:
    """Return the concepts kept, by their ids, each with its weight; all others are dropped."""
    kept: dict[str, tuple[Concept, float]] = {concept.id: (concept, 1.0)}
    for beside, weight in _round(concept, lexicon):
        if weight > kept.get(beside.id, (beside, 0.0))[1]:
            kept[beside.id] = (beside, weight)
    return kept


def lexicon_of(concept: Concept, lexicon: Lexicon) -> dict[str, float]:
    """Return what the kept concepts are called in both languages, the heaviest first."""
    centre = _centre(concept)
    named: dict[str, float] = {}
    for kept, weight in local_ontology(concept, lexicon).values():
        for label in _labels(kept):
            named[label] = max(weight, named.get(label, 0.0))
    translated = {
        other: weight for label, weight in named.items() for other in _translations(label, centre, lexicon)
    }
    heaviest = sorted({**translated, **named}.items(), key=lambda pair: -pair[1])[:LARGEST]
    return dict(heaviest)


def ontology_of(choice: ConceptChoice, lexicon: Lexicon, meanings: int = MEANINGS) -> tuple[KeptConcept, ...]:
    """Return the local ontology of the chosen concept, then those of what the query may mean as well."""
    meant = [choice.concept, *(concept for concept, _ in choice.rivals)][:meanings]
    return tuple(
        kept for place, concept in enumerate(meant) for kept in kept_concepts(concept, lexicon, place)
    )


def kept_concepts(concept: Concept, lexicon: Lexicon, meaning: int = 0) -> list[KeptConcept]:
    """Return the concepts of a local ontology with their names in both languages, the heaviest first."""
    kept = sorted(local_ontology(concept, lexicon).values(), key=lambda pair: -pair[1])
    centre = _centre(concept)
    return [
        KeptConcept(tuple(_called(each, centre, lexicon)), weight, meaning)
        for each, weight in kept
        if _labels(each)
    ]


def named_by(
    ontology: Iterable[KeptConcept], concepts: int = 0, synonyms: bool = True, meanings: int = 1
) -> dict[str, float]:
    """Return the lexicon of a local ontology, or of a part of it: so many concepts of so many meanings.

    Without synonyms a concept has one name in each language.
    """
    lexicon: dict[str, float] = {}
    taken = [0] * meanings
    for concept in ontology:
        if concept.meaning >= meanings or 0 < concepts <= taken[concept.meaning]:
            continue
        taken[concept.meaning] += 1
        for name in concept.names if synonyms else _main_names(concept.names):
            lexicon[name] = max(concept.weight, lexicon.get(name, 0.0))
    return lexicon


def names_of(concept: Concept, lexicon: Lexicon) -> dict[str, str]:
    """Return the main label of a concept in each language, translated by the dictionary where it has none."""
    labels: dict[str, str] = {}
    for language, label in concept.labels:
        if language != "abbr":
            labels.setdefault(language, label)
    missing = {"en", "zh"} - labels.keys()
    known = next(iter(labels.values()), "")
    for language in sorted(missing):
        found = next(iter(_telling_translations(known, concept, lexicon)), "")
        labels.update({language: found} if found else {})
    return labels


def _round(
    concept: Concept, lexicon: Lexicon, steps: int = NARROWER_STEPS
) -> Iterator[tuple[Concept, float]]:
    """Yield the concepts beside one with their weights: kinds two steps down, siblings one step over."""
    for beside in lexicon.neighbours(concept.id):
        if beside.kind in WEIGHT_OF:
            yield beside.concept, WEIGHT_OF[beside.kind]
        if beside.kind == "narrower" and steps > 1:
            yield from (
                (far, weight * WEIGHT_OF["narrower"])
                for far, weight in _round(beside.concept, lexicon, steps - 1)
            )
        if beside.kind == "broader" and steps == NARROWER_STEPS:
            siblings = [near for near in lexicon.neighbours(beside.concept.id) if near.kind == "narrower"]
            yield from (
                (sibling.concept, WEIGHT_OF["sibling"])
                for sibling in siblings
                if sibling.concept.id != concept.id
            )


def _telling_translations(label: str, concept: Concept, lexicon: Lexicon) -> list[str]:
    """Return the translations of a label, those nearest to what the concept is about first."""
    near = shipped_vectors().similarity
    about = plain_words(f"{concept.gloss} {_text(concept)}")
    return sorted(lexicon.translations(label), key=lambda other: -near(plain_words(other), about))


def _centre(concept: Concept) -> Floats | None:
    """Return the direction of what is said of a concept."""
    return shipped_vectors().direction(dict.fromkeys(plain_words(f"{concept.gloss} {_text(concept)}"), 1.0))


def _translations(label: str, centre: Floats | None, lexicon: Lexicon) -> list[str]:
    """Return what a label is called in the other language, as far as that lies near a concept."""
    found = lexicon.translations(label)[:3]
    return [other for other in found if centre is None or _is_near(other, centre)]


def _called(concept: Concept, centre: Floats | None, lexicon: Lexicon) -> Iterable[str]:
    """Return the names of a concept, each once: its labels, then how these are translated."""
    labels = _labels(concept)
    return dict.fromkeys(
        [*labels, *(other for label in labels for other in _translations(label, centre, lexicon))]
    )


def _main_names(names: Sequence[str]) -> list[str]:
    """Return the first name of each language."""
    return list({name.isascii(): name for name in reversed(names)}.values())


def _is_near(label: str, centre: Floats) -> bool:
    direction = shipped_vectors().direction(dict.fromkeys(plain_words(label), 1.0))
    return direction is not None and float(direction @ centre) >= NEAR_ENOUGH


def _labels(concept: Concept) -> list[str]:
    return [label for language, label in concept.labels if language != "abbr"]


def _text(concept: Concept) -> str:
    return " ".join(_labels(concept))


def heaviest(weights: Mapping[str, float], several: int) -> Iterable[tuple[str, float]]:
    """Return the heaviest entries of a lexicon, in order."""
    return sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:several]
