"""The weights of the relevance: those that make the best lists of relevant pages, from 100 pages to the end.

worth of a list = F1 - .05 d,   d = doublings of said / true, too few counting .3 of too many, 3 at most

A likelihood is ruled by shades among the many pages that are not wanted, and where webs differ it flattens
the slopes: lists of exhausted crawls were then three times too long. So the line is searched by its lists:
means over the topics of a web and a stage, then over webs and stages, the end counting twice.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from msgspec import Struct

from thresher.judges.question.features import LogisticModel
from thresher.judges.question.judge import LOWEST
from thresher.judges.question.scale import Sums

START = (0.65, 1.8, 0.7, -1.75)  # logit of the question, above the usual, early; and the constant
STEPS = ((0.15, 0.4, 0.3, 0.3), (0.1, 0.2, 0.15, 0.15))
ROUNDS = 3
GAIN = 2e-4  # that makes a step worth taking
WRONG, TOO_FEW, DOUBLINGS, SPARE = 0.05, 0.3, 3.0, 3
END, TWICE = 0, 2.0  # the stage of a crawl that has met all it can reach

Place = tuple[float, ...]


class FitSample(Struct, frozen=True):
    """Pages that a crawl has met by a stage, with their evidence, labels and what each counts."""

    web: str
    stage: int  # pages met; 0 at the end
    rows: Sums
    labels: Sums
    counts: Sums


def best_line(samples: Sequence[FitSample]) -> LogisticModel:
    """Return the line with the best lists, found along one weight after the other."""
    places = _by_place([each for each in samples if each.labels.any()])

    @cache
    def worth(at: Place) -> float:
        return _worth(places, at)

    at: Place = START
    for steps in STEPS:
        for _ in range(ROUNDS):
            before = at
            for weight, step in enumerate(steps):
                for move in (step, -step):
                    while worth(further := _moved(at, weight, move)) > worth(at) + GAIN:
                        at = further
            if at == before:
                break
    return LogisticModel(at[:-1], at[-1])


def _by_place(samples: Sequence[FitSample]) -> list[tuple[float, list[FitSample]]]:
    """Return the topics of each web and stage, and what that counts."""
    found: dict[tuple[str, int], list[FitSample]] = {}
    for each in samples:
        found.setdefault((each.web, each.stage), []).append(each)
    return [(TWICE if stage == END else 1.0, topics) for (_, stage), topics in found.items()]


def _moved(at: Place, weight: int, by: float) -> Place:
    """Return the place a step away; evidence may not speak against a page."""
    moved = round(at[weight] + by, 3)
    return (*at[:weight], max(0.0, moved) if weight < len(at) - 1 else moved, *at[weight + 1 :])


def _worth(places: Sequence[tuple[float, list[FitSample]]], at: Place) -> float:
    means = [np.mean([worth_of(each, at) for each in topics]) for _, topics in places]
    return float(np.average(means, weights=[counts for counts, _ in places]))


def worth_of(sample: FitSample, at: Place) -> float:
    """Return what the list of one crawl is worth, drawn where the best F1 is to be expected."""
    p = 1 / (1 + np.exp(-np.clip(sample.rows @ np.array(at[:-1]) + at[-1], -30, 30)))
    order = np.argsort(-p)
    wanted, pages = np.cumsum((p * sample.counts)[order]), np.cumsum(sample.counts[order])
    threshold = max(LOWEST, float((2 * wanted / (pages + wanted[-1])).max()) / 2)
    said, true = float(sample.counts @ (p >= threshold)), float(sample.counts @ sample.labels)
    right = float((sample.counts * sample.labels) @ (p >= threshold))
    doublings = float(np.log2((said + SPARE) / (true + SPARE)))
    wrong = min(DOUBLINGS, max(doublings, -TOO_FEW * doublings))
    return 2 * right / max(1.0, said + true) - WRONG * wrong
