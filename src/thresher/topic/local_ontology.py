"""The part of the ontology round one concept, and the lexicon made of what is in it (the CT-FC crawler)."""

from collections.abc import Iterable, Iterator, Mapping

from thresher.core.doors import Lexicon
from thresher.core.records import Concept
from thresher.text.vectors import Floats, shipped_vectors
from thresher.text.words import plain_words

WEIGHT_OF = {"same": 1.0, "narrower": 0.7, "part": 0.6, "member": 0.5, "sibling": 0.3}
"""What belongs to a concept: itself, its kinds, its parts, what its field is about, and its siblings."""

LARGEST = 300  # labels; the lightest are left out
NARROWER_STEPS = 2
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
    centre = shipped_vectors().direction(dict.fromkeys(plain_words(f"{concept.gloss} {_text(concept)}"), 1.0))
    named: dict[str, float] = {}
    for kept, weight in local_ontology(concept, lexicon).values():
        for label in _labels(kept):
            named[label] = max(weight, named.get(label, 0.0))
    translated = {
        other: weight
        for label, weight in named.items()
        for other in lexicon.translations(label)[:3]
        if centre is None or _is_near(other, centre)
    }
    heaviest = sorted({**translated, **named}.items(), key=lambda pair: -pair[1])[:LARGEST]
    return dict(heaviest)


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
