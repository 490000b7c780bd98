"""A crawl kept fresh: its pages are looked at again, and what changed is kept and told."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from msgspec import Struct
from typing_extensions import override

from thresher.build.crawl import (
    DISPLAY,
    checks_of,
    ignore,
    labels_of,
    make_parser_process,
    make_plan,
    run_until_stopped,
    shut_down,
)
from thresher.build.pipeline import CrawlParts, CrawlPlan, build, make_budget
from thresher.build.rejudge import threshold_in_force
from thresher.build.remote_workers import check_bus, make_workers
from thresher.build.resume import closing_store, restore
from thresher.build.webs import (
    EarlierCrawl,
    WebContext,
    choose_web,
    make_backlinks,
    make_world,
)
from thresher.core.enums import REVISITS, ChangeKind, Outcome
from thresher.core.errors import UnknownName
from thresher.core.interfaces import Observer
from thresher.core.progress import Budget, Finish, FinishKind, Progress
from thresher.core.records import Url, Visit
from thresher.core.url import host_of
from thresher.engine.crawl import Crawl
from thresher.engine.observers import writing_status
from thresher.engine.revisit import PAUSE, Compare, HookRunner, Planner, RevisitTask
from thresher.fetch.client import Copies, Validators
from thresher.freshness.change import ChangeForm
from thresher.freshness.page_state import LOST, MOST_UNMODIFIED, Patience
from thresher.freshness.schedule import ORDERS
from thresher.frontier.revisit import RevisitFrontier
from thresher.parse.sitemap import lists_pages, parse_sitemap
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.revisits import RevisitDatabase

MOST_BYTES, MOST_DATES = 1 << 20, 3_000  # read of a sitemap for its dates: some 20 ms in which the loop waits

log = logging.getLogger(__name__)


class RevisitResult(Struct, frozen=True):
    """What came of a revisit."""

    folder: str
    finish_reason: str
    finish: FinishKind
    revisits: int
    changed: int  # revisits that found anything different but noise
    substantive: int
    lost: int  # pages that vanished, broke or moved
    discovered: int  # new pages fetched
    relevant: int  # of them
    outcomes: dict[str, int]
    seconds: float


@dataclass
class RevisitCounts:
    """Counts revisits, changes and new pages, and follows what sitemaps and feeds say of dates."""

    planner: Planner
    threshold: float
    revisits: int = 0
    changed: int = 0
    lost: int = 0
    discovered: int = 0
    relevant: int = 0

    def __str__(self) -> str:
        return "tally of revisits, changes and new pages"

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Count a visit, and follow what a sitemap or feed says of other pages."""
        self.planner.note(visit)
        _follow_dates(self.planner.store, visit)
        change = visit.change
        if visit.candidate.kind in REVISITS:
            self.revisits += 1
            self.changed += change is not None and change.kind is not ChangeKind.NOISE
            self.lost += change is not None and change.kind in LOST
        elif visit.outcome is Outcome.FETCHED:
            self.discovered += 1
            self.relevant += visit.relevance >= self.threshold


async def revisit(
    folder: CrawlFolder,
    errand: RevisitTask,
    settings: Settings,
    watch: Observer = ignore,
    begin: Callable[[Crawl], None] = lambda crawl: None,
    world: WebContext | None = None,
) -> RevisitResult:
    """Look at the pages of a crawl again, as often as the errand says; `begin` and `watch` as in `run`."""
    if errand.policy not in ORDERS:
        raise UnknownName("policy", errand.policy, ORDERS)
    store = folder.revisit()
    with closing_store(store, revisit=True):
        plan = make_plan(settings, world or make_world(choose_web(settings), _earlier(store)))
        await check_bus(plan)
        return await _carry_out(plan, store, folder, errand, watch, begin)


async def planned(errand: RevisitTask, settings: Settings, folder: CrawlFolder) -> str:
    """Return the stages of a revisit, a line each; nothing is fetched or kept."""
    store = RevisitDatabase()
    plan = make_plan(settings, make_world(choose_web(settings), _earlier(store)))
    planner = Planner(store, errand, plan.scope, plan.judge.threshold)
    crawl = _assemble(plan, store, folder, planner, (RevisitCounts(planner, plan.judge.threshold), DISPLAY))
    await shut_down(crawl)
    store.close()
    return str(crawl)


def _earlier(store: RevisitDatabase) -> EarlierCrawl:
    """Return the crawl as it was left: pages may be asked for if they changed."""
    return EarlierCrawl(store.facts.topic, store.newest(), KeptCopies(store))


