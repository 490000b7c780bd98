"""One crawl carried out: what was asked is written first, why it ended last, and nothing is left open."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from thresher.build.pipeline import (
    CrawlParts,
    CrawlPlan,
    build,
    judge_sentence,
    make_budget,
    make_scope,
    make_seeds,
    make_warcinfo,
)
from thresher.build.plugins import has_own, make_strategy
from thresher.build.reading import (
    check_judge,
    limited_reader,
    make_judge,
    parsing_of,
    threshold_of,
    with_own_judge,
)
from thresher.build.rejudge import JUDGE_VERSION, is_edited, judge_again, judge_at_the_end
from thresher.build.remote_workers import check_bus, make_workers, workers_here
from thresher.build.resume import (
    closing_store,
    has_state,
    learn_again,
    learn_from,
    progress_of,
    replay_failed_visit,
    restore,
    start,
)
from thresher.build.second_count import (
    EARLY,
    FEWEST,
    certain_from,
    keyword_offer,
    outside_main_text,
    second_count,
)
from thresher.build.webs import (
    WebContext,
    check_backlinks,
    choose_web,
    make_backlinks,
    make_world,
    refuse_anonymous,
)
from thresher.core.errors import SettingsError
from thresher.core.interfaces import Observer, StopRule
from thresher.core.platform import set_malloc_threshold
from thresher.core.progress import Finish, FinishKind, Forecast, KeywordOffer, Progress, SecondCount
from thresher.core.records import Url, Visit
from thresher.core.strategy import LinkGuide, Strategy
from thresher.engine.crawl import Crawl
from thresher.engine.forecast import ForecastStopRule
from thresher.engine.observers import RelevantCounter, writing_status
from thresher.engine.read import as_sync
from thresher.engine.reader_process import ParserProcess
from thresher.engine.workers import Check, relaxed_gc
from thresher.filters.pages import page_checks
from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import pace_of
from thresher.settings.load import written
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.schema import CrawlMetadata
from thresher.store.trust import reaching

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NullObserver:
    """An observer that does nothing."""

    name: str

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Let a visit pass."""

    def __str__(self) -> str:
        return self.name


ignore = NullObserver("nobody else")
DISPLAY = NullObserver("display")
"""Stands in a plan for what the command line shows of a crawl."""


