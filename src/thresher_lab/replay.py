"""One strategy on one recorded web: every visit in order, what it cost, and the referee's verdict."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from typing_extensions import override

from thresher.build.crawl import checks_of
from thresher.build.pipeline import CrawlParts, build, make_scope
from thresher.build.pipeline import CrawlPlan as Task
from thresher.build.plugins import has_own, make_strategy
from thresher.build.webs import WebContext
from thresher.core.enums import REVISITS, Outcome, Request
from thresher.core.errors import UsageError
from thresher.core.interfaces import CrawlView, FrontierStorage, Judge, Observer
from thresher.core.progress import Budget, Forecast, Progress
from thresher.core.records import Url, Visit
from thresher.core.strategy import LabelFeed, LinkGuide, Strategy
from thresher.engine.crawl import Crawl
from thresher.engine.forecast import DOWNLOADS, ForecastStopRule
from thresher.fetch.backlinks import BudgetedSource, KnownLinks
from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import steady
from thresher.settings.components import StrategySettings
from thresher.settings.model import ScopeSettings, Settings, WebSettings
from thresher.store.database import Database
from thresher_lab.oracles import LabelOracle, ScoreOracle
from thresher_lab.politeness import Latency, PoliteWorkerFactory
from thresher_lab.setup import ReplayPlan, ReplayStage, guide_of

ORACLES = ("label_oracle", "score_oracle")


class ReplayStep(Struct, frozen=True):
    """A visit as the log tells it; `cost` is what it takes off the budget of pages."""

    n: int
    url: str
    outcome: str
    cost: int
    relevance: float
    priority: float
    via: str
    relevant: bool
    size: int = 0
    information: float = 0.0
    at: float = 0.0  # virtual seconds since the start


class Played(Struct, frozen=True):
    """How a replay went."""

    steps: tuple[ReplayStep, ...]
    finish: str
    links: int  # candidates that the strategy offered
    seconds: float  # of processor time that the strategy took to think
    missing: int  # questions about pages that the archive does not have
    forecasts: tuple[Forecast, ...] = ()  # of what is left of the budget, where they were asked for


Teacher = Callable[[Sequence[ReplayStep]], Mapping[Url, bool]]
Watch = Callable[[Visit, Progress, Strategy, CrawlView], None]


def play(
    place: ReplayStage,
    plan: ReplayPlan,
    foresee_every: int = 0,
    teacher: Teacher | None = None,
    watch: Watch | None = None,
    guide: LinkGuide | None = None,
) -> Played:
    """Run one strategy to the end of its budget, and return its visits, and forecasts if asked for.

    A teacher is asked after every visit what there is to say of the pages so far; a watch sees the strategy,
    and a guide what waits.
    """
    return asyncio.run(_play(place, plan, foresee_every, teacher, watch, guide))


@dataclass
class Spending(Progress):
    """Counts back-link questions as pages, unless the plan says that answers are free."""

    questions: int = 0
    charged: bool = True

    @override
    def add(self, visit: Visit) -> None:
        """Count a visit, and a question too."""
        super().add(visit)
        self.questions += self.charged and visit.candidate.kind is Request.BACKLINKS

    @property
    @override
    def pages(self) -> int:
        """How much of the budget is spent."""
        return self.outcomes[Outcome.FETCHED] + self.questions


@dataclass
class _Teaching(LabelFeed):
    """What the teacher says of the pages so far, heard by the crawl after every visit."""

    teacher: Teacher
    steps: Sequence[ReplayStep]

    @override
    def new_labels(self) -> Mapping[Url, bool]:
        """Return what there is to say."""
        return self.teacher(self.steps)


def planned(place: ReplayStage, plan: ReplayPlan) -> str:
    """Return the stages of a replay, a line each; nothing is played."""
    store = Database()
    crawl = _assembled(place, plan, _task(place, plan, None), store, (), None)
    store.close()
    return str(crawl)


async def _play(
    place: ReplayStage,
    plan: ReplayPlan,
    foresee_every: int,
    teacher: Teacher | None,
    watch: Watch | None,
    guide: LinkGuide | None,
) -> Played:
    store, asked = Database(), place.web.missing
    task = _task(place, plan, teacher)
    scribe = _Scribe(place, plan)
    prophet = _Prophet(ForecastStopRule(store, task.judge), foresee_every, plan.pages)
    observers: tuple[Observer, ...] = (prophet, scribe) if foresee_every else (scribe,)
    if watch:
        observers += (lambda visit, progress: watch(visit, progress, task.strategy, store),)
    labels = _Teaching(teacher, scribe.steps) if teacher else None
    shelf = store.shelf if foresee_every or guide else None  # they read there what waits
    crawl = _assembled(place, plan, task, store, observers, labels, shelf)
    crawl.guide = guide
    finish = await crawl.run(task.seeds)
    if foresee_every and crawl.progress.pages >= foresee_every:
        prophet.foresee(crawl.progress)  # what is promised where nothing waits
    store.close()
    return Played(
        steps=tuple(scribe.steps),
        finish=finish.sentence,
        links=crawl.thought.offers,
        seconds=crawl.thought.seconds,
        missing=place.web.missing - asked,
        forecasts=tuple(prophet.forecasts),
    )


def _assembled(
    place: ReplayStage,
    plan: ReplayPlan,
    task: Task,
    store: Database,
    observers: tuple[Observer, ...],
    labels: LabelFeed | None,
    shelf: FrontierStorage | None = None,
) -> Crawl:
    return build(
        task,
        store,
        CrawlParts(
            fetch=place.web,
            backlinks=BudgetedSource(KnownLinks(place.citing)),
            frontier=_frontier(plan, shelf),
            progress=Spending(
                task.judge.threshold, place.clock.now(), Budget(plan.pages), charged=plan.charged
            ),
            check=checks_of(task.settings),
            parse=place.parse,
            workers=PoliteWorkerFactory(Latency(plan.polite.luck), plan.delay).of if plan.polite else None,
            labels=labels,
            observers=observers,
        ),
    )


def _frontier(plan: ReplayPlan, shelf: FrontierStorage | None) -> Workbench:
    """Return the frontier of crawls, or one in which nothing but the priority decides what is next.

    There the target of a redirect takes the turn of the link that led to it: a strategy sees the graph of
    pages, whichever spelling of an address a link uses. And no host gets a rest unless one is asked for.
    """
    if plan.polite:
        return Workbench(plan.delay, shelf=shelf, pace=steady(plan.polite.wait))
    redirects = REVISITS if plan.in_turn else frozenset({Request.REDIRECT, Request.CANONICAL})
    return Workbench(plan.delay, shelf=shelf, urgent=redirects, heeds_rests=plan.delay > 0)


def _task(place: ReplayStage, plan: ReplayPlan, teacher: Teacher | None) -> Task:
    """Return a replay as the pipeline takes it."""
    settings, judge = _settings(plan), place.judge(plan)
    strategy = _strategy(place, plan, judge)
    if teacher and not has_own(type(strategy), Strategy.on_labels):
        raise UsageError(
            f"{plan.strategy} learns nothing from labels: name a strategy that does, such as thresher."
        )
    world = WebContext(place.web, place.clock, place.topic(plan))
    return Task(settings, world, judge, strategy, tuple(_seeds(place, plan)), make_scope(settings))


class _Scribe:
    """Writes down every visit, with the referee's verdict beside it."""

    def __init__(self, place: ReplayStage, plan: ReplayPlan) -> None:
        self.steps: list[ReplayStep] = []
        self._web, self._relevant = place.web, place.relevant(plan.topic)
        self._description = place.description(plan.topic)
        self._charged = plan.charged
        self._clock, self._began = place.clock, place.clock.now()

    def __call__(self, visit: Visit, progress: Progress) -> None:
        candidate, page = visit.candidate, visit.page
        question = candidate.kind is Request.BACKLINKS
        fetched = visit.outcome is Outcome.FETCHED and not question
        self.steps.append(
            ReplayStep(
                n=len(self.steps) + 1,
                url=self._web.spelling(candidate.url),
                outcome=Request.BACKLINKS.value if question else visit.outcome.value,
                cost=int(fetched or (question and self._charged)),
                relevance=visit.relevance,
                priority=candidate.priority,
                via=candidate.via.source if candidate.via else "",
                relevant=fetched and candidate.url in self._relevant,
                size=visit.size,
                information=self._description.information(page) if fetched and page else 0.0,
                at=self._clock.now() - self._began,
            )
        )


