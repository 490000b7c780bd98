"""What a guide would bring: one that knows the labels, and errs about a given share of the links.

It is asked as a model is: every ten pages about the twenty best links that wait, and each link once.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import click
from msgspec import Struct
from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Url
from thresher.core.strategy import LinkGuide
from thresher.models.guide import BATCH, EVERY, SEARCHED
from thresher_lab.cli.options import Rounds, listed, round_options
from thresher_lab.contenders.named import contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.measures import area, positions
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, ReplayStage, budget_of
from thresher_lab.statistics import cluster_bootstrap
from thresher_lab.tables import Grid

LEADS = 0.5  # what a link is worth whose page is not relevant and leads to relevant ones


class GuidedRun(Struct, frozen=True):
    """The area of a run with a guide that errs so often, and of the same run without."""

    corpus: str
    topic: str
    errors: float
    without: float
    guided: float


@dataclass
class KnowingGuide(LinkGuide):
    """Knows the labels, and says the contrary of a share of links drawn at random."""

    place: ReplayStage
    topic: str
    errors: float
    _visits: int = 0
    _asked: set[Url] = field(default_factory=set)
    _chance: random.Random = field(default_factory=lambda: random.Random(1))

    @override
    def new_opinions(self, crawl: CrawlView) -> Mapping[Url, float]:
        self._visits += 1
        if self._visits % EVERY:
            return {}
        waiting = [each.url for each in crawl.next_up(SEARCHED) if each.url not in self._asked][:BATCH]
        self._asked.update(waiting)
        return {url: self._said(url) for url in waiting}

    def _said(self, url: Url) -> float:
        graph, relevant = self.place.graph, self.place.relevant(self.topic)
        page = graph.page_of(url)
        leads = any(graph.page_of(each) in relevant for each in graph.edges.links.get(page, ()))
        worth = 1.0 if page in relevant else LEADS if leads else 0.0
        return 1 - worth if self._chance.random() < self.errors else worth


def guided_runs(place: ReplayStage, topic: str, plan: ReplayPlan, errors: Sequence[float]) -> list[GuidedRun]:
    """Return what each guide changed in one run."""
    wanted = len(place.relevant(topic))

    def played(guide: LinkGuide | None) -> float:
        steps = play(place, plan, guide=guide).steps
        return area(positions(step for step in steps if step.cost), wanted, plan.pages)

    without = played(None)
    return [
        GuidedRun(place.corpus.name, topic, each, without, played(KnowingGuide(place, topic, each)))
        for each in errors
    ]


def table(runs: Sequence[GuidedRun]) -> Grid:
    """Return the mean change by each guide, with its interval over topics, and on each web."""
    webs = [*dict.fromkeys(run.corpus for run in runs)]
    rows = []
    for errors in dict.fromkeys(run.errors for run in runs):
        some = [run for run in runs if run.errors == errors]
        change = cluster_bootstrap([[run.guided - run.without] for run in some])
        by_web = [[run.guided - run.without for run in some if run.corpus == web] for web in webs]
        rows.append(
            (
                f"{errors:.0%}",
                str(len(some)),
                f"{fmean(run.without for run in some):.3f}",
                f"{fmean(run.guided for run in some):.3f}",
                f"{change.mean:+.3f}",
                f"{change.low:+.3f} to {change.high:+.3f}",
                *(f"{fmean(changes):+.3f}" for changes in by_web),
            )
        )
    heads = ("errors", "topics", "without", "guided", "change", "95 % interval", *webs)
    return Grid("Mean area under the recall curve with a guide that knows the labels", heads, tuple(rows))


EXAMPLES = """\b
Examples:
  thresher lab guide my-corpus
  thresher lab guide my-corpus --topic-model name --seeds offtopic --errors 0,0.1,0.3
"""


@click.command(epilog=EXAMPLES)
@round_options
@click.option("--errors", default="0,0.1,0.3", show_default=True, help="Shares of links, commas between.")
@click.option("--seeds", default=",".join(DEFAULT_SEEDS), show_default=True, help="As for lab compare.")
def guide(asked: Rounds, errors: str, seeds: str) -> None:
    """Let a guide that knows the labels, but for some errors, say which links to follow.

    So one sees what a model of that quality would bring with 'crawl --guide'.
    """
    runs: list[GuidedRun] = []
    for place, _, topic in asked.stages():
        pages = budget_of(asked.pages, len(place.relevant(topic)))
        plan = plan_of(contender_of("thresher"), topic, pages, listed(seeds), asked.topic_model)
        runs += guided_runs(place, topic, plan, [*map(float, listed(errors))])
    asked.tell(runs, table(runs))
