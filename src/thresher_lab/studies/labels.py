"""What a user's labels are worth: some of the first hundred pages are labelled, and the crawl goes on.

Every run is played without labels, and once more with each draw of them. All are the same up to there, so the
labelled pages are too; they are left out of both curves, because what was told has not been found.
"""

import random
from collections.abc import Sequence
from statistics import fmean

import click
from msgspec import Struct

from thresher.core.enums import Outcome
from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher.core.url import parse
from thresher_lab.cli.options import Rounds, round_options
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.measures import area, positions
from thresher_lab.replay import ReplayStep, play
from thresher_lab.setup import ReplayStage, budget_of
from thresher_lab.statistics import cluster_bootstrap
from thresher_lab.tables import Grid

FIRST = 100  # pages among which the labelled ones are drawn


class LabelGain(Struct, frozen=True):
    """The area of a run with labels, and of the same run without."""

    corpus: str
    mode: str
    topic: str
    strategy: str
    draw: int
    wanted: int  # labels that say yes
    untold: float
    told: float


class Teacher:
    """Labels some of the first pages as the referee does, once."""

    def __init__(self, several: int, draw: int) -> None:
        """Draw so many pages; another draw takes other ones."""
        self._several, self._draw = several, draw
        self.labels: dict[str, bool] = {}

    def __call__(self, steps: Sequence[ReplayStep]) -> dict[Url, bool]:
        """Return what there is to say after these visits."""
        if self.labels or len(steps) < FIRST:
            return {}
        fetched = [step for step in steps if step.outcome == Outcome.FETCHED.value]
        if len(fetched) < FIRST:
            return {}
        drawn = random.Random(self._draw).sample(fetched[:FIRST], self._several)
        self.labels = {step.url: step.relevant for step in drawn}
        return {parse(url): wanted for url, wanted in self.labels.items()}


def labelled_runs(
    place: ReplayStage,
    mode: str,
    topic: str,
    contender: str,
    several: int,
    draws: int,
    pages: str,
    model: str,
) -> list[LabelGain]:
    """Return what each draw of labels changed in one run; nothing if it was over before them."""
    wanted = len(place.relevant(topic))
    plan = plan_of(contender_of(contender), topic, budget_of(pages, wanted), DEFAULT_SEEDS, model)
    untold = play(place, plan).steps
    changed = []
    for draw in range(1, draws + 1):
        told = play(place, plan, teacher=(teacher := Teacher(several, draw))).steps
        if not (labels := teacher.labels):
            break
        areas = [_area(steps, labels, wanted, plan.pages) for steps in (untold, told)]
        changed.append(
            LabelGain(place.corpus.name, mode, topic, contender, draw, sum(labels.values()), *areas)
        )
    return changed


def table(runs: Sequence[LabelGain]) -> Grid:
    """Return the mean change of each corpus, with its interval over topics."""
    rows = []
    for corpus in dict.fromkeys(run.corpus for run in runs):
        some = [run for run in runs if run.corpus == corpus]
        topics: dict[str, list[float]] = {}
        for run in some:
            topics.setdefault(run.topic, []).append(run.told - run.untold)
        change = cluster_bootstrap([*topics.values()])
        rows.append(
            (
                corpus,
                str(len(some)),
                f"{fmean(run.untold for run in some):.3f}",
                f"{fmean(run.told for run in some):.3f}",
                f"{change.mean:+.4f}",
                f"{change.low:+.4f} to {change.high:+.4f}",
                f"{sum(run.told > run.untold for run in some)}, {sum(run.told < run.untold for run in some)}",
            )
        )
    heads = ("corpus", "runs", "without", "with labels", "change", "95 % interval", "better, worse")
    return Grid("Mean area under the recall curve, labelled pages left out", heads, tuple(rows))


def _area(steps: Sequence[ReplayStep], labels: dict[str, bool], wanted: int, budget: int) -> float:
    """Return the area under the recall curve of the pages that were not labelled."""
    hits = positions(step for step in steps if step.cost and step.url not in labels)
    return area(hits, wanted - sum(labels.values()), budget - len(labels))


# The command


EXAMPLES = """\b
Examples:
  thresher lab labels my-corpus
  thresher lab labels my-corpus --labels 20 --draws 12 --topics bees --topic-model rich
"""


@click.command(epilog=EXAMPLES)
@round_options
@click.option("--strategy", default="thresher", show_default=True, help="One that can be taught.")
@click.option("--labels", "several", type=click.IntRange(1, FIRST), default=10, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=6, show_default=True, help="Draws of the labels.")
def labels(asked: Rounds, strategy: str, several: int, draws: int) -> None:
    """Label some of the first hundred pages of each run, and say what that changed.

    The labels are the referee's, drawn at random. Labelled pages count for neither curve.
    """
    check(contender_of(strategy))
    runs: list[LabelGain] = []
    for place, mode, topic in asked.stages():
        runs += labelled_runs(place, mode, topic, strategy, several, draws, asked.pages, asked.topic_model)
    if not runs:
        raise UsageError(f"No run came to {FIRST} pages; ask for more with --pages.")
    asked.tell(runs, table(runs))
