"""Constants chosen without looking: what is best on all other webs is played on the one left out.

A variant differs from the base in one parameter. For each web that variant is chosen which is best in the
mean of the others, and what it does on the web left out is reported: so no figure is one that was tuned for.
Beside it stands what every parameter jittered at random does, which tells a peak from a plateau.
"""

import random
from collections.abc import Mapping, Sequence
from math import fsum
from statistics import fmean, stdev

from msgspec import Struct

from thresher.build.plugins import parameters_of, strategy_class
from thresher.core.errors import UsageError
from thresher.lab.contender import contender_of
from thresher.lab.experiment import YARDSTICKS
from thresher.lab.results import Result
from thresher.lab.tables import Grid

Areas = Mapping[str, Mapping[str, float]]  # mean area by contender and corpus


class LeftOut(Struct, frozen=True):
    """What was chosen on the other webs, and what it did on the one left out."""

    corpus: str
    chosen: str
    area: float
    base: float
    breadth_first: float
    oracle: float


class Spread(Struct, frozen=True):
    """What jitter does: means of the draws, and how far one topic moves between them."""

    base: float
    means: tuple[float, ...]
    of_topic: float  # standard deviation, in the mean of topics
    lowest: float  # change of a topic in one draw
    highest: float


def variants(base: str, tries: Sequence[str]) -> list[str]:
    """Return the base and, for each value of each parameter tried, the base with that value."""
    names = [base]
    for text in tries:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise UsageError(f"--try {text} names no values. Write --try chance=0.3,0.7.")
        names += [f"{base}+{name}={value}" for value in values.split(",")]
    return list(dict.fromkeys(names))


def jittered(base: str, share: float, draws: int, seed: int) -> list[str]:
    """Return the base with every number of its strategy moved by up to so much, once for each draw."""
    named = contender_of(base)
    given = parameters_of(strategy_class(named.strategy))
    numbers = {name: each.default for name, each in given.items() if type(each.default) in (int, float)}
    chance = random.Random(seed)
    return [
        "+".join([base, *(_moved(name, value, share, chance) for name, value in numbers.items())])
        for _ in range(draws)
    ]


def _moved(name: str, value: float, share: float, chance: random.Random) -> str:
    moved = value * (1 + share * (2 * chance.random() - 1))
    return f"{name}={max(1, round(moved))}" if isinstance(value, int) else f"{name}={moved:.5g}"


def areas_of(results: Sequence[Result]) -> Areas:
    """Return the mean area of each contender on each corpus; polite runs, if there are any."""
    chosen = [each for each in results if each.luck] or results
    found: dict[str, dict[str, list[float]]] = {}
    for each in chosen:
        found.setdefault(each.strategy, {}).setdefault(each.corpus, []).append(each.measures.by_pages.area)
    return {name: {web: fmean(areas) for web, areas in webs.items()} for name, webs in found.items()}


def left_out(areas: Areas, base: str, candidates: Sequence[str]) -> list[LeftOut]:
    """Return for each web what the variant does that is best on the others; of equals the first."""
    breadth, oracle = YARDSTICKS
    webs = list(areas[base])
    if len(webs) < 2:
        raise UsageError("To leave one web out takes two: name more corpora.")
    found = []
    for web in webs:
        others = [each for each in webs if each != web]
        chosen = max(candidates, key=lambda name: fsum(areas[name][each] for each in others))
        row = LeftOut(
            web, chosen, areas[chosen][web], areas[base][web], areas[breadth][web], areas[oracle][web]
        )
        found.append(row)
    return found


def spread(results: Sequence[Result], base: str, draws: Sequence[str]) -> Spread:
    """Return what the draws did beside the base, topic by topic."""
    chosen = [each for each in results if each.luck] or results
    areas: dict[str, dict[tuple[str, ...], float]] = {}
    for each in chosen:
        areas.setdefault(each.strategy, {})[each.place] = each.measures.by_pages.area
    usual = areas[base]
    moves = [[areas[draw][place] for draw in draws] for place in usual]
    changes = [area - usual[place] for draw in draws for place, area in areas[draw].items()]
    return Spread(
        fmean(usual.values()),
        tuple(fmean(areas[draw].values()) for draw in draws),
        fmean(stdev(each) if len(each) > 1 else 0.0 for each in moves),
        min(changes),
        max(changes),
    )


def chosen_table(rows: Sequence[LeftOut]) -> Grid:
    """Return what was chosen for each web without looking at it, and the means."""
    heads = ("left out", "chosen", "area", "as it is", "breadth_first", "over breadth_first", "of the oracle")
    means = LeftOut("mean", "", *(fmean(getattr(row, name) for row in rows) for name in _FIGURES))
    return Grid(
        "Chosen on the other webs, played on the one left out", heads, tuple(map(_cells, [*rows, means]))
    )


_FIGURES = ("area", "base", "breadth_first", "oracle")


def _cells(row: LeftOut) -> tuple[str, ...]:
    figures = (row.area, row.base, row.breadth_first)
    ratios = (row.area / row.breadth_first if row.breadth_first else 0.0, row.area / (row.oracle or 1.0))
    return (row.corpus, row.chosen, *(f"{each:.3f}" for each in figures), *(f"{each:.2f}" for each in ratios))


def variants_table(areas: Areas, base: str, candidates: Sequence[str]) -> Grid:
    """Return what each variant changes on each web: how much hangs on one constant."""
    webs = list(areas[base])
    rows = []
    for name in candidates:
        changes = [areas[name][web] - areas[base][web] for web in webs]
        cells = (f"{each:+.3f}" for each in (fmean(changes), *changes))
        rows.append((name.removeprefix(f"{base}+"), *cells))
    return Grid(f"Change of area beside {base}", ("variant", "mean", *webs), tuple(rows))


def spread_table(found: Spread) -> Grid:
    """Return what jitter does, in one row."""
    heads = (
        "as it is",
        "mean of draws",
        "lowest draw",
        "highest draw",
        "spread of a topic",
        "topics move by",
    )
    row = (found.base, fmean(found.means), min(found.means), max(found.means), found.of_topic)
    moves = f"{found.lowest:+.3f} to {found.highest:+.3f}"
    return Grid(
        "Every number of the strategy jittered at random", heads, ((*(f"{each:.3f}" for each in row), moves),)
    )
