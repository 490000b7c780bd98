"""Recall against the number of seeds (CT-FC, Figure 10): some relevant pages are given, the others not.

Seeds are drawn at random among the relevant pages of a topic; those of a smaller number are among those of a
larger one. Recall counts the relevant pages that were not given. The budget is the same for every number.
"""

import random
from collections.abc import Iterator, Sequence
from statistics import fmean

from msgspec import Struct

from thresher.core.records import Url
from thresher.lab.contender import contender_of, plan_of
from thresher.lab.replay import play
from thresher.lab.setup import Stage, budget_of
from thresher.lab.tables import Grid
from thresher.report.charts import Chart, Line

COUNTS = (1, 2, 5, 10, 20, 40, 80)
FEWEST = 2  # times as many relevant pages as seeds: else too little is left to be found


class Seeded(Struct, frozen=True):
    """One run from so many seeds."""

    corpus: str
    mode: str
    topic: str
    strategy: str
    seeds: int
    draw: int
    recall: float
    spent: int  # pages and questions


def seeded_runs(
    place: Stage,
    mode: str,
    topic: str,
    contenders: Sequence[str],
    counts: Sequence[int] = COUNTS,
    draws: int = 3,
    pages: str = "2x",
) -> Iterator[Seeded]:
    """Yield the run of every contender from every number of seeds that the topic is large enough for."""
    relevant = sorted(url for url in place.relevant(topic) if url in place.web.index)
    for draw in range(draws):
        drawn = random.Random(f"{topic} {draw}").sample(relevant, len(relevant))
        for count in (count for count in counts if FEWEST * count <= len(relevant)):
            for contender in contenders:
                yield _run(place, mode, topic, contender, tuple(drawn[:count]), draw, pages)


def table(runs: Sequence[Seeded]) -> Grid:
    """Return the mean recall of each contender by the number of seeds."""
    names = tuple(dict.fromkeys(run.strategy for run in runs))
    rows = []
    for count in sorted({run.seeds for run in runs}):
        topics = {(run.corpus, run.mode, run.topic) for run in runs if run.seeds == count}
        means = [f"{_mean(runs, name, count):.3f}" for name in names]
        rows.append((str(count), str(len(topics)), *means))
    return Grid("Recall by the number of seeds", ("seeds", "topics and modes", *names), tuple(rows))


def plot(runs: Sequence[Seeded], title: str) -> Chart:
    """Return the picture: recall of each contender over the number of seeds."""
    counts = sorted({run.seeds for run in runs})
    names = dict.fromkeys(run.strategy for run in runs)
    curves = [Line.spread(name, [_mean(runs, name, count) for count in counts]) for name in names]
    return Chart(title, "seeds", tuple(curves), "recall", least_step=0.1, feet=tuple(map(str, counts)))


def _run(
    place: Stage, mode: str, topic: str, contender: str, seeds: tuple[Url, ...], draw: int, pages: str
) -> Seeded:
    named, wanted = contender_of(contender), place.relevant(topic)
    steps = play(place, plan_of(named, topic, budget_of(pages, len(wanted)), seeds)).steps
    given = set(map(place.web.spelling, seeds))
    found = sum(step.relevant and step.url not in given for step in steps)
    recall = found / (len(wanted) - len(seeds))
    spent = sum(step.cost for step in steps)
    return Seeded(place.corpus.name, mode, topic, contender, len(seeds), draw, recall, spent)


def _mean(runs: Sequence[Seeded], name: str, count: int) -> float:
    """Return the mean over topics of the means over draws."""
    topics: dict[tuple[str, str, str], list[float]] = {}
    for run in runs:
        if run.strategy == name and run.seeds == count:
            topics.setdefault((run.corpus, run.mode, run.topic), []).append(run.recall)
    return fmean(map(fmean, topics.values()))
