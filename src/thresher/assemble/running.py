"""One crawl carried out: what was asked is written first, why it ended last, and nothing is left open."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from thresher.assemble.making import make_budget, make_judge, make_mind, make_parser, make_scope, make_seeds
from thresher.assemble.reader import COMMAND, Greeting
from thresher.assemble.strategy import make_strategy
from thresher.assemble.worlds import World, make_world, refuse_anonymous, settle
from thresher.core.doors import Judge, Web
from thresher.core.progress import Budget, Progress
from thresher.core.records import Topic, Url, Visit
from thresher.crawling.local import LocalWorkers
from thresher.crawling.loop import Crawl
from thresher.crawling.loud import LoudStrategy
from thresher.crawling.readers import Readers, framed
from thresher.crawling.review import review
from thresher.crawling.visit import Visitor
from thresher.frontier.workbench import Workbench
from thresher.settings.reading import read, written
from thresher.settings.rooms import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder

log = logging.getLogger(__name__)


class Result(Struct, frozen=True):
    """What came of a crawl."""

    folder: str
    finish_reason: str
    pages: int
    relevant: int
    harvest_rate: float
    threshold: float
    outcomes: dict[str, int]
    refused: dict[str, int]
    seconds: float


def crawl(topic: str, seeds: Sequence[str] = (), *, folder: str | Path = "", **settings: Any) -> Result:
    """Crawl for a topic; any setting is a keyword: pages=500, strategy="best_first", web={"delay": 2}."""
    overrides = [("topic", topic), ("seeds", tuple(seeds)), *settings.items()]
    place = CrawlFolder(Path(folder)) if folder else CrawlFolder.named(topic)
    return asyncio.run(run(read(None, overrides), place))


async def run(
    settings: Settings,
    folder: CrawlFolder,
    watch: Callable[[Visit, Progress], None] = lambda visit, progress: None,
    begin: Callable[[Crawl], None] = lambda crawl: None,
    world: World | None = None,
    resume: bool = False,
) -> Result:
    """Carry out one crawl in its folder; `begin` sees it before the first visit, `watch` after each.

    Who sets `crawl.progress.stopping` may also cancel the task: then what is under way is dropped.
    """
    settings = settle(settings)
    world = world or make_world(settings)
    judge = make_judge(settings, world.topic)
    strategy = LoudStrategy(make_strategy(settings.strategy, judge, world.topic), settings.strategy.name)
    seeds = make_seeds(settings.seeds or world.topic.seeds, log.warning)
    refuse_anonymous(settings, seeds)
    scope = make_scope(settings)  # whatever is wrong with the settings is found before the folder is made
    store = folder.resume() if resume else folder.create()
    mind, frontier = make_mind(settings, strategy, scope, store.shelf)
    _announce(store, folder, msgspec.structs.replace(settings, seeds=tuple(seeds)), world.topic)
    progress = _progress(store, judge.threshold, world.clock.now(), make_budget(settings))
    frontier.refused.update(json.loads(store.notes().get("refused", "{}")))
    readers = make_readers(settings, world.topic)
    workers = make_workers(settings, world, judge, readers)
    crawl = Crawl(mind, frontier, workers, store, world.clock, progress, watch)
    begin(crawl)
    reason = "cancelled"
    try:
        reason = await _carry_out(crawl, seeds)
    except Exception as error:
        reason = f"failed: {error}"
        raise
    finally:
        await _let_go(workers, readers, world.web)
        result = _conclude(folder, reason, progress, frontier, world.clock.now())
        _keep(store, result)
    return result


async def _let_go(workers: LocalWorkers, readers: Readers | None, web: Web) -> None:
    """Drop what is under way and close every process and connection."""
    await workers.cancel()
    if readers:
        await readers.close()
    await web.close()


async def _carry_out(crawl: Crawl, seeds: Sequence[Url]) -> str:
    """Return why the crawl ended; to be cancelled after being asked to stop is an end like any other."""
    try:
        return await crawl.run(seeds)
    except asyncio.CancelledError:
        if not crawl.progress.stopping or not (task := asyncio.current_task()):
            raise
        task.uncancel()
        return crawl.progress.stopping


def make_readers(settings: Settings, topic: Topic) -> Readers | None:
    """Return the processes that parse and judge, if any were asked for."""
    if not settings.web.workers:
        return None
    return Readers(
        COMMAND, framed(Greeting(settings, topic)), settings.web.workers, settings.web.read_timeout
    )


def make_workers(settings: Settings, world: World, judge: Judge, readers: Readers | None) -> LocalWorkers:
    """Return the hands: as many as may be busy at once."""
    visitor = Visitor(
        world.web, make_parser(settings), judge, world.clock, settings.web.max_redirects, readers
    )
    if settings.scope.rules:
        visitor.review = review
    return LocalWorkers(visitor.visit, settings.web.concurrency, world.clock)


def _progress(store: Database, threshold: float, now: float, budget: Budget) -> Progress:
    """Return how far the crawl has come, counting what earlier runs did."""
    tally = store.tally(threshold)
    return Progress(threshold, now, budget, tally.outcomes, tally.hosts, tally.relevant, tally.bytes)


def _announce(store: Database, folder: CrawlFolder, settings: Settings, topic: Topic) -> None:
    """Keep what was asked, as run, before the first visit."""
    folder.settings.write_text(written(settings), encoding="utf-8")
    store.note("topic", msgspec.json.encode(topic).decode())
    store.note("strategy", settings.strategy.name)
    store.note("judge", settings.judge.name)
    store.note("threshold", str(settings.judge.threshold))
    store.commit()


def _conclude(
    folder: CrawlFolder, reason: str, progress: Progress, frontier: Workbench, now: float
) -> Result:
    return Result(
        str(folder.path),
        reason,
        progress.pages,
        progress.relevant,
        progress.harvest_rate,
        progress.threshold,
        {
            outcome.value: count
            for outcome, count in sorted(progress.outcomes.items(), key=lambda each: each[0].value)
        },
        dict(sorted(frontier.refused.items())),
        now - progress.started,
    )


def _keep(store: Database, result: Result) -> None:
    """Keep why and how the crawl ended, and close the store."""
    store.note("finish_reason", result.finish_reason)
    store.note("refused", json.dumps(result.refused))
    store.note("seconds", str(result.seconds + float(store.notes().get("seconds", "0"))))
    store.close()
