"""One crawl carried out: what was asked is written first, why it ended last, and nothing is left open."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from thresher.build.pipeline import (
    Plan,
    Stages,
    build,
    judge_sentence,
    make_budget,
    make_scope,
    make_seeds,
    make_warcinfo,
)
from thresher.build.plugins import make_strategy
from thresher.build.reading import (
    check_judge,
    limited_reader,
    make_judge,
    parsing_of,
    threshold_of,
    with_own_judge,
)
from thresher.build.rejudge import JUDGE_VERSION, is_edited, judge_again, judge_at_the_end
from thresher.build.remote_workers import check_bus, make_hands, workers_here
from thresher.build.resume import (
    closed_in_order,
    has_mind,
    learn_again,
    learn_from,
    learn_the_rest,
    progress_of,
    restore,
    start,
)
from thresher.build.second_count import FEWEST, outside_main_text, second_count
from thresher.build.webs import (
    World,
    check_backlinks,
    make_backlinks,
    make_world,
    refuse_anonymous,
    settle,
)
from thresher.core.interfaces import Observer, StopRule
from thresher.core.platform import return_large_blocks
from thresher.core.progress import Finish, FinishKind, Forecast, Progress, SecondCount
from thresher.core.records import Topic, Url, Visit
from thresher.engine.crawl import Crawl
from thresher.engine.forecast import Foresight
from thresher.engine.observers import Recount, telling_now
from thresher.engine.read import at_once
from thresher.engine.reader_process import LimitedReader
from thresher.engine.workers import Check, seldom_collected
from thresher.filters.pages import drop_missing, drop_noindex
from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import pace_of
from thresher.settings.load import written
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.trust import reaching

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Onlooker:
    """An observer that does nothing."""

    name: str

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Let a visit pass."""

    def __str__(self) -> str:
        return self.name


ignore = Onlooker("nobody else")
DISPLAY = Onlooker("display")
"""Stands in a plan for what the command line shows of a crawl."""


