"""What one run leaves to the next: counts, time, the state of the strategy, and what it had not learned."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from thresher.core.doors import Bookkeeping, Remembering
from thresher.core.errors import StoreFailed, StrategyFailed
from thresher.core.progress import Budget, Progress
from thresher.core.records import Url
from thresher.crawling.loop import Crawl
from thresher.frontier.workbench import Workbench
from thresher.store.database import Database
from thresher.store.reading import Reading


def progress_of(store: Database, threshold: float, now: float, budget: Budget) -> Progress:
    """Return how far the crawl has come, counting what earlier runs did."""
    tally = store.tally(threshold)
    return Progress(threshold, now, budget, tally.outcomes, tally.hosts, tally.relevant, tally.bytes)


def take_up(store: Database, crawl: Crawl, frontier: Workbench, strategy: object, name: str) -> None:
    """Give the run what earlier runs left, and keep what it will leave in every transaction."""
    notes = store.notes()
    frontier.refused.update(json.loads(notes.get("refused", "{}")))
    store.track("refused", lambda: json.dumps(frontier.refused, sort_keys=True))
    before, progress = float(notes.get("seconds", "0")), crawl.progress
    store.track("seconds", lambda: f"{before + crawl.clock.now() - progress.started:.3f}")
    if notes.get("strategy", name) == name:
        remind(strategy, store)
    else:
        store.forget_entries()
    if isinstance(strategy, Remembering):
        store.track("state", strategy.remember)
    if isinstance(strategy, Bookkeeping):
        store.track_entries(strategy.changes)


def remind(strategy: object, store: Reading) -> None:
    """Give a strategy back what the crawl kept of its state."""
    state = store.notes().get("state")
    if isinstance(strategy, Remembering) and state:
        strategy.recall(state)
    if isinstance(strategy, Bookkeeping):
        strategy.restore(store.entries())


def start(store: Database, seeds: Sequence[Url]) -> list[Url]:
    """Return the seeds that no run has started from yet; they are noted together with their candidates."""
    started = set(json.loads(store.notes().get("seeds", "[]")))
    store.note("seeds", json.dumps(list(seeds)))
    return [seed for seed in seeds if seed not in started]


def learn_the_rest(store: Database, crawl: Crawl) -> None:
    """Let the strategy learn from the visit at which it failed the last time."""
    if not (url := store.notes().get("unlearned")):
        return
    for visit in store.history(Url(url))[-1:]:
        seen = replace(visit, page=store.page(Url(url)))
        crawl.frontier.offer(crawl.strategy.learn(seen, store))
    store.note("unlearned", "")


@contextmanager
def closed_in_order(store: Database) -> Iterator[None]:
    """Close the store at the end of a run, whatever the end is, and let it know of a failure."""
    try:
        yield
    except BaseException as error:
        keep_failure(store, error)
        raise
    finally:
        store.close()


def keep_failure(store: Database, error: BaseException) -> None:
    """Keep how the crawl failed; what the failure may have left half stored is given up."""
    unlearned = error.unlearned if isinstance(error, StrategyFailed) else ""
    cancelled = isinstance(error, asyncio.CancelledError)
    if not unlearned and not cancelled:
        store.abandon()
    with suppress(StoreFailed):
        store.note("unlearned", unlearned)
        store.note("finish_reason", "cancelled" if cancelled else f"failed: {error}")