@dataclass(frozen=True)
class EarlyAdvice:
    """Says once when nothing certain was found, and when the topic's words stand outside most main texts."""

    store: Database
    plan: CrawlPlan
    begun: int  # pages that earlier runs fetched

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Look at the pages when there are enough of them."""
        facts, plan = self.store.facts, self.plan
        if facts.keyword_offer and visit.relevance >= certain_from(plan.judge):
            facts.keyword_offer = None
        early = progress.pages == self.begun + EARLY and visit.page
        if early and (offer := keyword_offer(self.store, plan.judge, plan.world.topic)):
            facts.keyword_offer = offer
            log.warning(offer.sentence)
        if progress.pages != FEWEST or visit.page is None:
            return
        pages = [each.page for each in self.store.pages() if each.page]
        if sentence := outside_main_text(pages, plan.judge, plan.world.topic, plan.settings.judge):
            log.warning(sentence)

    def __str__(self) -> str:
        return "early advice"


LABELS_INTERVAL = 0.5  # seconds after which a running crawl looks for labels again


class CrawlResult(Struct, frozen=True):
    """What came of a crawl."""

    folder: str
    finish_reason: str
    finish: FinishKind
    pages: int
    relevant: int
    harvest_rate: float
    threshold: float
    outcomes: dict[str, int]
    refused: dict[str, int]
    seconds: float
    forecast: Forecast | None = None  # of the next downloads, if enough was known
    second_count: SecondCount | None = None  # what the default judge says of the same pages
    keyword_offer: KeywordOffer | None = None  # where nothing certain was found


async def run(
    settings: Settings,
    folder: CrawlFolder,
    watch: Observer = ignore,
    begin: Callable[[Crawl], None] = lambda crawl: None,
    world: WebContext | None = None,
    resume: bool = False,
) -> CrawlResult:
    """Carry out one crawl in its folder; `begin` sees it before the first visit, `watch` after each.

    After `crawl.progress.stopping` is set the task may also be cancelled: then what is under way is dropped.
    """
    plan = make_plan(settings, world)
    if plan.settings.strategy.learn_from and not (resume and has_state(folder)):
        plan = _from_hubs(plan, learn_from(plan.settings.strategy, plan.strategy, plan.world.topic))
    await check_bus(plan)
    store = (folder.resume if resume else folder.create)(written(plan.settings), reaching(plan.settings))
    with closing_store(store):
        if is_edited(store, plan.world.topic, plan.settings.judge.name):
            _judge_again(plan, store)
        store.forget_revisits()  # those are for `revisit`, which plans them anew
        result = await _carry_out(plan, store, folder, watch, begin)
        if plan.settings.revisit.repository == "paper":
            store.discard(store.facts.threshold)
        return result


def _from_hubs(plan: CrawlPlan, hubs: tuple[Url, ...]) -> CrawlPlan:
    """Return the plan with other seeds, if there are any."""
    if not hubs:
        return plan
    settings = msgspec.structs.replace(plan.settings, seeds=hubs)
    return msgspec.structs.replace(plan, settings=settings, seeds=hubs)


def _judge_again(plan: CrawlPlan, store: Database) -> None:
    """Judge what an earlier run has found by the topic as it is now."""
    told = judge_again(store, plan.judge, plan.world.topic, plan.settings)
    log.warning(
        "The topic or the judge was edited: all %d pages were judged again, %d turned relevant and %d are so "
        "no longer.",
        *(told.pages, len(told.turned_relevant), len(told.no_longer)),
    )


def make_plan(settings: Settings, world: WebContext | None = None) -> CrawlPlan:
    """Return what the settings lead to; whatever is wrong with them is found here."""
    settings = with_own_judge(choose_web(settings))
    check_judge(settings)
    world = world or make_world(settings)
    judge = make_judge(settings, world.topic)
    scope = make_scope(settings)
    strategy = make_strategy(settings.strategy, judge, world.topic)
    if sentence := strategy.missing():
        log.warning(sentence)
    if sentence := judge_sentence(settings, strategy, world.topic):
        log.warning(sentence)
    check_backlinks(settings)
    seeds = tuple(make_seeds(settings.seeds or world.topic.seeds, log.warning))
    if world.needs_contact:
        refuse_anonymous(settings, seeds)
    settings = msgspec.structs.replace(settings, seeds=seeds)
    return CrawlPlan(settings, world, judge, strategy, seeds, scope)


async def _carry_out(
    plan: CrawlPlan,
    store: Database,
    folder: CrawlFolder,
    watch: Observer,
    begin: Callable[[Crawl], None],
) -> CrawlResult:
    """Run the crawl of a plan on its store, and let go of everything but the store."""
    foresight = _foresight(plan, store, watched=watch is not ignore)
    crawl = assembled(plan, store, folder, foresight, watch)
    progress = crawl.progress
    restore(store, crawl)
    foresight.forecast_at_start(progress, store.facts.finish)
    _announce(store, plan.settings, plan.world)
    begin(crawl)
    try:
        await crawl.workers.open()
        learn_again(store, crawl, plan.seeds)
        replay_failed_visit(store, crawl, as_sync(plan.judge))
        async with writing_status(folder.now, crawl.workers.under_way):
            finish = await run_until_stopped(crawl, start(store, plan.seeds))
    finally:
        await shut_down(crawl)
    progress.threshold = judge_at_the_end(store, crawl.judge, plan.judge, plan.settings)
    progress.relevant = store.tally(progress.threshold).relevant
    foresight.forecast(progress)
    facts = store.facts
    facts.forecast, facts.finish, facts.threshold = progress.forecast, finish, progress.threshold
    if sentence := plan.strategy.left_out(store):
        log.warning(sentence)
    facts.second_count = second_count(store, plan.judge, plan.world.topic, plan.settings.judge)
    facts.keyword_offer = keyword_offer(store, plan.judge, plan.world.topic)
    return _conclude(folder, finish, crawl, store.questions(), facts)


async def planned(settings: Settings, folder: CrawlFolder) -> str:
    """Return the stages of the crawl that the settings lead to, a line each; nothing is fetched or kept."""
    plan, store = make_plan(settings), Database()
    crawl = assembled(plan, store, folder, _foresight(plan, store), DISPLAY)
    await shut_down(crawl)
    store.close()
    return str(crawl)


def _foresight(plan: CrawlPlan, store: Database, watched: bool = True) -> ForecastStopRule:
    """Return what forecasts the crawl of a plan, and may end it."""
    stop = plan.settings.stop
    return ForecastStopRule(store, plan.judge, stop.below, stop.found, watched)


def assembled(
    plan: CrawlPlan, store: Database, folder: CrawlFolder, stop: StopRule, watch: Observer = ignore
) -> Crawl:
    """Return the crawl of a plan on its store, counting what earlier runs did."""
    settings, web, now = plan.settings, plan.settings.web, plan.world.clock.now()
    progress = progress_of(store, plan.judge.threshold, now, make_budget(settings, plan.world))
    pace = pace_of(web.wait_for_better, progress)
    return build(
        plan,
        store,
        CrawlParts(
            fetch=plan.world.web,
            backlinks=make_backlinks(settings, plan.world, store, folder),
            frontier=Workbench(web.delay, web.per_host, store.shelf, pace=pace),
            progress=progress,
            check=checks_of(settings),
            aside=make_parser_process(settings, plan.world),
            workers=make_workers(plan, store, folder, workers_here(plan)),
            labels=labels_of(folder),
            guide=_guide(plan),
            stop=stop,
            observers=(
                RelevantCounter(store, labels_of(folder)),
                EarlyAdvice(store, plan, progress.pages),
                watch,
            ),
        ),
    )


def _guide(plan: CrawlPlan) -> LinkGuide | None:
    """Return the model that the settings name as guide, if they do."""
    asked = plan.settings.guide
    if not asked.endpoint:
        return None
    if not asked.model:
        raise SettingsError("Name the model that guides: --guide-model, as its endpoint calls it.")
    if not has_own(type(plan.strategy), Strategy.on_opinions):
        raise SettingsError(f"{plan.settings.strategy.name} follows no guide; --strategy thresher does.")
    from thresher.models.endpoint import ModelEndpoint
    from thresher.models.guide import ModelGuide  # aiohttp: 100 ms that other crawls do not need

    networks = plan.settings.web.allow_networks
    endpoint = ModelEndpoint(asked.endpoint, asked.model, asked.key, networks, tries=1)
    return ModelGuide(plan.world.topic, endpoint, asked.tokens)


def labels_of(folder: CrawlFolder) -> Labels:
    """Return what the user says of pages, as a running crawl hears it."""
    return Labels(folder.labels, pause=LABELS_INTERVAL, strict=False)


async def run_until_stopped(crawl: Crawl, seeds: Sequence[Url]) -> Finish:
    """Return why the crawl ended; to be cancelled after being asked to stop is an end like any other."""
    try:
        set_malloc_threshold()
        crawl.start(seeds)  # here: a task that is cancelled before its first step has queued nothing
        with relaxed_gc():
            return await asyncio.create_task(crawl.run(()))
    except asyncio.CancelledError:
        if not crawl.progress.stopping or not (task := asyncio.current_task()):
            raise
        task.uncancel()
        return crawl.progress.stopping


async def shut_down(crawl: Crawl) -> None:
    """Drop what is under way and close every process and connection; if hurried, without waiting."""
    try:
        await crawl.workers.close()
    except asyncio.CancelledError:
        if not crawl.progress.stopping:
            raise


def make_parser_process(settings: Settings, world: WebContext) -> ParserProcess | None:
    """Return the process for large pages and documents.

    With virtual time there is none: the order of visits must not depend on another process.
    """
    if world.virtual_time:
        return None
    return limited_reader(parsing_of(settings), settings.web.read_timeout)


def checks_of(settings: Settings) -> tuple[Check, ...]:
    """Return the checks of a visit before it is stored."""
    return page_checks(settings.scope.rules, settings.scope.language)


def _announce(store: Database, settings: Settings, world: WebContext) -> None:
    """Keep what was asked before the first visit."""
    facts, topic = store.facts, world.topic
    facts.topic, facts.strategy, facts.judge = topic, settings.strategy.name, settings.judge.name
    if not store.last_visit():
        facts.judge_version = JUDGE_VERSION
    facts.asked, facts.threshold = settings.topic, threshold_of(settings)
    facts.warcinfo, facts.virtual_time = make_warcinfo(settings, world), world.virtual_time
    facts.finish = facts.keyword_offer = None  # those of an earlier run
    store.commit()


def _conclude(
    folder: CrawlFolder, finish: Finish, crawl: Crawl, questions: int, facts: CrawlMetadata
) -> CrawlResult:
    progress = crawl.progress
    ended = sorted((outcome.value, count) for outcome, count in progress.outcomes.items())
    return CrawlResult(
        str(folder.path),
        finish.sentence,
        finish.kind,
        progress.pages,
        progress.relevant,
        progress.harvest_rate,
        progress.threshold,
        dict(ended) | ({"asked for back-links": questions} if questions else {}),
        dict(sorted((reason.value, count) for reason, count in crawl.filters.refused.items())),
        crawl.clock.now() - progress.started,
        progress.forecast,
        facts.second_count,
        facts.keyword_offer,
    )