@dataclass(frozen=True)
class WarnOfMenus:
    """Warns once when the topic's words stand outside the main text of most pages."""

    store: Database
    plan: Plan

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Look at the pages when there are enough of them."""
        if progress.pages != FEWEST or visit.page is None:
            return
        pages = [each.page for each in self.store.pages() if each.page]
        plan = self.plan
        if sentence := outside_main_text(pages, plan.judge, plan.world.topic, plan.settings.judge):
            log.warning(sentence)

    def __str__(self) -> str:
        return "warning of menus"


LOOK_FOR_LABELS = 0.5  # seconds after which a running crawl looks for labels again


class Result(Struct, frozen=True):
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


async def run(
    settings: Settings,
    folder: CrawlFolder,
    watch: Observer = ignore,
    begin: Callable[[Crawl], None] = lambda crawl: None,
    world: World | None = None,
    resume: bool = False,
) -> Result:
    """Carry out one crawl in its folder; `begin` sees it before the first visit, `watch` after each.

    After `crawl.progress.stopping` is set the task may also be cancelled: then what is under way is dropped.
    """
    plan = make_plan(settings, world)
    if plan.settings.strategy.learn_from and not (resume and has_mind(folder)):
        plan = _from_hubs(plan, learn_from(plan.settings.strategy, plan.strategy, plan.world.topic))
    await check_bus(plan.settings)
    store = (folder.resume if resume else folder.create)(written(plan.settings), reaching(plan.settings))
    with closed_in_order(store):
        if is_edited(store, plan.world.topic, plan.settings.judge.name):
            _judge_again(plan, store)
        store.forget_looks()  # those are for `revisit`, which plans them anew
        result = await _carry_out(plan, store, folder, watch, begin)
        if plan.settings.revisit.repository == "paper":
            store.discard(store.facts.threshold)
        return result


def _from_hubs(plan: Plan, hubs: tuple[Url, ...]) -> Plan:
    """Return the plan with other seeds, if there are any."""
    if not hubs:
        return plan
    settings = msgspec.structs.replace(plan.settings, seeds=hubs)
    return msgspec.structs.replace(plan, settings=settings, seeds=hubs)


def _judge_again(plan: Plan, store: Database) -> None:
    """Judge what an earlier run has found by the topic as it is now."""
    told = judge_again(store, plan.judge, plan.world.topic, plan.settings)
    log.warning(
        "The topic or the judge was edited: all %d pages were judged again, %d turned relevant and %d are so "
        "no longer.",
        *(told.pages, len(told.turned_relevant), len(told.no_longer)),
    )


def make_plan(settings: Settings, world: World | None = None) -> Plan:
    """Return what the settings lead to; whatever is wrong with them is found here."""
    settings = with_own_judge(settle(settings))
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
    refuse_anonymous(settings, seeds)
    settings = msgspec.structs.replace(settings, seeds=seeds)
    return Plan(settings, world, judge, strategy, seeds, scope)


async def _carry_out(
    plan: Plan,
    store: Database,
    folder: CrawlFolder,
    watch: Observer,
    begin: Callable[[Crawl], None],
) -> Result:
    """Run the crawl of a plan on its store, and let go of everything but the store."""
    foresight = _foresight(plan, store, watched=watch is not ignore)
    crawl = assembled(plan, store, folder, foresight, watch)
    progress = crawl.progress
    restore(store, crawl)
    foresight.look_again(progress, store.facts.finish)
    _announce(store, plan.settings, plan.world.topic)
    begin(crawl)
    try:
        await crawl.workers.open()
        learn_again(store, crawl, plan.seeds)
        learn_the_rest(store, crawl, at_once(plan.judge))
        async with telling_now(folder.now, crawl.workers.under_way):
            finish = await end_of(crawl, start(store, plan.seeds))
    finally:
        await shut_down(crawl)
    progress.threshold = judge_at_the_end(store, crawl.learned, plan.judge, plan.settings)
    progress.relevant = store.tally(progress.threshold).relevant
    foresight.look(progress)
    facts = store.facts
    facts.forecast, facts.finish, facts.threshold = progress.forecast, finish, progress.threshold
    facts.second_count = second_count(store, plan.judge, plan.world.topic, plan.settings.judge)
    return _conclude(folder, finish, crawl, store.questions(), facts.second_count)


async def planned(settings: Settings, folder: CrawlFolder) -> str:
    """Return the stages of the crawl that the settings lead to, a line each; nothing is fetched or kept."""
    plan, store = make_plan(settings), Database()
    crawl = assembled(plan, store, folder, _foresight(plan, store), DISPLAY)
    await shut_down(crawl)
    store.close()
    return str(crawl)


def _foresight(plan: Plan, store: Database, watched: bool = True) -> Foresight:
    """Return what forecasts the crawl of a plan, and may end it."""
    stop = plan.settings.stop
    return Foresight(store, plan.judge, stop.below, stop.found, watched)


def assembled(
    plan: Plan, store: Database, folder: CrawlFolder, stop: StopRule, watch: Observer = ignore
) -> Crawl:
    """Return the crawl of a plan on its store, counting what earlier runs did."""
    settings, web, now = plan.settings, plan.settings.web, plan.world.clock.now()
    progress = progress_of(store, plan.judge.threshold, now, make_budget(settings))
    pace = pace_of(web.wait_for_better, progress)
    return build(
        plan,
        store,
        Stages(
            fetch=plan.world.web,
            backlinks=make_backlinks(settings, plan.world, store, folder),
            frontier=Workbench(web.delay, web.per_host, store.shelf, pace=pace),
            progress=progress,
            check=checks_of(settings),
            aside=make_aside(settings),
            workers=make_hands(plan, store, folder, workers_here(plan)),
            labels=labels_of(folder),
            stop=stop,
            observers=(Recount(store, labels_of(folder)), WarnOfMenus(store, plan), watch),
        ),
    )


def labels_of(folder: CrawlFolder) -> Labels:
    """Return what the user says of pages, as a running crawl hears it."""
    return Labels(folder.labels, pause=LOOK_FOR_LABELS, strict=False)


async def end_of(crawl: Crawl, seeds: Sequence[Url]) -> Finish:
    """Return why the crawl ended; to be cancelled after being asked to stop is an end like any other."""
    try:
        return_large_blocks()
        with seldom_collected():
            return await crawl.run(seeds)
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


def make_aside(settings: Settings) -> LimitedReader | None:
    """Return the process for large pages and documents.

    With virtual time there is none: the order of visits must not depend on another process.
    """
    if settings.web.kind != "live":
        return None
    return limited_reader(parsing_of(settings), settings.web.read_timeout)


def checks_of(settings: Settings) -> tuple[Check, ...]:
    """Return the second looks at a visit that every crawl with rules takes."""
    return (drop_missing, drop_noindex) if settings.scope.rules else ()


def _announce(store: Database, settings: Settings, topic: Topic) -> None:
    """Keep what was asked before the first visit."""
    facts = store.facts
    facts.topic, facts.strategy, facts.judge = topic, settings.strategy.name, settings.judge.name
    if not store.last_visit():
        facts.judge_version = JUDGE_VERSION
    facts.asked, facts.threshold = settings.topic, threshold_of(settings)
    facts.warcinfo = make_warcinfo(settings, topic)
    facts.finish = None  # that of an earlier run
    store.commit()


def _conclude(
    folder: CrawlFolder, finish: Finish, crawl: Crawl, questions: int, second: SecondCount
) -> Result:
    progress = crawl.progress
    ended = sorted((outcome.value, count) for outcome, count in progress.outcomes.items())
    return Result(
        str(folder.path),
        finish.sentence,
        finish.kind,
        progress.pages,
        progress.relevant,
        progress.harvest_rate,
        progress.threshold,
        dict(ended) | ({"asked for back-links": questions} if questions else {}),
        dict(sorted((reason.value, count) for reason, count in crawl.gate.refused.items())),
        crawl.clock.now() - progress.started,
        progress.forecast,
        second,
    )
