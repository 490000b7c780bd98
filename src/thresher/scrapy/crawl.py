"""A crawl whose requests Scrapy makes: topic, judge, strategy, frontier and folder, without a web."""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import override

from thresher.build.pipeline import CrawlParts, CrawlPlan, build, make_budget, make_scope
from thresher.build.plugins import make_strategy
from thresher.build.reading import check_judge, make_judge, threshold_of, with_own_judge
from thresher.build.rejudge import JUDGE_VERSION, judge_at_the_end
from thresher.build.resume import progress_of, restore, start
from thresher.build.topic import topic_of
from thresher.build.webs import WebContext
from thresher.core.caches import LruDict
from thresher.core.clock import SteadyClock
from thresher.core.enums import NO_NEW_PAGES
from thresher.core.errors import SettingsError
from thresher.core.interfaces import Clock, Web, Workers
from thresher.core.progress import Finish, Progress
from thresher.core.records import Candidate, Fetched, Url, Visit
from thresher.core.url import host_of, key_of
from thresher.engine.crawl import Crawl
from thresher.engine.forecast import ForecastStopRule
from thresher.engine.workers import LocalWorkers, Visitor
from thresher.filters.pages import drop_missing, drop_noindex
from thresher.frontier.frontier import Workbench
from thresher.settings.load import Override, read, written
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.trust import reaching

Made = TypeVar("Made")
PRICES = 200_000  # links that no callback has asked for yet, of which the prices are kept


class ResponseWeb(Web):
    """A web that has one response: the one that Scrapy brought last."""

    fetched: Fetched

    @override
    async def get(self, candidate: Candidate) -> Fetched:
        return self.fetched


class UnpausedClock(SteadyClock):
    """A clock by which nothing waits: Scrapy's reactor gives others their turn."""

    @override
    async def sleep(self, seconds: float) -> None:
        """Go on at once."""


