"""The pipeline: one crawl of stages, for crawl, resume, revisit and the lab's replay alike.

                fetch              check              frontier         labels      stop      observers
crawl, resume   live or practice   missing, noindex   Workbench        labels.csv  forecast  recount, display
revisit         on conditions      and then compare   RevisitFrontier  labels.csv  -         tally, display
replay          an archive         as asked for       redirects first  a teacher   -         log, forecasts

Nothing is ever wrapped round a strategy: what is done before and after it is a stage of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

from msgspec import Struct

from thresher.build.reading import learner_of, make_parser
from thresher.build.webs import WebContext
from thresher.core.enums import TopicForm
from thresher.core.errors import InvalidUrl, NoSeedLeft, NoSeeds
from thresher.core.interfaces import (
    BacklinkSource,
    Clock,
    Frontier,
    Judge,
    Observer,
    StopRule,
    Web,
    Workers,
)
from thresher.core.progress import Budget, Progress
from thresher.core.records import Topic, Url
from thresher.core.strategy import LabelFeed, LinkGuide, Strategy
from thresher.core.url import parse as parse_url
from thresher.core.url import with_scheme
from thresher.engine.crawl import Crawl
from thresher.engine.read import PageReader
from thresher.engine.reader_process import Parse, ParserProcess
from thresher.engine.workers import Check, LocalWorkers, Visitor
from thresher.fetch.request_headers import NAME, VERSION, agent_of
from thresher.filters.filters import FilterChain
from thresher.filters.pages import PageRules
from thresher.filters.traps import Budgets, Traps
from thresher.filters.urls import Scope, patterns
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.text.languages import PLAIN

# Settings become objects: scope, filters, budget and seeds


def judge_sentence(settings: Settings, strategy: Strategy, topic: Topic) -> str:
    """Return what tells pages apart in a crawl by a paper, in one line; nothing for other strategies."""
    if not strategy.defaults.judge:
        return ""
    labels = settings.topic.form == TopicForm.LABELS.value and topic.path
    seen = f"labels of {' / '.join(topic.path)}" if labels else strategy.goes_by()
    judge = settings.judge
    return f"{settings.strategy.name}: judge {judge.name}, relevant above {judge.threshold:g}, topic: {seen}."


def make_scope(settings: Settings) -> Scope:
    """Return the rules for which links may be followed at all."""
    rules = settings.scope
    return Scope(
        frozenset(domain.lower() for domain in rules.domains),
        patterns(rules.include),
        patterns(rules.exclude),
        rules.depth,
        rules.obey_nofollow,
    )


def make_filters(settings: Settings, scope: Scope, threshold: float) -> FilterChain:
    """Return what decides which links are queued; a page of that relevance was worth its request."""
    pages = PageRules(threshold, settings.scope.obey_nofollow)
    return FilterChain(scope, make_traps(settings), pages, settings.scope.rules, settings.web.max_redirects)


def make_traps(settings: Settings) -> Traps:
    """Return what keeps the crawl out of sites without end."""
    asked = settings.traps
    return Traps(
        Budgets(
            url_length=asked.url_length,
            path_depth=asked.path_depth,
            repeats=asked.path_repeats,
            query_parameters=asked.query_parameters,
            template=asked.template_budget,
            host=asked.host_budget,
            host_pages=asked.host_pages,
        )
    )


def make_budget(settings: Settings, world: WebContext) -> Budget:
    """Return what the crawl may spend."""
    patience = inf if world.virtual_time else settings.web.longest_wait
    return Budget(settings.stop.pages, settings.stop.relevant, settings.stop.seconds, patience)


def make_seeds(texts: Iterable[str], complain: Callable[[str], None]) -> list[Url]:
    """Return the seeds that are URLs, and complain about the others; none left is an error."""
    seeds, complaints = [], []
    for text in texts:
        try:
            seeds.append(parse_url(with_scheme(text)))
        except InvalidUrl as error:
            complaints.append(str(error))
    if complaints and not seeds:
        raise NoSeedLeft(f"No seed is left to start from. {' '.join(complaints)}")
    if not seeds:
        raise NoSeeds("No seed to start from; give one with --seed URL.")
    for complaint in complaints:
        complain(complaint)
    return seeds


def make_warcinfo(settings: Settings, world: WebContext) -> dict[str, str]:
    """Return the warcinfo of every archive file: software, user agent and topic; no local path."""
    facts = {
        "software": f"{NAME}/{VERSION}",
        "operator": settings.web.contact,
        "http-header-user-agent": agent_of(settings.web),
        "robots": "obeyed, as RFC 9309 says" if world.robots else "",
        "isPartOf": world.topic.name,
        "description": f"focused crawl by the strategy {settings.strategy.name}",
    }
    return {name: value for name, value in facts.items() if value}


WorkerFactory = Callable[[Visitor, Clock], Workers]
"""Makes workers in other processes or on other machines, by way of a visitor or in its place."""


class CrawlPlan(Struct, frozen=True):
    """Everything that is decided before the folder is touched."""

    settings: Settings
    world: WebContext
    judge: Judge
    strategy: Strategy
    seeds: tuple[Url, ...]
    scope: Scope


@dataclass(frozen=True)
class CrawlParts:
    """What differs between a crawl, a revisit and a replay."""

    fetch: Web
    frontier: Frontier
    progress: Progress
    check: tuple[Check, ...] = ()
    backlinks: BacklinkSource | None = None
    parse: Parse | None = None  # None: as the settings and the strategy ask for
    aside: ParserProcess | None = None  # for large pages and documents
    compare: tuple[Check, ...] = ()  # checks that need the store
    workers: WorkerFactory | None = None  # None: as many tasks of this process as the settings say
    labels: LabelFeed | None = None
    guide: LinkGuide | None = None
    stop: StopRule | None = None
    observers: tuple[Observer, ...] = ()


def build(plan: CrawlPlan, store: Database, put_in: CrawlParts) -> Crawl:
    """Return the crawl of a plan, made of its stages, on a store."""
    settings, clock = plan.settings, plan.world.clock
    learned = learner_of(plan.judge, settings.judge, plan.world.topic, store)
    counts_words = plan.strategy.needs.words or learned is not None
    judged_later = learned is not None and learned.judges and not put_in.compare
    parse = put_in.parse or make_parser(settings)
    language = plan.world.topic.language or PLAIN
    reader = PageReader(parse, plan.judge, put_in.aside, counts_words, not judged_later, language)
    redirects, checks = settings.web.max_redirects, (*put_in.check, *put_in.compare)
    visitor = Visitor(put_in.fetch, reader, clock, redirects, checks, put_in.backlinks)
    local = LocalWorkers(visitor, settings.web.concurrency, clock)
    return Crawl(
        workers=put_in.workers(visitor, clock) if put_in.workers else local,
        store=store,
        strategy=plan.strategy,
        filters=make_filters(settings, plan.scope, plan.judge.threshold),
        frontier=put_in.frontier,
        clock=clock,
        progress=put_in.progress,
        labels=put_in.labels,
        guide=put_in.guide,
        stop=put_in.stop,
        observers=put_in.observers,
        judge=learned,
        name=settings.strategy.name,
    )
