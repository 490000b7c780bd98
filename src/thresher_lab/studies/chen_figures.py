"""Tables 3 to 5 and Figures 7 to 16 of Chen et al. 2009, from the results of a comparison of ours.

The paper divides 10,000 pages into 20 portions and shows relevant pages and the sum of information so far.
Our budgets differ from topic to topic, so relevant pages are a share of all there are to find, information a
share of the most that any strategy gathered on the topic; both are means over topics.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean

import click
import numpy as np

from thresher.core.errors import UsageError
from thresher.report.charts import Chart, ChartLine, draw
from thresher_lab.measures import PORTIONS
from thresher_lab.results import RunResult, read_results
from thresher_lab.statistics import over_budget
from thresher_lab.summary import unfit
from thresher_lab.tables import Grid, as_markdown

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


def kept(results: Sequence[RunResult]) -> list[RunResult]:
    """Return the results of topics that can tell strategies apart, by the names of the paper."""
    out = {(each.corpus, each.mode, each.topic, each.seeds) for each in unfit(results)}
    return [each for each in results if each.place not in out and each.strategy in NAMES]


def tables(results: Sequence[RunResult], chinese: Iterable[str]) -> list[Grid]:
    """Return Table 3 for all topics, English and Chinese ones, then Tables 4 and 5."""
    chinese = tuple(chinese)
    languages = [each for each in ("all topics", "English", "Chinese") if spoken(results, each, chinese)]
    return [
        *(_table("Table 3", each, spoken(results, each, chinese), _TABLE_3) for each in languages),
        _table("Table 4", "all topics", results, _TABLE_4),
        _table("Table 5", "all topics", results, _TABLE_5),
    ]


def make_figures(results: Sequence[RunResult], chinese: Iterable[str]) -> list[Chart]:
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


def spoken(results: Sequence[RunResult], language: str, chinese: Iterable[str]) -> list[RunResult]:
    """Return the results of topics in a language; `chinese` names the corpora of Chinese ones."""
    if language == "all topics":
        return list(results)
    return [each for each in results if (each.corpus in set(chinese)) == (language == "Chinese")]


def _table(
    name: str,
    language: str,
    results: Sequence[RunResult],
    rows: Sequence[tuple[str, str, Callable[[RunResult], float]]],
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


_TABLE_3: list[tuple[str, str, Callable[[RunResult], float]]] = [
    ("precision_rate", "{:.2%}", lambda each: each.measures.harvest.rate),
    ("sum_of_info", "{:.2f}", lambda each: each.measures.sum_of_information),
]
_TABLE_4: list[tuple[str, str, Callable[[RunResult], float]]] = [
    ("Rat", "{:.2%}", lambda each: each.measures.urls_with_topic),
    ("Ract", "{:.2%}", lambda each: each.measures.urls_with_context),
    ("Ra", "{:.2%}", lambda each: each.measures.urls_with_topic + each.measures.urls_with_context),
]
_TABLE_5: list[tuple[str, str, Callable[[RunResult], float]]] = [
    ("microseconds of thinking a link", "{:.1f}", lambda each: each.cost.microseconds_per_link)
]


def _curves(most: dict[tuple[str, ...], float]) -> list[tuple[str, Callable[[RunResult], Curve]]]:
    return [("relevant pages", _relevant), ("information", lambda each: _information(each, most))]


def _relevant(result: RunResult) -> Curve:
    hits = np.array(result.measures.by_pages.hits)
    ends = [result.budget * portion / PORTIONS for portion in range(PORTIONS + 1)]
    return [float((hits <= end).sum()) / result.measures.wanted for end in ends]


def _information(result: RunResult, most: dict[tuple[str, ...], float]) -> Curve:
    return [0.0, *(value / (most[result.place] or 1.0) for value in result.measures.information_so_far)]


def _most_information(results: Sequence[RunResult]) -> dict[tuple[str, ...], float]:
    most: dict[tuple[str, ...], float] = {}
    for each in results:
        most[each.place] = max(most.get(each.place, 0.0), each.measures.sum_of_information)
    return most


def _series(name: str, results: Sequence[RunResult], curve: Callable[[RunResult], Curve]) -> ChartLine:
    """Return the mean over topics of the means over their modes and seed sets."""
    topics: dict[tuple[str, str], list[Curve]] = {}
    for each in results:
        if NAMES[each.strategy] == name:
            topics.setdefault((each.corpus, each.topic), []).append(curve(each))
    middle = np.mean([np.mean(curves, axis=0) for curves in topics.values()], axis=0)
    return ChartLine.spread(name, [round(float(value), 5) for value in middle])


def _mean(value: Callable[[RunResult], float], results: Sequence[RunResult]) -> float:
    """Return the mean over runs, as `lab compare` has it beside its areas."""
    return fmean(map(value, results))


# The command


EXAMPLES = """\b
Examples:
  thresher lab figures results/results.jsonl
  thresher lab figures en/results.jsonl zh/results.jsonl --chinese zh-blogs -o figures
"""


@click.command(epilog=EXAMPLES)
@click.argument(
    "results", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True
)
@click.option("--chinese", multiple=True, help="The name of a corpus of Chinese topics; repeat it for more.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write pictures here.")
def figures(results: tuple[Path, ...], chinese: tuple[str, ...], output: Path | None) -> None:
    """Draw up Tables 3 to 5 and Figures 7 to 16 of FCMRPS from results of `lab compare`.

    The comparison should have breadth_first, best_first, shark_simple, fcmrps and its variants in it:
    docs/papers/fcmrps.md says which parameters make them.
    """
    found = kept([result for path in results for result in read_results(path)])
    if not found:
        raise UsageError("No result of breadth_first, best_first, shark_simple or fcmrps is there.")
    for grid in tables(found, chinese):
        click.echo(f"{as_markdown(grid)}\n")
    if output:
        output.mkdir(parents=True, exist_ok=True)
        for plot in make_figures(found, chinese):
            number = re.findall(r"\d+", plot.title)[0]
            (output / f"figure-{number}.svg").write_text(draw(plot), encoding="utf-8")
