"""Topics x seed sets x strategies on all cores: planned in advance, and each result kept as it comes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import msgspec
from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.core.platform import peak_memory
from thresher.engine.workers import seldom_collected
from thresher.lab.contender import contender_of, plan_of
from thresher.lab.corpus import Corpus
from thresher.lab.measures import measure
from thresher.lab.politeness import Politeness
from thresher.lab.replay import play
from thresher.lab.results import Asked, Cost, Result, append, read_kept, with_luck
from thresher.lab.setup import PAPERS_JUDGE, Stage, budget_of, stage
from thresher.settings.components import decoded, given

YARDSTICKS = ("breadth_first", "label_oracle")  # what tells whether a topic can tell strategies apart


class Group(Struct, frozen=True):
    """The runs of one topic: they share its judge, its pages and one process."""

    corpus: str
    mode: str
    topic: str
    seeds: tuple[str, ...]
    strategies: tuple[str, ...]
    luck: int = 0  # the seed of latencies; 0: one request at a time, answered at once


def plan(asked: Asked) -> list[Group]:
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
    asked: Asked,
    kept: Path,
    cache: Path,
    processes: int = 1,
    tell: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Result]:
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


def run_group(group: Group, asked: Asked, cache: Path) -> list[Result]:
    """Run the strategies of a group one after the other."""
    corpus = Corpus(Path(group.corpus))
    with stage(corpus, corpus.hidden(group.mode), cache) as place:
        return [_run(place, group, strategy, asked) for strategy in group.strategies]


def _run_packed(group: Group, asked: bytes, cache: Path) -> list[Result]:
    """Run a group in a process of its own."""
    return run_group(group, msgspec.msgpack.decode(asked, type=Asked, dec_hook=decoded), cache)


def _run(place: Stage, group: Group, contender: str, asked: Asked) -> Result:
    named = contender_of(contender)
    wanted = place.relevant(group.topic)
    budget = budget_of(asked.pages, len(wanted))
    judge = None if asked.judge == PAPERS_JUDGE else asked.judge  # else each has the one that guides it
    run = plan_of(named, group.topic, budget, group.seeds, asked.model, judge, asked.rules)
    if group.luck:
        politeness = Politeness(asked.wait, group.luck)
        run = msgspec.structs.replace(run, polite=politeness, delay=asked.delay)
    began = process_time()
    with seldom_collected():  # as a crawl: the seconds are to be those of its code
        played = play(place, run)
    seconds = process_time() - began
    reachable = place.graph.reachable(place.corpus.seeds(group.topic, group.seeds), place.hidden)
    topic = place.corpus.topic(group.topic)
    return Result(
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


def _run_all(groups: Sequence[Group], asked: Asked, cache: Path, processes: int) -> Iterator[list[Result]]:
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
