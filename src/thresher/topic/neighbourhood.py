"""The words near a topic in meaning, in both languages: how a topic in English recognises Chinese pages.

A word belongs to the neighbourhood when it is near one of the topic's terms *and* near the topic as a whole:
the first makes "agent" reach spies as well as software, the second leaves spies out of a topic on software.
Words that are near everything are pushed away by their hubness (CSLS, Conneau et al. 2018).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thresher.text.vectors import Floats, Vectors, shipped_vectors
from thresher.topic.build import phrase_words

SIZE = 30  # words of each language
NEAR_A_TERM = 0.6
NEAR_THE_TOPIC = 0.35
PART_OF_A_PHRASE = 0.7  # a word of a phrase stands for the phrase only so much
_USUAL_HUBNESS = 0.6


def neighbourhood(
    weighted: Mapping[str, float], size: int = SIZE, vectors: Vectors | None = None
) -> dict[str, float]:
    """Return the nearest words of each language, the nearest of each weighing 1."""
    vectors = vectors or shipped_vectors()
    directions, weights, centre = _directions(weighted, vectors)
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
        for word, weight in _best(closeness[part], vectors.words[part], size)
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
