"""Mean curves of an experiment: recall and harvest over the budget, with bands over the topics."""

from collections.abc import Callable, Sequence

import numpy as np

from thresher.lab.results import Result
from thresher.lab.statistics import Numbers, mean_band
from thresher.report.charts import Chart, Line

POINTS = 101
FEET = ("0%", "25%", "50%", "75%", "100%")  # of the budget
SHARES: Numbers = np.linspace(0.0, 1.0, POINTS)


def charts_of(name: str, results: Sequence[Result]) -> tuple[Chart, ...]:
    """Return the three charts of one block: recall by pages, harvest by pages, recall by requests."""
    drawn: list[tuple[str, str, Callable[[Result], Numbers]]] = [
        ("recall by pages", "pages fetched, of the budget", recall_by_pages),
        ("harvest by pages", "pages fetched, of the budget", harvest_by_pages),
        ("recall by requests", "requests, of the budget", recall_by_requests),
    ]
    return tuple(
        over_budget(f"{name}: {what}", across, what.split()[0], _lines(results, curve))
        for what, across, curve in drawn
    )


def over_budget(title: str, across: str, up: str, lines: Sequence[Line]) -> Chart:
    """Return a chart of shares over the shares of a budget."""
    return Chart(title, across, tuple(lines), up, least_step=0.1, feet=FEET)


def recall_by_pages(result: Result) -> Numbers:
    """Return the recall at each share of the budget."""
    return _found(result.measures.by_pages.hits, result) / result.measures.wanted


def recall_by_requests(result: Result) -> Numbers:
    """Return the recall after each share of the budget, spent on requests of every kind."""
    return _found(result.measures.by_requests.hits, result) / result.measures.wanted


def harvest_by_pages(result: Result) -> Numbers:
    """Return the share of relevant pages among those fetched so far; a crawl that ended keeps its last."""
    spent = np.minimum(np.maximum(1.0, SHARES * result.budget), max(1, result.measures.pages))
    return _found(result.measures.by_pages.hits, result) / spent


def _found(hits: Sequence[int], result: Result) -> Numbers:
    at = np.maximum(1.0, SHARES * result.budget)
    return np.searchsorted(np.array(hits, np.float64), at, side="right").astype(np.float64)


def _lines(results: Sequence[Result], curve: Callable[[Result], Numbers]) -> tuple[Line, ...]:
    strategies = dict.fromkeys(each.strategy for each in results)
    return tuple(
        _band(name, [each for each in results if each.strategy == name], curve) for name in strategies
    )


def _band(name: str, results: Sequence[Result], curve: Callable[[Result], Numbers]) -> Line:
    """Return the mean curve of a strategy; the runs of a topic are averaged first."""
    topics: dict[tuple[str, str], list[Numbers]] = {}
    for each in results:
        topics.setdefault((each.corpus, each.topic), []).append(curve(each))
    middle, low, high = mean_band(np.array([np.mean(curves, axis=0) for curves in topics.values()]))
    return Line.spread(name, _rounded(middle), _rounded(low), _rounded(high))


def _rounded(values: Numbers) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in values)
