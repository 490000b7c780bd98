"""One strategy on one recorded web: every visit in order, what it cost, and the referee's verdict."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from time import process_time

from msgspec import Struct
from msgspec.structs import replace

from thresher.build.parts import make_mind, make_scope
from thresher.build.plugins import make_strategy
from thresher.core.errors import UsageError
from thresher.core.progress import Budget, Forecast, Progress
from thresher.core.protocols import Frontier, Judge, Memory, Strategy, Teachable, Workers
from thresher.core.records import Candidate, Outcome, Url, Visit, Want
from thresher.core.url import asked_key
from thresher.engine.fetch_stage import Visitor
from thresher.engine.forecast import DOWNLOADS, Foresight
from thresher.engine.loop import Crawl
from thresher.engine.loud import LoudStrategy
from thresher.engine.taught import TaughtStrategy
from thresher.engine.workers import LocalWorkers
from thresher.fetch.backlinks import KnownLinks, WithBacklinks
from thresher.frontier.pace import Steady
from thresher.frontier.workbench import Workbench
from thresher.gate.soft404 import review
from thresher.lab.oracles import LabelOracle, ScoreOracle
from thresher.lab.politeness import Latency, PoliteWorkers
from thresher.lab.setup import Plan, Stage
from thresher.settings.model import ScopeSettings, Settings, StrategySettings, WebSettings
from thresher.store.database import Database


@dataclass
class PromptFrontier:
    """The frontier behind it, in which the target of a redirect takes the turn of the link that led to it.

    So a strategy sees the graph of pages, whichever spelling of an address a link uses. Unless `polite`,
    what hosts ask for in pauses is not waited for: nothing but the price decides who is next.
    """

    inner: Frontier
    polite: bool = False
    _onward: dict[int, Candidate] = field(default_factory=dict)

    def offer(self, candidates: Iterable[Candidate]) -> int:
        """Queue the new; what a redirect leads to comes next."""
        return self.inner.offer(map(self._promptly, candidates))

    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate, with the price its strategy gave it."""
        candidate = self.inner.take(now)
        return self._onward.pop(asked_key(candidate), candidate) if candidate else None

    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        """Let the host rest, if anybody asked for that."""
        self.inner.done(candidate, now, rest if self.polite else 0.0)

    def wake(self) -> float | None:
        """Return when the next resting host is ready."""
        return self.inner.wake()

    def __len__(self) -> int:
        return len(self.inner)

    def _promptly(self, candidate: Candidate) -> Candidate:
        if not candidate.redirects:
            return candidate
        self._onward[asked_key(candidate)] = candidate
        return replace(candidate, priority=inf, reprice=True)


ORACLES = ("label_oracle", "score_oracle")


class Step(Struct, frozen=True):
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

    steps: tuple[Step, ...]
    finish: str
    links: int  # candidates that the strategy offered
    seconds: float  # of processor time that the strategy took to think
    missing: int  # questions about pages that the archive does not have
    forecasts: tuple[Forecast, ...] = ()  # of what is left of the budget, where they were asked for


Teacher = Callable[[Sequence[Step]], Mapping[Url, bool]]


def play(place: Stage, plan: Plan, foresee_every: int = 0, teacher: Teacher | None = None) -> Played:
    """Run one strategy to the end of its budget, and return its visits, and forecasts if asked for.

    A teacher is asked after every visit what there is to say of the pages so far.
    """
    return asyncio.run(_play(place, plan, foresee_every, teacher))


@dataclass
class Spending(Progress):
    """Counts back-link questions as pages: who asks pays, unless its plan says that answers are free."""

    questions: int = 0
    charged: bool = True

    def add(self, visit: Visit) -> None:
        """Count a visit, and a question too."""
        super().add(visit)
        self.questions += self.charged and visit.candidate.want is Want.BACKLINKS

    @property
    def pages(self) -> int:
        """How much of the budget is spent."""
        return self.outcomes[Outcome.FETCHED] + self.questions


@dataclass
class Timed:
    """The strategy behind it, with the time it takes and the candidates it offers."""

    inner: Strategy
    seconds: float = 0.0
    links: int = 0

    def start(self, seeds: Sequence[Url]) -> list[Candidate]:
        """Ask for the first candidates."""
        return list(self.inner.start(seeds))

    def learn(self, visit: Visit, memory: Memory) -> list[Candidate]:
        """Ask what a visit suggests, with the clock running."""
        began = process_time()
        offers = list(self.inner.learn(visit, memory))
        self.seconds += process_time() - began
        self.links += len(offers)
        return offers

    def more(self, memory: Memory) -> list[Candidate]:
        """Ask for further candidates, with the clock running."""
        began = process_time()
        offers = list(self.inner.more(memory))
        self.seconds += process_time() - began
        self.links += len(offers)
        return offers


