"""What judges were worth on labelled webs as tables: ranks, counts, and ten bins of what is said."""

from collections.abc import Iterable, Sequence

import numpy as np

from thresher_lab.judge_bench import JudgeRow
from thresher_lab.judge_measures import CountMeasures
from thresher_lab.tables import Grid

KEYS = ("given", "judge", "pages met")
MEASURES = ("ap", "p20", "calibration", "yes_right", "yes_found", "f1")


def summary(rows: Sequence[JudgeRow]) -> Grid:
    """Return the means over topics, then over webs."""
    corpora = tuple(dict.fromkeys(row.corpus for row in rows))
    heads = (*KEYS, "AP", "P@20", "calibration", "yes right", "found", "F1", *corpora)
    lines = []
    for key, some in _by_key(rows).items():
        means = [_mean_of(some, name, corpora) for name in MEASURES]
        by_web = [_mean([row.ap for row in some if row.corpus == corpus]) for corpus in corpora]
        lines.append((*key, *(f"{value:.3f}" for value in (*means, *by_web))))
    return Grid("Means over topics, then webs; the webs' columns are average precision", heads, tuple(lines))


def counted(rows: Sequence[JudgeRow]) -> Grid:
    """Return how many of the pages met are called relevant and are, as sums over all topics."""
    lines = []
    for key, some in _by_key(rows).items():
        every = sum((row.counts for row in some), CountMeasures(0, 0, 0))
        shares = (every.precision, every.recall, median_of_times(some))
        lines.append((*key, str(every.said), str(every.true), *(f"{share:.2f}" for share in shares)))
    heads = (*KEYS, "said", "true", "precision", "recall", "said / true, median")
    return Grid("Pages met that are called relevant, and that are", heads, tuple(lines))


def binned(rows: Sequence[JudgeRow]) -> Grid:
    """Return which share of the pages met is relevant, by what the judge says of them."""
    lines = []
    for key, some in _by_key([row for row in rows if row.bins]).items():
        sums = np.sum([row.bins for row in some], axis=0).tolist()
        lines.append((*key, *(f"{right / every:.2f} of {every}" if every else "-" for every, right in sums)))
    heads = (*KEYS, *(f"{place / 10:.1f}-{(place + 1) / 10:.1f}" for place in range(10)))
    return Grid("Of the pages met, how many are relevant where the judge says so much", heads, tuple(lines))


def median_of_times(rows: Iterable[JudgeRow]) -> float:
    """Return the median over topics of how many times too many pages are called relevant."""
    known = [times for row in rows if (times := row.counts.times) is not None]
    return float(np.median(known)) if known else float("nan")


def _by_key(rows: Iterable[JudgeRow]) -> dict[tuple[str, ...], list[JudgeRow]]:
    """Return the rows of each line of a table."""
    found: dict[tuple[str, ...], list[JudgeRow]] = {}
    for row in rows:
        met = f"{row.pages} {row.order.replace('_', '-')}" if row.pages else "0"
        found.setdefault((row.effort, row.judge, met), []).append(row)
    return found


def _mean_of(rows: Sequence[JudgeRow], name: str, corpora: Sequence[str]) -> float:
    return _mean([_mean([getattr(row, name) for row in rows if row.corpus == c]) for c in corpora])


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and value == value]
    return float(np.mean(known)) if known else float("nan")
