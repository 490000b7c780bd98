"""The weights of the relevance: those that make the best lists of relevant pages, from 100 pages to the end.

worth of a list = F1 - .03 d^2,   d = doublings of said / true, too few counting .2 of too many, 3 at most

A likelihood is ruled by shades among the many pages that are not wanted, and where webs differ it flattens
the slopes: lists of exhausted crawls were then three times too long. So the line is searched by its lists:
means over the topics of a web and a stage, then over webs and stages, the end counting twice. One line for
all that a person may give: lines of their own, each by a quarter of the lists, wander more from web to web.
It starts where crawls of the practice web, of which nothing is fitted, have good lists, too, and leaves that
place only for what is clearly better, since nearly as good lines lie far apart.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from thresher.judges.question.features import LogisticModel
from thresher.judges.question.judge import THRESHOLD, expected_threshold
from thresher.judges.question.scale import Sums

Place = tuple[float, ...]

START: Place = (0.6, 1.5, 1.3, -1.9)  # logit of the question, above the usual, early; and the constant
MOVES: Sequence[Place] = (
    (0.5, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.5, -1.0),  # the end alone, with the beginning as it is
)
STEPS, ROUNDS = (0.2, 0.1), 6
GAIN = 2e-3  # that makes a step worth taking: less is what one web more or less would change
WRONG, TOO_FEW, DOUBLINGS, SPARE = 0.03, 0.2, 3.0, 3
END, TWICE = 0, 2.0  # the stage of a crawl that has met all it can reach


class FitSample(Struct, frozen=True):
    """Pages that a crawl has met by a stage, with their evidence, labels and what each counts."""

    web: str
    stage: int  # pages met; 0 at the end
    rows: Sums
    labels: Sums
    counts: Sums


class ListFit:
    """The lists that lines make of some samples; each line is measured once."""

    def __init__(self, samples: Iterable[FitSample]) -> None:
        """Leave out lists on which nothing is right."""
        self._samples = [each for each in samples if each.labels.any()]
        self._worths: dict[Place, Sums] = {}

    def line(self, without: str = "") -> LogisticModel:
        """Return the line with the best lists on all webs but one, found along one move after the other."""
        shares, at = self._shares(without), START
        for step in STEPS:
            for _ in range(ROUNDS):
                before = at
                for move in MOVES:
                    for by in (step, -step):
                        at = self._walked(at, np.array(move) * by, shares)
                if at == before:
                    break
        return LogisticModel(at[:-1], at[-1])

    def _walked(self, at: Place, move: Sums, shares: Sums) -> Place:
        """Return the place after as many moves as are worth taking; evidence may not speak against a page."""
        while min((further := _rounded(np.array(at) + move))[:-1]) >= 0:
            if self._worth(further) @ shares <= self._worth(at) @ shares + GAIN:
                break
            at = further
        return at

    def _shares(self, without: str) -> Sums:
        """Return what each list counts: webs and stages the same, but the end twice."""
        places = [(each.web, each.stage) for each in self._samples]
        shares = [
            (web != without) * (TWICE if stage == END else 1.0) / places.count((web, stage))
            for web, stage in places
        ]
        return np.array(shares) / sum(shares)

    def _worth(self, at: Place) -> Sums:
        if at not in self._worths:
            self._worths[at] = np.array([worth_of(each, at) for each in self._samples])
        return self._worths[at]


def _rounded(at: Sums) -> Place:
    return tuple(round(value, 3) for value in at.tolist())


def worth_of(sample: FitSample, at: Place) -> float:
    """Return what the list of one crawl is worth, drawn where the best F1 is to be expected."""
    p = 1 / (1 + np.exp(-np.clip(sample.rows @ np.array(at[:-1]) + at[-1], -30, 30)))
    yes = p >= expected_threshold(p, sample.counts, THRESHOLD)
    said, true = float(sample.counts @ yes), float(sample.counts @ sample.labels)
    right = float((sample.counts * sample.labels) @ yes)
    doublings = float(np.log2((said + SPARE) / (true + SPARE)))
    doublings = min(DOUBLINGS, max(-DOUBLINGS, doublings))
    wrong = WRONG * doublings**2 * (1.0 if doublings > 0 else TOO_FEW)
    return 2 * right / max(1.0, said + true) - wrong
