"""Recall against the number of seeds (CT-FC, Figure 10): some relevant pages are given, the others not.

Seeds are drawn at random among the relevant pages of a topic; those of a smaller number are among those of a
larger one. Recall counts the relevant pages that were not given. The budget is the same for every number.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

import click
import msgspec
from msgspec import Struct

from thresher.core.records import Url
from thresher.report.charts import Chart, ChartLine
from thresher.report.charts import draw as draw_chart
from thresher_lab.cli.options import FOLDER, rounds
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.replay import play
from thresher_lab.setup import ReplayStage, budget_of
from thresher_lab.tables import Grid, as_markdown

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
    place: ReplayStage,
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
    curves = [ChartLine.spread(name, [_mean(runs, name, count) for count in counts]) for name in names]
    return Chart(title, "seeds", tuple(curves), "recall", least_step=0.1, feet=tuple(map(str, counts)))


def _run(
    place: ReplayStage, mode: str, topic: str, contender: str, seeds: tuple[Url, ...], draw: int, pages: str
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


# The command


EXAMPLES = """\b
Examples:
  thresher lab seeds my-corpus
  thresher lab seeds my-corpus --topics bees --counts 1,10,40 --draws 5 -o results
"""

FORWARD = "ctfc+spouses=false+siblings=false"


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--strategies", default=f"ctfc,{FORWARD}", show_default=True, help="As for lab compare.")
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--counts", default=",".join(map(str, COUNTS)), show_default=True, help="Numbers of seeds.")
@click.option("--draws", type=click.IntRange(1), default=3, show_default=True, help="Random draws of seeds.")
@click.option("--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write runs here.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
def seeds(
    folders: tuple[Path, ...],
    strategies: str,
    topics: str,
    counts: str,
    draws: int,
    pages: str,
    output: Path | None,
    cache: Path | None,
) -> None:
    """Start from 1 to 80 random relevant pages, and say how many of the others are found.

    A topic takes part in a number of seeds if it has twice as many relevant pages. Questions for back-links
    cost as much as pages.
    """
    contenders = strategies.split(",")
    for name in contenders:
        check(contender_of(name))
    runs: list[Seeded] = []
    numbers = [int(count) for count in counts.split(",")]
    for place, mode, topic in rounds(folders, topics, cache):
        runs += seeded_runs(place, mode, topic, contenders, numbers, draws, pages)
    click.echo(as_markdown(table(runs)))
    if output:
        _write(output, runs)


def _write(folder: Path, runs: list[Seeded]) -> None:
    """Write every run and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = b"".join(msgspec.json.encode(run) + b"\n" for run in runs)
    (folder / "seeds.jsonl").write_bytes(lines)
    (folder / "seeds.svg").write_text(
        draw_chart(plot(runs, "Recall by the number of seeds")), encoding="utf-8"
    )
