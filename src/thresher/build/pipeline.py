"""The pipeline: one crawl of stages, for crawl, resume, revisit and the lab's replay alike.

                fetch              check              frontier         labels      stop      observers
crawl, resume   live or practice   missing, noindex   Workbench        labels.csv  forecast  recount, display
revisit         on conditions      and then compare   RevisitFrontier  labels.csv  -         tally, display
replay          an archive         as asked for       redirects first  a teacher   -         log, forecasts

Nothing is ever wrapped round a strategy: what is done before and after it is a stage of its own.
"""

from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from thresher.build.parts import make_gate
from thresher.build.reading import make_parser
from thresher.build.webs import World
from thresher.core.interfaces import (
    AnyJudge,
    BacklinkSource,
    Clock,
    Frontier,
    Learned,
    LearningJudge,
    Observer,
    StopRule,
    Web,
    Workers,
)
from thresher.core.progress import Progress
from thresher.core.records import Url
from thresher.core.strategy import LabelFeed, Strategy
from thresher.engine.crawl import Crawl
from thresher.engine.read import PageReader
from thresher.engine.reader_process import LimitedReader, Parse
from thresher.engine.workers import Check, LocalWorkers, Visitor
from thresher.filters.urls import Scope
from thresher.settings.model import Settings
from thresher.store.database import Database


class Hands(Protocol):
    """Who makes workers of another kind than tasks of this process."""

    def of(self, visitor: Visitor, clock: Clock) -> Workers:
        """Return workers that turn candidates into visits by way of a visitor, or in its place."""


class Plan(Struct, frozen=True):
    """Everything that is decided before the folder is touched."""

    settings: Settings
    world: World
    judge: AnyJudge
    strategy: Strategy
    seeds: tuple[Url, ...]
    scope: Scope


@dataclass(frozen=True)
class Stages:
    """What differs between a crawl, a revisit and a replay."""

    fetch: Web
    frontier: Frontier
    progress: Progress
    check: tuple[Check, ...] = ()
    backlinks: BacklinkSource | None = None
    parse: Parse | None = None  # None: as the settings and the strategy ask for
    aside: LimitedReader | None = None  # for large pages and documents
    compare: tuple[Check, ...] = ()  # checks that need the store
    workers: Hands | None = None  # None: as many tasks of this process as the settings say
    labels: LabelFeed | None = None
    stop: StopRule | None = None
    observers: tuple[Observer, ...] = ()


def learner_of(plan: Plan) -> Learned | None:
    """Return what the judge of a plan learns in, if he learns and may."""
    judge = plan.judge
    return judge.learner() if isinstance(judge, LearningJudge) and plan.settings.judge.learns else None


def build(plan: Plan, store: Database, put_in: Stages) -> Crawl:
    """Return the crawl of a plan, made of its stages, on a store."""
    settings, clock = plan.settings, plan.world.clock
    learned = learner_of(plan)
    counts_words = getattr(plan.strategy, "reads_words", False) or learned is not None
    reader = PageReader(put_in.parse or make_parser(settings), plan.judge, put_in.aside, counts_words)
    redirects, checks = settings.web.max_redirects, (*put_in.check, *put_in.compare)
    visitor = Visitor(put_in.fetch, reader, clock, redirects, checks, put_in.backlinks)
    local = LocalWorkers(visitor, settings.web.concurrency, clock)
    return Crawl(
        workers=put_in.workers.of(visitor, clock) if put_in.workers else local,
        store=store,
        strategy=plan.strategy,
        gate=make_gate(settings, plan.scope, plan.judge.threshold),
        frontier=put_in.frontier,
        clock=clock,
        progress=put_in.progress,
        labels=put_in.labels,
        stop=put_in.stop,
        observers=put_in.observers,
        learned=learned,
        name=settings.strategy.name,
    )
