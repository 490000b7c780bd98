"""How well a judge ranks the pages of a web and how far its probabilities can be believed."""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Labels = NDArray[np.bool_]

LEAST = 0.1  # probabilities below it are not looked at: nearly all pages have one, and it is right
BINS = 10
TOP = 20


class RankingMeasures(Struct, frozen=True):
    """The measures of one ranking."""

    ap: float
    p20: float
    calibration: float | None
    yes_right: float | None  # of the pages called relevant; None if there are none
    yes_found: float


class CountMeasures(Struct, frozen=True):
    """What a judge says of pages that a crawl has fetched, beside what is true."""

    said: int  # pages called relevant
    true: int  # pages that are
    right: int  # pages called relevant that are

    @property
    def times(self) -> float | None:
        """How many times as many pages are called relevant as there are; None where there are none."""
        return self.said / self.true if self.true else None

    @property
    def precision(self) -> float:
        """The share of the pages called relevant that are."""
        return self.right / max(1, self.said)

    @property
    def recall(self) -> float:
        """The share of the relevant pages that are called so."""
        return self.right / max(1, self.true)

    def __add__(self, other: "CountMeasures") -> "CountMeasures":
        return CountMeasures(self.said + other.said, self.true + other.true, self.right + other.right)


def counts(yes: Labels, relevant: Labels) -> CountMeasures:
    """Return how many pages are called relevant, how many are, and how many are both."""
    return CountMeasures(int(yes.sum()), int(relevant.sum()), int((yes & relevant).sum()))


def bins(scores: Scores, relevant: Labels) -> tuple[tuple[int, int], ...]:
    """Return for each tenth of the probabilities how many pages have it, and how many are relevant."""
    place = np.minimum((np.clip(scores, 0, 1) * BINS).astype(int), BINS - 1)
    every, right = (np.bincount(each, minlength=BINS).tolist() for each in (place, place[relevant]))
    return tuple(zip(every, right, strict=True))


def measure(scores: Scores, relevant: Labels, threshold: float) -> RankingMeasures:
    """Return the measures of one topic's scores."""
    yes = scores >= threshold
    right = int((yes & relevant).sum())
    return RankingMeasures(
        average_precision(scores, relevant),
        float(relevant[np.argsort(-scores, kind="stable")[:TOP]].mean()),
        calibration_error(scores, relevant),
        right / int(yes.sum()) if yes.any() else None,
        right / int(relevant.sum()),
    )


def average_precision(scores: Scores, relevant: Labels) -> float:
    """Return the mean precision at each relevant page; equals stand in the order of the corpus."""
    hits = relevant[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(hits) + 1
    return float((np.arange(1, len(places) + 1) / places).mean())


def calibration_error(scores: Scores, relevant: Labels, least: float = LEAST) -> float | None:
    """Return how far the share of relevant pages is from what was said, over ten bins; None without pages."""
    seen = scores >= least
    if not seen.any():
        return None
    told, true = np.clip(scores[seen], 0, 1), relevant[seen]
    bins = np.minimum((told * BINS).astype(int), BINS - 1)
    missed = [abs(told[bins == each].sum() - true[bins == each].sum()) for each in range(BINS)]
    return float(sum(missed) / seen.sum())


def best_common_threshold(judged: Iterable[tuple[Scores, Scores, Scores]]) -> float:
    """Return the threshold with the best mean F1; given scores, labels and counts of each topic."""
    candidates = np.arange(0.05, 0.95, 0.01)
    found = [[_f1(scores >= each, *rest) for each in candidates] for scores, *rest in judged]
    return round(float(candidates[int(np.argmax(np.mean(found, axis=0)))]), 2)


def _f1(yes: Labels, relevant: Scores, counts: Scores) -> float:
    return float(2 * counts @ (yes * relevant)) / max(1e-9, float(counts @ yes + counts @ relevant))


def f1(yes: Labels, relevant: Labels) -> float:
    """Return the harmonic mean of precision and recall."""
    return float(2 * (yes & relevant).sum() / max(1, yes.sum() + relevant.sum()))
