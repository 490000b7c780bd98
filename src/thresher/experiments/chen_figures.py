"""Tables 3 to 5 and Figures 7 to 16 of Chen et al. 2009, from the results of a comparison of ours.

The paper divides 10,000 pages into 20 portions and shows relevant pages and the sum of information so far.
Our budgets differ from topic to topic, so relevant pages are a share of all there are to find, information a
share of the most that anybody gathered on the topic; both are means over topics.
"""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

import numpy as np

from thresher.lab.curves import over_budget
from thresher.lab.measures import PORTIONS
from thresher.lab.results import Result
from thresher.lab.summary import unfit
from thresher.lab.tables import Grid
from thresher.report.charts import Chart, Line

NAMES = {
    "breadth_first": "Breadth-First",
    "best_first": "Best-First",
    "shark_simple": "Shark-Search",
    "fcmrps": "FCMRPS",
    "fcmrps+anchor_weight=0+url_weight=0+type_weight=0": "FCMRPS1",
    "fcmrps+page_weight=0+url_weight=0+type_weight=0": "FCMRPS2",
    "fcmrps+page_weight=0+anchor_weight=0+type_weight=0": "FCMRPS3",
    "fcmrps+anchor_weight=0+type_weight=0": "FCMRPS13",
    "fcmrps+url_weight=0": "FCMRPS124",
}
"""What the paper calls our contenders; its FCMRPS1 is Best-First, ours has the rule of depth too."""

MAIN = ("Breadth-First", "Best-First", "Shark-Search", "FCMRPS")
FIGURES = (
    ("7 and 8", "all topics", MAIN),
    ("9 and 10", "English", ("Best-First", "FCMRPS13")),
    ("11 and 12", "Chinese", ("Best-First", "FCMRPS13")),
    ("13 and 14", "all topics", ("Best-First", "FCMRPS124", "FCMRPS")),
    ("15 and 16", "all topics", ("Best-First", "FCMRPS1", "FCMRPS2", "FCMRPS3")),
)

Curve = list[float]


def kept(results: Sequence[Result]) -> list[Result]:
    """Return the results of topics that can tell strategies apart, by the names of the paper."""
    out = {(each.corpus, each.mode, each.topic, each.seeds) for each in unfit(results)}
    return [each for each in results if each.place not in out and each.strategy in NAMES]


def tables(results: Sequence[Result], chinese: Iterable[str]) -> list[Grid]:
    """Return Table 3 for all topics, English and Chinese ones, then Tables 4 and 5."""
    chinese = tuple(chinese)
    languages = [each for each in ("all topics", "English", "Chinese") if spoken(results, each, chinese)]
    return [
        *(_table("Table 3", each, spoken(results, each, chinese), _TABLE_3) for each in languages),
        _table("Table 4", "all topics", results, _TABLE_4),
        _table("Table 5", "all topics", results, _TABLE_5),
    ]


def figures(results: Sequence[Result], chinese: Iterable[str]) -> list[Chart]:
    """Return the figures, two for each pair: relevant pages and information."""
    chinese = tuple(chinese)
    most = _most_information(results)
    plots = []
    for numbers, language, names in FIGURES:
        some = spoken(results, language, chinese)
        for number, (what, curve) in zip(numbers.split(" and "), _curves(most), strict=True):
            series = [
                _series(name, some, curve)
                for name in names
                if any(NAMES[each.strategy] == name for each in some)
            ]
            if series:
                title = f"As Figure {number}: {what}, {language}"
                plots.append(over_budget(title, "pages fetched, of the budget", "share", series))
    return plots


def spoken(results: Sequence[Result], language: str, chinese: Iterable[str]) -> list[Result]:
    """Return the results of topics in a language; `chinese` names the corpora of Chinese ones."""
    if language == "all topics":
        return list(results)
    return [each for each in results if (each.corpus in set(chinese)) == (language == "Chinese")]


def _table(
    name: str,
    language: str,
    results: Sequence[Result],
    rows: Sequence[tuple[str, str, Callable[[Result], float]]],
) -> Grid:
    present = [each for each in NAMES.values() if any(NAMES[one.strategy] == each for one in results)]
    topics = len({(each.corpus, each.topic) for each in results})
    body = [
        (
            head,
            *(
                form.format(_mean(value, [one for one in results if NAMES[one.strategy] == each]))
                for each in present
            ),
        )
        for head, form, value in rows
    ]
    return Grid(f"As {name}, {language} ({topics} topics)", ("", *present), tuple(body))


_TABLE_3: list[tuple[str, str, Callable[[Result], float]]] = [
    ("precision_rate", "{:.2%}", lambda each: each.measures.harvest.rate),
    ("sum_of_info", "{:.2f}", lambda each: each.measures.sum_of_information),
]
_TABLE_4: list[tuple[str, str, Callable[[Result], float]]] = [
    ("Rat", "{:.2%}", lambda each: each.measures.urls_with_topic),
    ("Ract", "{:.2%}", lambda each: each.measures.urls_with_context),
    ("Ra", "{:.2%}", lambda each: each.measures.urls_with_topic + each.measures.urls_with_context),
]
_TABLE_5: list[tuple[str, str, Callable[[Result], float]]] = [
    ("microseconds of thinking a link", "{:.1f}", lambda each: each.cost.microseconds_per_link)
]


def _curves(most: dict[tuple[str, ...], float]) -> list[tuple[str, Callable[[Result], Curve]]]:
    return [("relevant pages", _relevant), ("information", lambda each: _information(each, most))]


def _relevant(result: Result) -> Curve:
    hits = np.array(result.measures.by_pages.hits)
    ends = [result.budget * portion / PORTIONS for portion in range(PORTIONS + 1)]
    return [float((hits <= end).sum()) / result.measures.wanted for end in ends]


def _information(result: Result, most: dict[tuple[str, ...], float]) -> Curve:
    return [0.0, *(value / (most[result.place] or 1.0) for value in result.measures.information_so_far)]


def _most_information(results: Sequence[Result]) -> dict[tuple[str, ...], float]:
    most: dict[tuple[str, ...], float] = {}
    for each in results:
        most[each.place] = max(most.get(each.place, 0.0), each.measures.sum_of_information)
    return most


def _series(name: str, results: Sequence[Result], curve: Callable[[Result], Curve]) -> Line:
    """Return the mean over topics of the means over their modes and seed sets."""
    topics: dict[tuple[str, str], list[Curve]] = {}
    for each in results:
        if NAMES[each.strategy] == name:
            topics.setdefault((each.corpus, each.topic), []).append(curve(each))
    middle = np.mean([np.mean(curves, axis=0) for curves in topics.values()], axis=0)
    return Line.spread(name, [round(float(value), 5) for value in middle])


def _mean(value: Callable[[Result], float], results: Sequence[Result]) -> float:
    """Return the mean over runs, as `lab compare` has it beside its areas."""
    return fmean(map(value, results))
