"""Every judge on every labelled web at four efforts: how well it tells pages apart, given what is typed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.judges import DEFAULT_JUDGE, own_threshold
from thresher.judges.question.features import Effort, Weights, WeightSet
from thresher.judges.question.judge import best_threshold
from thresher.lab.evidence_table import EvidenceTable
from thresher.lab.judged_topic import learned, pages_met, probabilities, ranked
from thresher.lab.judged_web import JudgedTopic
from thresher.lab.measures_of_judges import calibration_error, f1, measure
from thresher.lab.tables import Grid

Scores = NDArray[np.float64]

QUESTION = "question"
HALF = 0.5
ORDERS = ("breadth_first", "focused")


class JudgeRow(Struct, frozen=True):
    """How well one judge told the pages of one topic apart.

    Calibration is over all topics of the web together. Yes is what has 0.5 or more where the judge gives
    probabilities, and what reaches the judge's own threshold otherwise; F1 is at its own threshold.
    """

    corpus: str
    topic: str
    effort: str
    judge: str
    default: bool
    pages: int  # met on the way
    order: str  # in which: none, breadth_first, focused
    ap: float
    p20: float
    calibration: float | None
    calibration_of_topic: float | None
    yes_right: float | None
    yes_found: float
    f1: float
    threshold: float


class Asked(Struct, frozen=True):
    """One column of the table: a judge at an effort, after so many pages in some order."""

    effort: Effort
    judge: str
    pages: int = 0
    order: str = "none"


def columns(efforts: Sequence[Effort], judges: Sequence[str], pages: Sequence[int]) -> list[Asked]:
    """Return what is to be measured; only the judge that learns is asked again after pages were met."""
    found = [Asked(effort, judge) for effort in efforts for judge in judges if 0 in pages]
    learns = [(effort, most) for effort in efforts for most in pages if most and QUESTION in judges]
    return found + [Asked(effort, QUESTION, most, order) for effort, most in learns for order in ORDERS]


def bench(table: EvidenceTable, asked: Sequence[Asked], weights: Weights) -> Iterator[JudgeRow]:
    """Yield the rows of one web, judged by weights that never saw its labels."""
    fitted = weights.for_web(table.web.name)
    for each in asked:
        if each.judge == "examples" and each.effort is not Effort.EXAMPLES:
            continue
        judged = [(topic, _judged(table, topic, each, fitted)) for topic in table.web.topics]
        pooled = calibration_error(
            np.concatenate([found.scores for _, found in judged]),
            np.concatenate([found.relevant for _, found in judged]),
        )
        for topic, found in judged:
            yield _row(table.web.name, topic, each, found, pooled)


class Judged(NamedTuple):
    """The scores of the pages that are ranked, their labels, and from which score on they are relevant."""

    scores: Scores
    relevant: NDArray[np.bool_]
    threshold: float


def _judged(table: EvidenceTable, topic: JudgedTopic, asked: Asked, weights: WeightSet) -> Judged:
    """Return what a judge makes of the pages of a topic."""
    kept = ranked(topic, asked.effort, len(table.web.pages))
    if asked.judge != QUESTION:
        scores, own = table.scores[topic.entry.id, asked.effort, asked.judge], own_threshold(asked.judge)
    else:
        scores, own = _asked(table, topic, asked, weights)
    return Judged(scores[kept], topic.relevant[kept], own)


def _asked(
    table: EvidenceTable, topic: JudgedTopic, asked: Asked, weights: WeightSet
) -> tuple[Scores, float]:
    """Return the probabilities by the question, and the threshold that the pages met lead to."""
    answer = probabilities(table, topic, asked.effort, weights)
    if not asked.pages:
        return answer, weights.threshold
    met = pages_met(table, topic, asked.effort, answer, asked.order, asked.pages)
    scores = learned(table, topic, asked.effort, weights, met)
    return scores, best_threshold(scores[met].tolist(), weights.threshold)


def _row(corpus: str, topic: JudgedTopic, asked: Asked, judged: Judged, pooled: float | None) -> JudgeRow:
    scores, relevant, own = judged
    found = measure(scores, relevant, HALF if asked.judge == QUESTION else own)
    return JudgeRow(
        corpus=corpus,
        topic=topic.entry.id,
        effort=asked.effort.value,
        judge=asked.judge,
        default=asked.judge == DEFAULT_JUDGE,
        pages=asked.pages,
        order=asked.order,
        ap=found.ap,
        p20=found.p20,
        calibration=pooled,
        calibration_of_topic=found.calibration,
        yes_right=found.yes_right,
        yes_found=found.yes_found,
        f1=f1(scores >= own, relevant),
        threshold=own,
    )


def summary(rows: Sequence[JudgeRow]) -> Grid:
    """Return the means over topics, then over webs."""
    corpora = tuple(dict.fromkeys(row.corpus for row in rows))
    keys = dict.fromkeys((row.effort, row.judge, row.pages, row.order) for row in rows)
    heads = ("given", "judge", "pages met", "AP", "P@20", "calibration", "yes right", "found", "F1", *corpora)
    lines = []
    for key in keys:
        some = [row for row in rows if (row.effort, row.judge, row.pages, row.order) == key]
        means = [_mean_of(some, name, corpora) for name in MEASURES]
        by_web = [_mean([row.ap for row in some if row.corpus == corpus]) for corpus in corpora]
        met = f"{key[2]} {key[3].replace('_', '-')}" if key[2] else "0"
        lines.append((key[0], key[1], met, *(f"{value:.3f}" for value in (*means, *by_web))))
    return Grid("Means over topics, then webs; the webs' columns are average precision", heads, tuple(lines))


MEASURES = ("ap", "p20", "calibration", "yes_right", "yes_found", "f1")


def _mean_of(rows: Sequence[JudgeRow], name: str, corpora: Sequence[str]) -> float:
    return _mean([_mean([getattr(row, name) for row in rows if row.corpus == c]) for c in corpora])


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and value == value]
    return float(np.mean(known)) if known else float("nan")
