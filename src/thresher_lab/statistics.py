"""Is the difference real: cluster bootstrap, Wilcoxon, Holm; and mean curves with their bands."""

from collections.abc import Callable, Sequence
from math import erfc, fsum, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.report.charts import Chart, ChartLine
from thresher_lab.results import RunResult

# Is the difference real: cluster bootstrap, Wilcoxon's signed ranks and Holm's correction.
#
# The unit is the topic. Its runs (modes, seed sets) hang together, so whole topics are drawn, never single
# runs; and of a family of strategies each is only called better after Holm's step-down correction.


Numbers = NDArray[np.float64]

SAMPLES = 10_000
EXACT = 50  # pairs up to which the distribution of the rank sum is counted out


class Interval(Struct, frozen=True):
    """A mean, and the bounds between which 95 of 100 repetitions would put it."""

    mean: float
    low: float
    high: float


def cluster_bootstrap(
    clusters: Sequence[Sequence[float]], seed: int = 1, samples: int = SAMPLES, level: float = 0.95
) -> Interval:
    """Return the mean of all values with its percentile interval over draws of whole clusters."""
    kept = [cluster for cluster in clusters if len(cluster)]
    if not kept:
        return Interval(0.0, 0.0, 0.0)
    sums = np.array([fsum(cluster) for cluster in kept], np.float64)
    sizes = np.array([len(cluster) for cluster in kept], np.float64)
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, len(kept), (samples, len(kept)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(sums.sum() / sizes.sum()), float(low), float(high))


def wilcoxon(differences: Sequence[float]) -> float:
    """Return the two-sided p of the signed-rank test; zeros are left out, as Wilcoxon did.

    Exact for up to 50 differences without ties, else by the normal distribution, corrected for ties.
    """
    values = np.array([each for each in differences if each != 0], np.float64)
    if not len(values):
        return 1.0
    ranks = _ranks(np.abs(values))
    positive = float(ranks[values > 0].sum())
    if len(values) <= EXACT and len(np.unique(np.abs(values))) == len(values):
        return _exact(len(values), positive)
    return _approximate(ranks, positive)


def holm(values: Sequence[float]) -> list[float]:
    """Return the p values of a family, corrected so that one false alarm in it has the stated chance."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected, highest = [0.0] * len(values), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, values[place] * (len(values) - step)))
        corrected[place] = highest
    return corrected


def mean_band(curves: Numbers, seed: int = 1, samples: int = 1000) -> tuple[Numbers, Numbers, Numbers]:
    """Return the mean of curves (one a row) with its band: 95 of 100 draws of curves lie in it."""
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, len(curves), (samples, len(curves)))
    counts = np.apply_along_axis(np.bincount, 1, drawn, minlength=len(curves)) / len(curves)
    low, high = np.quantile(counts @ curves, [0.025, 0.975], axis=0)
    return curves.mean(axis=0), low, high


def _ranks(values: Numbers) -> Numbers:
    """Return the ranks from 1 on; equals share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Numbers = (last - (counts - 1) / 2)[places]
    return ranks


def _exact(count: int, positive: float) -> float:
    """Count in how many of the 2^n assignments of signs the rank sum is as far out as this one."""
    ways = np.zeros(count * (count + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, count + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    chances = ways / ways.sum()
    tail = min(chances[: int(positive) + 1].sum(), chances[int(positive) :].sum())
    return float(min(1.0, 2 * tail))


def _approximate(ranks: Numbers, positive: float) -> float:
    count = len(ranks)
    _, ties = np.unique(ranks, return_counts=True)
    variance = count * (count + 1) * (2 * count + 1) / 24 - float((ties**3 - ties).sum()) / 48
    deviation = (positive - count * (count + 1) / 4) / sqrt(variance)
    return erfc(abs(deviation) / sqrt(2))


# Mean curves of an experiment: recall and harvest over the budget, with bands over the topics.


POINTS = 101
FEET = ("0%", "25%", "50%", "75%", "100%")  # of the budget
SHARES: Numbers = np.linspace(0.0, 1.0, POINTS)


def charts_of(name: str, results: Sequence[RunResult]) -> tuple[Chart, ...]:
    """Return the three charts of one block: recall by pages, harvest by pages, recall by requests."""
    drawn: list[tuple[str, str, Callable[[RunResult], Numbers]]] = [
        ("recall by pages", "pages fetched, of the budget", recall_by_pages),
        ("harvest by pages", "pages fetched, of the budget", harvest_by_pages),
        ("recall by requests", "requests, of the budget", recall_by_requests),
    ]
    return tuple(
        over_budget(f"{name}: {what}", across, what.split()[0], _lines(results, curve))
        for what, across, curve in drawn
    )


def over_budget(title: str, across: str, up: str, lines: Sequence[ChartLine]) -> Chart:
    """Return a chart of shares over the shares of a budget."""
    return Chart(title, across, tuple(lines), up, least_step=0.1, feet=FEET)


def recall_by_pages(result: RunResult) -> Numbers:
    """Return the recall at each share of the budget."""
    return _found(result.measures.by_pages.hits, result) / result.measures.wanted


def recall_by_requests(result: RunResult) -> Numbers:
    """Return the recall after each share of the budget, spent on requests of every kind."""
    return _found(result.measures.by_requests.hits, result) / result.measures.wanted


def harvest_by_pages(result: RunResult) -> Numbers:
    """Return the share of relevant pages among those fetched so far; a crawl that ended keeps its last."""
    spent = np.minimum(np.maximum(1.0, SHARES * result.budget), max(1, result.measures.pages))
    return _found(result.measures.by_pages.hits, result) / spent


def _found(hits: Sequence[int], result: RunResult) -> Numbers:
    at = np.maximum(1.0, SHARES * result.budget)
    return np.searchsorted(np.array(hits, np.float64), at, side="right").astype(np.float64)


def _lines(results: Sequence[RunResult], curve: Callable[[RunResult], Numbers]) -> tuple[ChartLine, ...]:
    strategies = dict.fromkeys(each.strategy for each in results)
    return tuple(
        _band(name, [each for each in results if each.strategy == name], curve) for name in strategies
    )


def _band(name: str, results: Sequence[RunResult], curve: Callable[[RunResult], Numbers]) -> ChartLine:
    """Return the mean curve of a strategy; the runs of a topic are averaged first."""
    topics: dict[tuple[str, str], list[Numbers]] = {}
    for each in results:
        topics.setdefault((each.corpus, each.topic), []).append(curve(each))
    middle, low, high = mean_band(np.array([np.mean(curves, axis=0) for curves in topics.values()]))
    return ChartLine.spread(name, _rounded(middle), _rounded(low), _rounded(high))


def _rounded(values: Numbers) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in values)
