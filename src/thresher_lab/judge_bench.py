"""Judges on labelled webs: how well each tells pages apart, and the weights of the default judge."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.judges import DEFAULT_JUDGE, own_threshold
from thresher.judges.question.features import (
    COLUMNS,
    Effort,
    EffortWeights,
    JudgeWeights,
    LogisticModel,
    WeightSet,
)
from thresher.judges.question.judge import best_threshold
from thresher.text.vectors import Floats
from thresher_lab.judge_data import (
    EvidenceTable,
    JudgedTopic,
    applied,
    learned,
    learned_rows,
    pages_met,
    probabilities,
    ranked,
)
from thresher_lab.judge_measures import (
    CountMeasures,
    best_common_threshold,
    bins,
    calibration_error,
    counts,
    f1,
    measure,
)
from thresher_lab.list_fit import END, FitSample, ListFit

# Every judge on every labelled web at four efforts: how well it tells pages apart, given what is typed.


Scores = NDArray[np.float64]

QUESTION = "question"
HALF = 0.5
ORDERS = ("breadth_first", "focused")
ALL = sys.maxsize  # pages: as far as links lead


class JudgeRow(Struct, frozen=True):
    """How well one judge told the pages of one topic apart.

    Calibration is over all topics of the web together. Yes is what has 0.5 or more where the judge gives
    probabilities, and what reaches the judge's own threshold otherwise; F1 is at its own threshold. All that
    is of every page of the web, but counts and bins of those that were met: of what a crawl would tell.
    """

    corpus: str
    topic: str
    effort: str
    judge: str
    default: bool
    pages: int | str  # met on the way: so many, or "all" that links lead to
    order: str  # in which: none, breadth_first, focused
    ap: float
    p20: float
    calibration: float | None
    calibration_of_topic: float | None
    yes_right: float | None
    yes_found: float
    f1: float
    threshold: float
    met: int  # pages
    counts: CountMeasures  # at the judge's own threshold
    bins: tuple[tuple[int, int], ...]  # of ten: pages with this probability, and how many are relevant


class JudgeColumn(Struct, frozen=True):
    """One column of the table: a judge at an effort, after so many pages in some order."""

    effort: Effort
    judge: str
    pages: int = 0
    order: str = "none"


def columns(efforts: Sequence[Effort], judges: Sequence[str], pages: Sequence[int]) -> list[JudgeColumn]:
    """Return what is to be measured; only the judge that learns is asked again after pages were met."""
    found = [JudgeColumn(effort, judge) for effort in efforts for judge in judges if 0 in pages]
    learns = [(effort, most) for effort in efforts for most in pages if most and QUESTION in judges]
    return found + [JudgeColumn(effort, QUESTION, most, order) for effort, most in learns for order in ORDERS]


def bench(table: EvidenceTable, asked: Sequence[JudgeColumn], weights: JudgeWeights) -> Iterator[JudgeRow]:
    """Yield the rows of one web, judged by weights that never saw its labels."""
    fitted = weights.for_web(table.web.name)
    for each in asked:
        judged = [(topic, _judged(table, topic, each, fitted)) for topic in table.web.topics]
        pooled = calibration_error(
            np.concatenate([found.scores for _, found in judged]),
            np.concatenate([found.relevant for _, found in judged]),
        )
        for topic, found in judged:
            yield _row(table.web.name, topic, each, found, pooled)


class ScoredPages(NamedTuple):
    """The scores of the pages that are ranked, their labels, and from which score on they are relevant."""

    scores: Scores
    relevant: NDArray[np.bool_]
    threshold: float
    met: NDArray[np.bool_]  # the pages that are counted


def _judged(table: EvidenceTable, topic: JudgedTopic, asked: JudgeColumn, weights: WeightSet) -> ScoredPages:
    """Return what a judge makes of the pages of a topic."""
    kept = ranked(topic, asked.effort, len(table.web.pages))
    if asked.judge == QUESTION:
        scores, own, met = _asked(table, topic, asked, weights)
    else:
        scores, own = table.scores[topic.entry.id, asked.effort, asked.judge], own_threshold(asked.judge)
        met = np.ones(len(scores), bool)
    return ScoredPages(scores[kept], topic.relevant[kept], own, met[kept])


def _asked(
    table: EvidenceTable, topic: JudgedTopic, asked: JudgeColumn, weights: WeightSet
) -> tuple[Scores, float, NDArray[np.bool_]]:
    """Return the probabilities by the question, the threshold that the pages met lead to, and those pages."""
    answer = probabilities(table, topic, asked.effort, weights)
    if not asked.pages:
        return answer, weights.threshold, np.ones(len(answer), bool)
    met = pages_met(table, topic, asked.effort, answer, asked.order, asked.pages)
    scores = learned(table, topic, asked.effort, weights, met)
    is_met = np.zeros(len(answer), bool)
    is_met[met] = True
    return scores, best_threshold(scores[met].tolist(), weights.threshold), is_met


def _row(
    corpus: str, topic: JudgedTopic, asked: JudgeColumn, judged: ScoredPages, pooled: float | None
) -> JudgeRow:
    scores, relevant, own, met = judged
    found = measure(scores, relevant, HALF if asked.judge == QUESTION else own)
    return JudgeRow(
        corpus=corpus,
        topic=topic.entry.id,
        effort=asked.effort.value,
        judge=asked.judge,
        default=asked.judge == DEFAULT_JUDGE,
        pages="all" if asked.pages == ALL else asked.pages,
        order=asked.order,
        ap=found.ap,
        p20=found.p20,
        calibration=pooled,
        calibration_of_topic=found.calibration,
        yes_right=found.yes_right,
        yes_found=found.yes_found,
        f1=f1(scores >= own, relevant),
        threshold=own,
        met=int(met.sum()),
        counts=counts((scores >= own) & met, relevant & met),
        bins=bins(scores[met], relevant[met]) if asked.judge == QUESTION else (),
    )


# The weights of the default judge, fitted on labelled webs: on all of them, and without each in turn.
#
# Every topic weighs the same. Evidence may only speak for a page and lists only against it: without that the
# fit on a few webs is nonsense. The ridge is per standard deviation; then slope and constant are fitted again
# without it (Platt 1999), or the probabilities would be too timid.


Array = NDArray[np.float64]
Labels = NDArray[np.bool_]

RIDGE = {Effort.NAME: 0.005, Effort.KEYWORDS: 0.01, Effort.DESCRIPTION: 0.01, Effort.EXAMPLES: 0.002}
RIDGE_OF_FEEDBACK = 1e-4
AGAINST = frozenset({"anchors", "list"})
FREE = frozenset({"meaning"})
SOME = 0.2  # of the pages that are not relevant: more change nothing
STEPS = 60
DIGITS = 5  # of the figures that are shipped
FIT_ORDERS = ("breadth_first", "focused")
MET = (100, 300, 1_000, 3_000)  # pages, and all that links lead to
EARLY = 300  # pages; a priority is worth most while a crawl is young
LANGUAGES = ("en", "zh")


class EvidenceSample(NamedTuple):
    """The evidence of some pages of one topic, with their labels and what each counts."""

    rows: Array
    labels: Array
    counts: Array


def sample(rows: Array, labels: Labels) -> EvidenceSample:
    """Return evidence in which the pages that are not relevant count for those that were left out."""
    counts = np.where(labels, 1.0, 1 / SOME)
    return EvidenceSample(rows, labels.astype(float), counts / counts.sum())


def fit(samples: Sequence[EvidenceSample], signs: Sequence[int], ridge: float) -> LogisticModel:
    """Return the logistic regression with the least loss whose weights have these signs; 0: either."""
    rows = np.vstack([each.rows for each in samples])
    labels = np.concatenate([each.labels for each in samples])
    counts = np.concatenate([each.counts for each in samples]) / len(samples)
    mean = counts @ rows / counts.sum()
    spread = np.sqrt(counts @ (rows - mean) ** 2 / counts.sum()) + 1e-6
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    found = _descend(scaled, labels, counts, np.array([*signs, 0]), ridge)
    weights = found[:-1] / spread
    return LogisticModel(_rounded(weights), round(float(found[-1] - weights @ mean), DIGITS))


def _rounded(values: NDArray[np.floating]) -> tuple[float, ...]:
    return tuple(round(value, DIGITS) for value in values.tolist())


def _descend(rows: Array, labels: Array, counts: Array, signs: NDArray[np.int64], ridge: float) -> Array:
    """Return the minimum, by Newton's steps among the weights that are free to move (Bertsekas 1982)."""
    at = np.zeros(rows.shape[1])
    penalty = np.append(np.full(rows.shape[1] - 1, 2 * ridge), 0.0)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(rows @ at, -30, 30)))
        slope = rows.T @ (counts * (p - labels)) + penalty * at
        held = (at == 0) & (signs * slope > 0) & (signs != 0)
        curve = (rows * (counts * p * (1 - p))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        step = np.zeros(len(at))
        step[~held] = np.linalg.solve(curve[np.ix_(~held, ~held)], slope[~held])
        moved = _within(at, step, signs, lambda v: _loss(rows, labels, counts, penalty, v))
        if np.abs(moved - at).max() < 1e-7:
            break
        at = moved
    return at


def _within(at: Array, step: Array, signs: NDArray[np.int64], loss: Callable[[Array], float]) -> Array:
    """Return the next place: the whole step, or less of it, with the signs kept."""
    before, share = loss(at), 1.0
    while share > 1e-6:
        moved = at - share * step
        moved[(signs != 0) & (signs * moved < 0)] = 0.0
        if loss(moved) <= before:
            return moved
        share /= 2
    return at


def _loss(rows: Array, labels: Array, counts: Array, penalty: Array, at: Array) -> float:
    z = rows @ at
    return float(counts @ (np.logaddexp(0, z) - labels * z) + 0.5 * penalty @ (at * at))


class Told(NamedTuple):
    """What weights that never saw its web say of a topic: for the second regression and the threshold."""

    web: str
    relevance: list[FitSample]  # of the pages met at every effort, as a crawl goes on to its end
    contrast: dict[Effort, list[EvidenceSample]]  # of all pages, early in a crawl
    named: list[tuple[Array, Labels]]  # the probabilities by the name alone, before and after pages are met


def fit_weights(tables: Sequence[EvidenceTable]) -> JudgeWeights:
    """Return weights fitted on all webs, and for each web those fitted without it."""
    names = [table.web.name for table in tables]
    asked = {left: _fit_asked([t for t in tables if t.web.name != left], tables) for left in (*names, "")}
    told = [_told(table, topic, asked[table.web.name]) for table, topic in _topics(tables)]
    lists = ListFit(sample for each in told for sample in each.relevance)
    sets = {
        left: _with_feedback(asked[left], lists.line(left), [each for each in told if each.web != left])
        for left in asked
    }
    return JudgeWeights(sets.pop(""), sets)


def _fit_asked(tables: Sequence[EvidenceTable], every: Sequence[EvidenceTable]) -> WeightSet:
    """Return what the question alone is worth."""
    means = mean_pages(tables, every)
    lines = {effort: _question_line(tables, effort, means) for effort in Effort}
    nothing = LogisticModel((1.0, 0.0, 0.0), 0.0)
    return WeightSet(
        {effort.value: EffortWeights(line, nothing, nothing) for effort, line in lines.items()},
        {language: _rounded(mean) for language, mean in means.items()},
    )


def mean_pages(tables: Sequence[EvidenceTable], instead: Sequence[EvidenceTable]) -> dict[str, Floats]:
    """Return the mean direction of the pages of each language; if its only web is left out, of that one."""
    means: dict[str, Floats] = {}
    for language in LANGUAGES:
        speaks = [table for table in tables if language in table.web.languages]
        speaks = speaks or [table for table in instead if language in table.web.languages]
        if speaks:
            means[language] = np.asarray(np.mean([t.mean_page() for t in speaks], axis=0), "f4")
    return means


def _question_line(
    tables: Sequence[EvidenceTable], effort: Effort, means: Mapping[str, Floats]
) -> LogisticModel:
    """Return the regression on the evidence of the question alone."""
    random, samples = np.random.default_rng(0), []
    for table, topic in _topics(tables):
        sheet, kept = table.sheets[topic.entry.id, effort], ranked(topic, effort, len(table.web.pages))
        rows = sheet.against(means[sheet.language])
        some = np.flatnonzero(kept & (topic.relevant | (random.random(len(rows)) < SOME)))
        samples.append(sample(rows[some], topic.relevant[some]))
    signs = [-1 if name in AGAINST else 0 if name in FREE else 1 for name in COLUMNS[effort]]
    line = fit(samples, signs, RIDGE[effort])
    weights = np.array(line.weights)
    told = [EvidenceSample((s.rows @ weights + line.constant)[:, None], s.labels, s.counts) for s in samples]
    slope = fit(told, [1], 0.0)
    constant = slope.weights[0] * line.constant + slope.constant
    return LogisticModel(_rounded(slope.weights[0] * weights), round(constant, DIGITS))


def _told(table: EvidenceTable, topic: JudgedTopic, asked: WeightSet) -> Told:
    """Return what a question and the pages met say of some pages of a topic."""
    relevance: list[FitSample] = []
    contrast: dict[Effort, list[EvidenceSample]] = {}
    for effort in Effort:
        answer = probabilities(table, topic, effort, asked)
        some = _some(topic, effort, len(answer))
        contrast[effort] = []
        for met in _stages(table, topic, effort, answer):
            rows = learned_rows(table, topic, effort, answer, met, some)
            seen = np.isin(some, met)
            relevance.append(_listed(table, len(met), rows.relevance[seen], topic.relevant[some[seen]]))
            if len(met) <= EARLY:
                contrast[effort].append(sample(rows.contrast, topic.relevant[some]))
    answer = probabilities(table, topic, Effort.NAME, asked)
    return Told(table.web.name, relevance, contrast, [(answer, topic.relevant)])


def _listed(table: EvidenceTable, met: int, rows: Array, labels: Labels) -> FitSample:
    """Return the pages met as a list is drawn of them; those left out count with the others."""
    stage = met if met in MET else END
    return FitSample(table.web.name, stage, rows, labels.astype(float), np.where(labels, 1.0, 1 / SOME))


def _some(topic: JudgedTopic, effort: Effort, pages: int) -> NDArray[np.int64]:
    """Return the relevant pages and some of the others, always the same."""
    chosen = np.random.default_rng(crc32(topic.entry.id.encode())).random(pages) < SOME
    return np.flatnonzero(ranked(topic, effort, pages) & (topic.relevant | chosen))


def _stages(table: EvidenceTable, topic: JudgedTopic, effort: Effort, answer: Array) -> Iterable[list[int]]:
    """Yield the pages that crawls have met when the judge is asked."""
    for order in FIT_ORDERS:
        met = pages_met(table, topic, effort, answer, order, len(answer))
        yield from (met[:most] for most in (*MET, len(met)) if most <= len(met))


def _with_feedback(asked: WeightSet, relevance: LogisticModel, told: Sequence[Told]) -> WeightSet:
    """Return the weights with what the pages met are worth, and with a threshold."""
    efforts: dict[str, EffortWeights] = {}
    for effort in Effort:
        contrast = fit([s for each in told for s in each.contrast[effort]], [1, 1, 1], RIDGE_OF_FEEDBACK)
        efforts[effort.value] = EffortWeights(asked.efforts[effort.value].question, relevance, contrast)
    return WeightSet(efforts, asked.mean_page, _threshold(efforts[Effort.NAME.value].contrast, told))


def _threshold(line: LogisticModel, told: Sequence[Told]) -> float:
    """Return the threshold with the best F1 by the name alone, before and after pages are met."""
    before = [pair for each in told for pair in each.named]
    after = [applied(line, s.rows) for each in told for s in each.contrast[Effort.NAME]]
    weighed = [s for each in told for s in each.contrast[Effort.NAME]]
    return best_common_threshold(
        [(scores, relevant.astype(float), np.ones(len(scores))) for scores, relevant in before]
        + [(p, s.labels, s.counts) for p, s in zip(after, weighed, strict=True)]
    )


def _topics(tables: Sequence[EvidenceTable]) -> Iterable[tuple[EvidenceTable, JudgedTopic]]:
    return ((table, topic) for table in tables for topic in table.web.topics)