@dataclass
class _Prophet:
    """Foresees now and then what the rest of the budget will bring."""

    foresight: ForecastStopRule
    every: int
    budget: int
    forecasts: list[Forecast] = field(default_factory=list)

    def __call__(self, visit: Visit, progress: Progress) -> None:
        if visit.outcome is Outcome.FETCHED and not progress.pages % self.every:
            self.foresee(progress)

    def foresee(self, progress: Progress) -> None:
        """Foresee what the rest of the budget will bring, if any is left."""
        left = min(DOWNLOADS, self.budget - progress.pages)
        if left > 0:  # the last word on a number of pages counts
            self.forecasts[:] = [each for each in self.forecasts if each.pages < progress.pages]
            self.forecasts.append(self.foresight.ahead(progress, left))


def _settings(plan: ReplayPlan) -> Settings:
    """Return the settings of a replay: no rest for hosts and no rules, unless they are asked for."""
    return Settings(
        strategy=StrategySettings(plan.strategy, plan.parameters),
        judge=guide_of(plan),
        web=WebSettings(delay=plan.delay, concurrency=1),
        scope=ScopeSettings(obey_nofollow=plan.rules, rules=plan.rules),
    )


def _strategy(place: ReplayStage, plan: ReplayPlan, judge: Judge) -> Strategy:
    topic = place.topic(plan)
    if plan.strategy == "label_oracle":
        return LabelOracle(place.relevant(plan.topic), place.graph.page_of, judge=judge, topic=topic)
    if plan.strategy == "score_oracle":
        return ScoreOracle(lambda url: place.score_of(plan, url), judge=judge, topic=topic)
    return make_strategy(StrategySettings(plan.strategy, plan.parameters), judge, topic)


def _seeds(place: ReplayStage, plan: ReplayPlan) -> list[Url]:
    seeds = place.corpus.seeds(plan.topic, plan.seeds)
    for seed in seeds:
        if seed not in place.web.index or seed in place.hidden:
            raise UsageError(
                f"Seed {seed} is not in the archive of {place.corpus.name}: name another with --seeds."
            )
    return seeds
