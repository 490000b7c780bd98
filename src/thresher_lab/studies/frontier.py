"""The frontier, halted: how well each expert and each column rank the links that wait.

A crawl by the default strategy is looked at after given numbers of pages. A link counts as relevant if the
page it leads to is, and as opening if that page links to relevant pages that no fetched page links to. What
the priority liked is fetched already, so every ranking is measured on what it left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import cast

import click
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.core.errors import UsageError
from thresher.core.interfaces import CrawlView
from thresher.core.progress import Progress
from thresher.core.records import Url, Visit
from thresher.core.strategy import Strategy
from thresher.strategies.learned.features import NAMES
from thresher.strategies.learned.model import EXPERTS
from thresher.strategies.learned.strategy import Thresher
from thresher_lab.cli.options import Rounds, listed, round_options
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.judge_measures import average_precision
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, ReplayStage, budget_of
from thresher_lab.tables import Grid

Scores = NDArray[np.float64]

FEWEST = 10  # links of which a ranking says anything
FIRST = 20  # links whose share of relevant ones is told
PERFECT = "perfect: opens most"


class Ranking(Struct, frozen=True):
    """How well one opinion ranks what waits; None where all links or none count."""

    precision: float | None  # average precision for relevant links
    first: float | None  # the share of them among the first
    opening: float | None  # average precision for opening links


class Snapshot(Struct, frozen=True):
    """What waited after so many pages, in figures."""

    corpus: str
    mode: str
    topic: str
    pages: int
    waiting: int
    relevant: int
    opening: int
    rankings: dict[str, Ranking]


@dataclass
class Halts:
    """Takes snapshots of the frontier while a replay runs."""

    place: ReplayStage
    plan: ReplayPlan
    at: Sequence[int]
    mode: str
    folder: Path | None = None
    found: list[Snapshot] = field(default_factory=list)
    _fetched: set[Url] = field(default_factory=set)
    _known: set[Url] = field(default_factory=set)

    def __call__(self, visit: Visit, progress: Progress, strategy: Strategy, memory: CrawlView) -> None:
        """Take a snapshot if it is time for one."""
        if visit.page is None:
            return
        page = self.place.graph.page_of(visit.candidate.url)
        self._fetched.add(page)
        self._known |= self._leads_to(page) | {page}
        if progress.pages in self.at:
            self._take(cast(Thresher, strategy), memory, progress.pages)

    def _leads_to(self, page: Url) -> set[Url]:
        graph, relevant = self.place.graph, self.place.relevant(self.plan.topic)
        return {*map(graph.page_of, graph.edges.links.get(page, ()))} & relevant

    def _take(self, strategy: Thresher, memory: CrawlView, pages: int) -> None:
        evidence, priority_model = strategy._evidence, strategy._priority_model
        rows = evidence.table.waiting()
        targets = [*map(self.place.graph.page_of, evidence.table.urls.of(rows.tolist(), memory))]
        new = [place for place, page in enumerate(targets) if page not in self._fetched]
        if len(new) < FEWEST:
            return
        rows, targets = rows[new], [targets[place] for place in new]
        opens = np.array([len(self._leads_to(page) - self._known) for page in targets], np.float64)
        scores = {
            "priority": priority_model.of(rows),
            PERFECT: opens,
            **{
                f"expert {name}": said
                for name, said in zip(EXPERTS, priority_model.opinions(rows), strict=True)
            },
            **{f"column {name}": said for name, said in zip(NAMES, evidence.matrix(rows).T, strict=True)},
        }
        wanted = self.place.relevant(self.plan.topic)
        self._keep(pages, np.array([page in wanted for page in targets]), opens, scores)

    def _keep(
        self, pages: int, relevant: NDArray[np.bool_], opens: Scores, scores: dict[str, Scores]
    ) -> None:
        web, topic = self.place.corpus.name, self.plan.topic
        ranked = {name: ranking(said, relevant, opens > 0) for name, said in scores.items()}
        counts = (len(relevant), int(relevant.sum()), int((opens > 0).sum()))
        self.found.append(Snapshot(web, self.mode, topic, pages, *counts, ranked))
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / f"{web}-{self.mode}-{topic}-{pages}.npz"
            np.savez_compressed(
                file, relevant=relevant, opens=opens, names=[*scores], scores=[*scores.values()]
            )


def ranking(scores: Scores, relevant: NDArray[np.bool_], opening: NDArray[np.bool_]) -> Ranking:
    """Return how well scores rank links; equals are in an order drawn by lot, the same for all rankings."""
    lot = np.random.Generator(np.random.PCG64(1)).permutation(len(scores))
    scores, relevant, opening = scores[lot], relevant[lot], opening[lot]
    precision, behind = (
        average_precision(scores, labels) if 0 < labels.sum() < len(labels) else None
        for labels in (relevant, opening)
    )
    first = float(relevant[np.argsort(-scores, kind="stable")[:FIRST]].mean())
    return Ranking(precision, None if precision is None else first, behind)


def snapshots(
    place: ReplayStage, mode: str, plan: ReplayPlan, at: Sequence[int], folder: Path | None = None
) -> list[Snapshot]:
    """Return the snapshots of one run; the numbers of a folder's files are links by opinions."""
    halts = Halts(place, plan, at, mode, folder)
    play(place, plan, watch=halts)
    return halts.found


