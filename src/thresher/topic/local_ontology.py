"""Local ontology of a topic: the concepts beside the one it is about, and what they are called.

Concepts without a link to the topic's are dropped; the names of those kept are the lexicon (CT-FC, Figure 7).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from thresher.core.interfaces import Lexicon
from thresher.core.records import Concept, KeptConcept
from thresher.text.tokenize import plain_words
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.ontology import Choice

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


def ontology_of(choice: Choice, lexicon: Lexicon, meanings: int = MEANINGS) -> tuple[KeptConcept, ...]:
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