def at_once(work: Coroutine[Any, Any, Made]) -> Made:
    """Return what comes of work that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        made: Made = done.value
        return made
    raise AssertionError("This work waits for something.")


class RequestedFrontier(Workbench):
    """A frontier that queues only what a spider asks for; of other links it keeps the price until then."""

    def __post_init__(self) -> None:
        """Begin without prices."""
        super().__post_init__()
        self._prices: LruDict[int, Candidate] = LruDict(PRICES)

    def want(self, url: Url, unknown: Candidate) -> bool:
        """Queue a page that a spider asks for, by its price if it has one, and tell whether it was new."""
        key = key_of(url)
        known = self._prices.get(key) or unknown
        self._prices.drop(key)
        return bool(super().push([known]))

    def waits(self, url: Url) -> bool:
        """Tell whether a page is queued."""
        host, key = self._hosts.get(host_of(url)), key_of(url)
        return host is not None and (key in self._hot or host.cold.find(key) is not None)

    @override
    def push(self, candidates: Sequence[Candidate]) -> int:
        for candidate in candidates:
            if candidate.kind not in NO_NEW_PAGES:
                key = key_of(candidate.url)
                known = self._prices.get(key)
                if known is None or known.priority < candidate.priority:
                    self._prices.put(key, candidate)
        return 0

    @override
    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        if key_of(candidate.url) in self._flying:  # what passes by the frontier has no place there
            super().done(candidate, now, rest)


@dataclass
class FocusedCrawl:
    """What a scheduler asks: which request is best now, and what a response was worth."""

    plan: CrawlPlan
    store: Database
    web: ResponseWeb
    frontier: RequestedFrontier
    judged: Visit | None = None  # the latest
    crawl: Crawl = field(init=False)

    def __post_init__(self) -> None:
        """Put the stages together, and take up what an earlier run has left."""
        plan, store = self.plan, self.store
        stop = plan.settings.stop
        progress = progress_of(
            store, plan.judge.threshold, plan.world.clock.now(), make_budget(plan.settings, plan.world)
        )
        parts = CrawlParts(
            fetch=plan.world.web,
            frontier=self.frontier,
            progress=progress,
            check=(drop_missing, drop_noindex),
            stop=ForecastStopRule(store, plan.judge, stop.below, stop.found, watched=False),
            observers=(self._keep,),
            workers=self._no_workers,
        )
        self.crawl = build(plan, store, parts)
        restore(store, self.crawl)
        self._announce()

    def start(self, seeds: Sequence[Url]) -> None:
        """Let the strategy begin with what a spider starts from."""
        self.crawl.start(start(self.store, (*self.store.facts.seeds, *seeds)))

    def read(self, fetched: Fetched) -> Visit:
        """Return the visit that a response makes: parsed and checked, and judged later."""
        self.web.fetched = fetched
        return at_once(self._visitor.visit(fetched.candidate))

    def add(self, visit: Visit) -> Visit:
        """Judge a visit, store it, learn from it, and return it as judged."""
        at_once(self.crawl.process(visit))
        self.store.pause()
        return self.judged or visit

    def finish(self) -> Finish | None:
        """Return why the crawl should end now, if it should."""
        return self.crawl.progress.finished(self.now())

    def now(self) -> float:
        """Return the time."""
        return self.plan.world.clock.now()

    def close(self, finish: Finish) -> None:
        """Judge all pages by what was learned to the end, and let go of the folder."""
        store, plan, facts = self.store, self.plan, self.store.facts
        facts.threshold = judge_at_the_end(store, self.crawl.judge, plan.judge, plan.settings)
        facts.finish = finish
        store.close()

    def _no_workers(self, visitor: Visitor, clock: Clock) -> Workers:
        """Keep what makes visits of responses: Scrapy fetches them."""
        self._visitor = visitor
        return LocalWorkers(visitor, 0, clock)

    def _keep(self, visit: Visit, progress: Progress) -> None:
        self.judged = visit

    def _announce(self) -> None:
        facts, settings = self.store.facts, self.plan.settings
        facts.topic, facts.strategy, facts.judge = (
            self.plan.world.topic,
            settings.strategy.name,
            settings.judge.name,
        )
        if not self.store.last_visit():
            facts.judge_version = JUDGE_VERSION
        facts.asked, facts.threshold, facts.finish = settings.topic, threshold_of(settings), None
        self.store.commit()


def open_crawl(named: Mapping[str, Any], folder: Path | None, delay: float, per_host: int) -> FocusedCrawl:
    """Return the crawl that Scrapy's settings ask for, a new one or the one that its folder holds."""
    settings = with_own_judge(read(None, _overrides(named)))
    check_judge(settings)
    web = ResponseWeb()
    world = WebContext(web, UnpausedClock(), topic_of(settings))
    judge = make_judge(settings, world.topic)
    strategy = make_strategy(settings.strategy, judge, world.topic)
    plan = CrawlPlan(settings, world, judge, strategy, (), make_scope(settings))
    store = _store(settings, CrawlFolder(folder)) if folder else Database()
    return FocusedCrawl(plan, store, web, RequestedFrontier(delay, per_host, store.shelf))


def _overrides(named: Mapping[str, Any]) -> list[Override]:
    """Return what Scrapy's settings say, as settings of ours."""
    topic = {name: named[name] for name in ("name", "keywords", "description", "examples") if named.get(name)}
    if not topic:
        raise SettingsError('No topic: set THRESHER_TOPIC = "beekeeping" in the settings of the project.')
    stop = {"pages": 0, "below": named.get("below") or 0.0, "found": named.get("found") or 0.0}
    parts: list[Override] = [("topic", topic), ("stop", stop), ("web", {"kind": "live"})]
    parts += [(part, {"name": named[part]}) for part in ("strategy", "judge") if named.get(part)]
    return parts


def _store(settings: Settings, folder: CrawlFolder) -> Database:
    """Open the folder of a crawl, a new one or one with the same topic and strategy."""
    if not folder.is_begun():
        return folder.create(written(settings), reaching(settings))
    before = folder.asked()
    for name, then, now in (
        ("topic", before.topic.name, settings.topic.name),
        ("strategy", before.strategy.name, settings.strategy.name),
    ):
        if then != now:
            raise SettingsError(
                f"{folder.path} holds a crawl with the {name} {then!r}, and {now!r} is asked for now. "
                "Set it back, or choose another JOBDIR."
            )
    return folder.resume(written(settings), reaching(settings))