async def _play(place: Stage, plan: Plan, foresee_every: int, teacher: Teacher | None) -> Played:
    settings, store = _settings(plan), Database()
    judge, seeds = place.judge(plan), _seeds(place, plan)
    scribe, asked = _Scribe(place, plan), place.web.missing
    strategy = _strategy(place, plan, judge)
    timed = Timed(_pupil(strategy, plan.strategy, teacher, scribe.steps) if teacher else strategy)
    shelf = store.shelf if foresee_every else None  # a forecast reads there what waits
    bench = partial(Workbench, pace=Steady(plan.polite.wait) if plan.polite else None)
    loud, scope = LoudStrategy(timed, plan.strategy), make_scope(settings)
    mind, frontier = make_mind(settings, loud, scope, shelf, bench)
    web = WithBacklinks(place.web, KnownLinks(place.citing), place.clock)
    visitor = Visitor(web, place.parse, judge, place.clock, settings.web.max_redirects)
    visitor.review = review if plan.rules else visitor.review
    prophet = _Prophet(Foresight(store, judge), foresee_every, plan.pages, scribe.write)
    crawl = Crawl(
        mind,
        frontier if plan.polite else PromptFrontier(frontier, plan.delay > 0),
        _workers(visitor, place, plan),
        store,
        place.clock,
        Spending(judge.threshold, place.clock.now(), Budget(plan.pages), charged=plan.charged),
        prophet.write if foresee_every else scribe.write,
    )
    finish = (await crawl.run(seeds)).sentence
    store.close()
    missing = place.web.missing - asked
    return Played(tuple(scribe.steps), finish, timed.links, timed.seconds, missing, tuple(prophet.forecasts))


def _workers(visitor: Visitor, place: Stage, plan: Plan) -> Workers:
    """Return many hands and answers that take their time, as in a crawl, or one that is answered at once."""
    if plan.polite is None:
        return LocalWorkers(visitor.visit, 1, place.clock)
    return PoliteWorkers(visitor.visit, place.clock, Latency(plan.polite.luck), plan.delay)


class _Scribe:
    """Writes down every visit, with the referee's verdict beside it."""

    def __init__(self, place: Stage, plan: Plan) -> None:
        self.steps: list[Step] = []
        self._web, self._relevant = place.web, place.relevant(plan.topic)
        self._description = place.description(plan.topic)
        self._charged = plan.charged
        self._clock, self._began = place.clock, place.clock.now()

    def write(self, visit: Visit, progress: Progress) -> None:
        candidate, page = visit.candidate, visit.page
        question = candidate.want is Want.BACKLINKS
        fetched = visit.outcome is Outcome.FETCHED and not question
        self.steps.append(
            Step(
                n=len(self.steps) + 1,
                url=self._web.spelling(candidate.url),
                outcome=Want.BACKLINKS.value if question else visit.outcome.value,
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
    """Foresees now and then what the rest of the budget will bring, and lets the visit be written down."""

    foresight: Foresight
    every: int
    budget: int
    then: Callable[[Visit, Progress], None]
    forecasts: list[Forecast] = field(default_factory=list)

    def write(self, visit: Visit, progress: Progress) -> None:
        left = min(DOWNLOADS, self.budget - progress.pages)
        if visit.outcome is Outcome.FETCHED and not progress.pages % self.every and left > 0:
            self.forecasts.append(self.foresight.ahead(progress, left))
        self.then(visit, progress)


def _settings(plan: Plan) -> Settings:
    """Return the settings of a replay: no rest for hosts and no rules, unless they are asked for."""
    return Settings(
        strategy=StrategySettings(plan.strategy, plan.parameters),
        judge=plan.judge,
        web=WebSettings(delay=plan.delay, concurrency=1),
        scope=ScopeSettings(obey_nofollow=plan.rules, rules=plan.rules),
    )


def _strategy(place: Stage, plan: Plan, judge: Judge) -> Strategy:
    if plan.strategy == "label_oracle":
        return LabelOracle(place.relevant(plan.topic), place.graph.page_of)
    if plan.strategy == "score_oracle":
        return ScoreOracle(lambda url: place.score_of(plan, url))
    return make_strategy(StrategySettings(plan.strategy, plan.parameters), judge, place.topic(plan))


def _pupil(strategy: Strategy, name: str, teacher: Teacher, steps: Sequence[Step]) -> Strategy:
    if not isinstance(strategy, Teachable):
        raise UsageError(f"{name} learns nothing from labels: name a strategy that does, such as thresher.")
    return TaughtStrategy(strategy, strategy, lambda: teacher(steps))


def _seeds(place: Stage, plan: Plan) -> list[Url]:
    seeds = place.corpus.seeds(plan.topic, plan.seeds)
    for seed in seeds:
        if seed not in place.web.index or seed in place.hidden:
            raise UsageError(
                f"Seed {seed} is not in the archive of {place.corpus.name}: name another with --seeds."
            )
    return seeds
