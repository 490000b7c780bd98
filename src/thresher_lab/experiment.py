"""Experiments: topics x seed sets x strategies on all cores, and constants tuned on all webs but one."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import fsum
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev
from time import process_time

import msgspec
from msgspec import Struct

from thresher.build.plugins import parameters_of, strategy_class
from thresher.core.errors import UsageError
from thresher.core.platform import peak_memory
from thresher.engine.workers import relaxed_gc
from thresher.settings.components import decoded, given
from thresher_lab.contenders.named import contender_of, plan_of
from thresher_lab.corpus import Corpus
from thresher_lab.measures import measure
from thresher_lab.politeness import Politeness
from thresher_lab.replay import play
from thresher_lab.results import Cost, ExperimentSettings, RunResult, append, read_kept, with_luck
from thresher_lab.setup import PAPERS_JUDGE, ReplayStage, budget_of, stage
from thresher_lab.tables import Grid

# Topics x seed sets x strategies on all cores: planned in advance, and each result kept as it comes.


YARDSTICKS = ("breadth_first", "label_oracle")  # what tells whether a topic can tell strategies apart


class Group(Struct, frozen=True):
    """The runs of one topic: they share its judge, its pages and one process."""

    corpus: str
    mode: str
    topic: str
    seeds: tuple[str, ...]
    strategies: tuple[str, ...]
    luck: int = 0  # the seed of latencies; 0: one request at a time, answered at once


def plan(asked: ExperimentSettings) -> list[Group]:
    """Return every group of runs, in the order of the corpora and their topics."""
    if not asked.strategies:
        raise UsageError("No strategy to compare: name some with --strategies a,b,c.")
    wanted = tuple(dict.fromkeys([*YARDSTICKS, *asked.strategies]))
    groups = []
    for path in asked.corpora:
        corpus = Corpus(Path(path))
        topics = [name for name in corpus.topics if not asked.topics or name in asked.topics]
        modes = [mode for mode in corpus.modes if not asked.modes or mode in asked.modes]
        groups += [
            Group(path, mode, topic, seeds, wanted, luck)
            for mode in modes
            for topic in topics
            for seeds in asked.seeds
            for luck in (0, *asked.lucks)
        ]
    if missing := set(asked.topics) - {group.topic for group in groups}:
        raise UsageError(f"No corpus here has the topic {sorted(missing)[0]!r}. See its topics.jsonl.")
    return groups


def carry_out(
    asked: ExperimentSettings,
    kept: Path,
    cache: Path,
    processes: int = 1,
    tell: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[RunResult]:
    """Run what is not in the file yet, keep each result there, and return all, in the order of the plan."""
    groups = plan(asked)
    results = {result.run: result for result in read_kept(kept, asked)}
    left = [group for group in (_without(each, results) for each in groups) if group.strategies]
    total = sum(len(group.strategies) for group in groups)
    for found in _run_all(left, asked, cache, processes):
        append(kept, found)
        results |= {result.run: result for result in found}
        tell(len(results), total, f"{found[0].corpus} {found[0].topic}")
    runs = [run for group in groups for run in _runs(group)]
    return [results[run] for run in runs]


def run_group(group: Group, asked: ExperimentSettings, cache: Path) -> list[RunResult]:
    """Run the strategies of a group one after the other."""
    corpus = Corpus(Path(group.corpus))
    with stage(corpus, corpus.hidden(group.mode), cache) as place:
        return [_run(place, group, strategy, asked) for strategy in group.strategies]


def _run_packed(group: Group, asked: bytes, cache: Path) -> list[RunResult]:
    """Run a group in a process of its own."""
    return run_group(group, msgspec.msgpack.decode(asked, type=ExperimentSettings, dec_hook=decoded), cache)


def _run(place: ReplayStage, group: Group, contender: str, asked: ExperimentSettings) -> RunResult:
    named = contender_of(contender)
    wanted = place.relevant(group.topic)
    budget = budget_of(asked.pages, len(wanted))
    judge = None if asked.judge == PAPERS_JUDGE else asked.judge  # else each has the one that guides it
    run = plan_of(named, group.topic, budget, group.seeds, asked.model, judge, asked.rules)
    if group.luck:
        politeness = Politeness(asked.wait, group.luck)
        run = msgspec.structs.replace(run, polite=politeness, delay=asked.delay)
    began = process_time()
    with relaxed_gc():  # as a crawl: the seconds are to be those of its code
        played = play(place, run)
    seconds = process_time() - began
    reachable = place.graph.reachable(place.corpus.seeds(group.topic, group.seeds), place.hidden)
    topic = place.corpus.topic(group.topic)
    return RunResult(
        place.corpus.name,
        group.mode,
        group.topic,
        ",".join(group.seeds),
        contender,
        budget,
        measure(played.steps, topic, wanted, reachable, budget),
        Cost(seconds, 1e6 * played.seconds / max(1, played.links), peak_memory() / (1 << 20)),
        group.luck,
    )


def _run_all(
    groups: Sequence[Group], asked: ExperimentSettings, cache: Path, processes: int
) -> Iterator[list[RunResult]]:
    if processes <= 1 or len(groups) <= 1:
        yield from (run_group(group, asked, cache) for group in groups)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        packed = msgspec.msgpack.encode(asked, enc_hook=given)  # a secret of a judge refuses to be pickled
        waiting = [pool.submit(_run_packed, group, packed, cache) for group in groups]
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _runs(group: Group) -> list[tuple[str, ...]]:
    name, seeds = Corpus(Path(group.corpus)).name, with_luck(",".join(group.seeds), group.luck)
    return [(name, group.mode, group.topic, seeds, strategy) for strategy in group.strategies]


def _without(group: Group, done: Iterable[tuple[str, ...]]) -> Group:
    known = set(done)
    left = tuple(run[-1] for run in _runs(group) if run not in known)
    return msgspec.structs.replace(group, strategies=left)


# Constants chosen without looking: what is best on all other webs is played on the one left out.
#
# A variant differs from the base in one parameter. For each web that variant is chosen which is best in the
# mean of the others, and what it does on the web left out is reported: so no figure is one that was tuned
# for. Beside it stands what every parameter jittered at random does, which tells a peak from a plateau.


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
            raise UsageError(f"--try {text} names no values. Write --try learner=0.3,0.7.")
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


def areas_of(results: Sequence[RunResult]) -> Areas:
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


def spread(results: Sequence[RunResult], base: str, draws: Sequence[str]) -> Spread:
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
