"""Several opinions of what waits, mixed by the logarithms of their ranks; who was right counts for more.

    price  = sum over experts of weight * said,    said = log((n + 1) / rank) / log(n + 2)
    weight = weight * exp(SPEED * (label - usual label) * (said - what all experts said together))

The learner alone errs where the judge does. Order of arrival, topical parents, words, and what page, section,
host and folder brought err elsewhere. A rank has no scale, so none of them can shout the others down.
"""

import numpy as np
from numpy.typing import NDArray

from thresher.strategies.learned.features import (
    ANCHOR,
    ANCHOR_MEANING,
    FOLDER,
    HEADING,
    HEADING_MEANING,
    HEADING_WORDS,
    HOST,
    MEAN,
    PAGE,
    SECTION,
    URL,
    URL_MEANING,
)

Floats = NDArray[np.float64]
Arrivals = NDArray[np.int32]

EXPERTS = {
    "learner": "what the regression makes of its evidence",
    "arrival": "how early it was first mentioned",
    "parents": "how topical the pages are that mention it",
    "words": "the words of its anchors, its URL and the headings it stands under",
    "page": "what other links of the same page brought",
    "places": "what its section, heading, host and folder brought",
}
"""Who is asked, and what each goes by."""

LEARNER = 0.5  # what the learner weighs at first; the others share the rest
SPEED = 1.0
LEAST = 0.02  # no expert weighs less: it may be right again
FEWEST = 10  # what must wait before a rank says anything


class Experts:
    """What each expert weighs, and how each ranked what waited at the last fit."""

    def __init__(self, learner: float = LEARNER, speed: float = SPEED) -> None:
        """Trust the learner by so much and the others alike, and learn at that speed who was right."""
        others = len(EXPERTS) - 1
        self._speed = speed
        self.weights: Floats = np.array([learner] + [(1 - learner) / others] * others)
        self.ranked: Floats = np.zeros((len(EXPERTS), 0))
        self.changed = False

    def rank(self, opinions: Floats) -> None:
        """Take these for what waits; others are ranked among them."""
        self.ranked, self.changed = np.sort(opinions, axis=1), True

    @property
    def are_ready(self) -> bool:
        """Whether enough waited for a rank to say anything."""
        return bool(self.ranked.shape[1] >= FEWEST)

    def mix(self, opinions: Floats) -> Floats:
        """Return what all say together; before there are ranks, what the learner does."""
        return np.asarray(self.weights @ self.said(opinions)) if self.are_ready else opinions[0]

    def learn(self, opinions: Floats, gain: float) -> None:
        """Let a visit, which brought so much more than usual, show who was right."""
        if not self.are_ready:
            return
        said = self.said(opinions)[:, 0]
        weights = self.weights * np.exp(self._speed * gain * (said - self.weights @ said))
        weights = np.maximum(weights / weights.sum(), LEAST)
        self.weights = weights / weights.sum()

    def said(self, opinions: Floats) -> Floats:
        """Return the logarithms of ranks, 1 for the best; equals have the middle of their ranks."""
        several = self.ranked.shape[1]
        below = np.empty_like(opinions)
        for place, (known, values) in enumerate(zip(self.ranked, opinions, strict=True)):
            below[place] = known.searchsorted(values) + known.searchsorted(values, "right")
        said: Floats = np.log((several + 1) / (several - below / 2 + 1)) / np.log(several + 2)
        return said


def opinions_of(evidence: Floats, arrivals: Arrivals, learned: Floats) -> Floats:
    """Return what each expert thinks of rows, on a scale of its own."""
    column = evidence.T
    words = np.maximum(np.maximum(column[ANCHOR], column[URL]), column[HEADING_WORDS])
    meaning = np.maximum(np.maximum(column[ANCHOR_MEANING], column[URL_MEANING]), column[HEADING_MEANING])
    found = np.empty((len(EXPERTS), len(evidence)))  # to stack them takes twice as long
    found[0] = learned
    found[1] = -arrivals.astype(np.float64)
    found[2] = column[MEAN]
    found[3] = words + 0.5 * meaning
    found[4] = column[PAGE]
    found[5] = column[SECTION] + column[HEADING] + column[HOST] + column[FOLDER]
    return found