def table(found: Sequence[Snapshot]) -> Grid:
    """Return what each ranking is worth, as the mean over topics, the best first."""
    webs = [*dict.fromkeys(each.corpus for each in found)]
    rows = []
    for name in found[0].rankings:
        measures = [_mean(found, name, measure) for measure in Ranking.__struct_fields__]
        by_web = [_mean([each for each in found if each.corpus == web], name, "precision") for web in webs]
        rows.append((name, *map(_shown, [*measures, *by_web])))
    rows.sort(key=lambda row: row[1], reverse=True)
    heads = ("ranking", "average precision", f"of the first {FIRST}", "opening", *webs)
    topics = len({(each.corpus, each.mode, each.topic) for each in found})
    return Grid(f"Rankings of what waits: {len(found)} snapshots of {topics} topics", heads, tuple(rows))


def _mean(found: Sequence[Snapshot], name: str, measure: str) -> float | None:
    """Return the mean over topics of the mean over their snapshots that tell rankings apart."""
    topics: dict[tuple[str, str, str], list[float]] = {}
    for each in found:
        if (value := getattr(each.rankings[name], measure)) is not None:
            topics.setdefault((each.corpus, each.mode, each.topic), []).append(value)
    return fmean(map(fmean, topics.values())) if topics else None


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


EXAMPLES = """\b
Examples:
  thresher lab frontier my-corpus
  thresher lab frontier my-corpus --topic-model name --seeds offtopic --at 1,3,6,10,20 -o snapshots
"""


@click.command(epilog=EXAMPLES)
@round_options
@click.option(
    "--at", default="3,10,20,45,100", show_default=True, help="After how many pages, commas between."
)
@click.option("--seeds", default=",".join(DEFAULT_SEEDS), show_default=True, help="As for lab compare.")
@click.option(
    "--strategy", default="thresher", show_default=True, help="With parameters, as for lab compare."
)
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Keeps the numbers.")
def frontier(asked: Rounds, at: str, seeds: str, strategy: str, output: Path | None) -> None:
    """Rank what waits by each expert and column, and set that beside the labels.

    With -o every snapshot is kept as NumPy arrays: the labels, and each link's numbers; no page texts.
    """
    contender, halts = contender_of(strategy), sorted(map(int, listed(at)))
    check(contender)
    if contender.strategy != "thresher":
        raise UsageError(f"{strategy} has no experts to set side by side: name thresher, with parameters.")
    found: list[Snapshot] = []
    for place, mode, topic in asked.stages():
        pages = min(halts[-1], budget_of(asked.pages, len(place.relevant(topic))))
        plan = plan_of(contender, topic, pages, listed(seeds), asked.topic_model)
        found += snapshots(place, mode, plan, halts, output)
    if not found:
        raise UsageError(f"No run had {FEWEST} links waiting at those pages; name others with --at.")
    asked.tell(found, table(found))