@dataclass(frozen=True)
class KeptCopies(Copies):
    """The copies of a crawl that is kept fresh."""

    store: RevisitDatabase

    @override
    def validators(self, url: Url) -> Validators | None:
        """Return by what words the server knows our copy; now and then none, to see for ourselves."""
        state = self.store.watched(url)
        if state is None or state.is_suspect or state.unmodified >= MOST_UNMODIFIED:
            return None
        if not (state.etag or state.modified) or not self.store.trust(host_of(url)).validators:
            return None
        return Validators(state.etag, state.modified)


async def _carry_out(
    plan: CrawlPlan,
    store: RevisitDatabase,
    folder: CrawlFolder,
    errand: RevisitTask,
    watch: Observer,
    begin: Callable[[Crawl], None],
) -> RevisitResult:
    settings, world, threshold = plan.settings, plan.world, threshold_in_force(store, plan.judge)
    planner = Planner(store, errand, plan.scope, threshold)
    tally = RevisitCounts(planner, threshold)
    networks = settings.web.allow_networks
    teller = HookRunner(store, settings.revisit, threshold, world.clock, networks)
    _set_in_order(store, world.clock.now(), settings, errand)
    teller.begin()
    crawl = _assemble(plan, store, folder, planner, (tally, watch))
    begin(crawl)
    telling = asyncio.create_task(teller.keep_telling())
    try:
        await crawl.workers.open()
        async with writing_status(folder.now, crawl.workers.under_way):
            finish = await run_until_stopped(crawl, [])
    finally:
        telling.cancel()
        await shut_down(crawl)
    if finish.kind is FinishKind.NOTHING_LEFT:
        store.facts.pass_new_pages = None
    store.facts.revisit_finish = finish
    if settings.revisit.repository == "paper":
        store.discard(threshold)
    await teller.tell()
    return _conclude(folder, finish, store, tally, crawl.progress, world.clock.now())


def _set_in_order(store: RevisitDatabase, now: float, settings: Settings, errand: RevisitTask) -> None:
    """Undo what a wrong clock may have left, and forget revisits that will be planned anew."""
    store.calm(now, settings.web.longest_rest)
    store.facts.revisit_finish = None  # that of an earlier one
    if not errand.once or store.facts.pass_new_pages is None:
        store.forget_revisits()
    store.commit()


def _assemble(
    plan: CrawlPlan,
    store: RevisitDatabase,
    folder: CrawlFolder,
    planner: Planner,
    observers: tuple[Observer, ...],
) -> Crawl:
    settings, world, once = plan.settings, plan.world, planner.errand.once
    page_patience = Patience(settings.revisit.missing_after, settings.revisit.failed_after)
    form = ChangeForm(settings.revisit.change)
    patience = make_budget(settings, world).patience if once else inf
    budget = Budget(seconds=settings.stop.seconds, patience=patience)
    compare = Compare(store, world.clock, page_patience, form, 0.0 if once else PAUSE)
    crawl = build(
        plan,
        store,
        CrawlParts(
            fetch=world.web,
            backlinks=make_backlinks(settings, world, store, folder),
            frontier=RevisitFrontier(settings.web.delay, settings.web.per_host, store.shelf, planner=planner),
            progress=Progress(planner.threshold, world.clock.now(), budget),
            check=checks_of(settings),
            compare=(compare,),
            aside=make_parser_process(settings, world),
            workers=make_workers(
                plan, store, folder, settings.web.workers or 0, (compare,), KeptCopies(store)
            ),
            labels=labels_of(folder),
            observers=observers,
        ),
    )
    restore(store, crawl, timed=False)
    return crawl


def _follow_dates(store: RevisitDatabase, visit: Visit) -> None:
    """Note what a sitemap or feed says of when its pages changed."""
    fetched = visit.fetched
    if fetched is None or fetched.status != 200 or not lists_pages(fetched):
        return
    first = {"max_bytes": MOST_BYTES, "max_urls": MOST_DATES, "max_elements": 5 * MOST_DATES}
    listed = parse_sitemap(fetched.body, fetched.url, **first).urls
    store.hint(visit.candidate.url, [(entry.url, entry.lastmod) for entry in listed if entry.lastmod])


def _conclude(
    folder: CrawlFolder,
    finish: Finish,
    store: RevisitDatabase,
    tally: RevisitCounts,
    progress: Progress,
    now: float,
) -> RevisitResult:
    outcomes = sorted(progress.outcomes.items(), key=lambda each: each[0].value)
    return RevisitResult(
        folder=str(folder.path),
        finish_reason=finish.sentence,
        finish=finish.kind,
        revisits=tally.revisits,
        changed=tally.changed,
        substantive=sum(version.substantive for version in store.versions(progress.started)),
        lost=tally.lost,
        discovered=tally.discovered,
        relevant=tally.relevant,
        outcomes={outcome.value: count for outcome, count in outcomes},
        seconds=now - progress.started,
    )
