"""What one run leaves to the next: counts, time, the state of the strategy, and what it had not learned."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from thresher.build.parts import make_judge
from thresher.build.plugins import make_strategy
from thresher.core.errors import SettingsError, StoreFailed, StrategyFailed
from thresher.core.progress import Budget, Progress
from thresher.core.protocols import Bookkeeping, Inheriting, Remembering, Strategy, Teachable
from thresher.core.records import Topic, Url
from thresher.engine.loop import Crawl
from thresher.frontier.workbench import Workbench
from thresher.settings.load import read
from thresher.settings.model import Settings, StrategySettings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.read import Reading


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


def mind_of(settings: Settings, store: Reading) -> object:
    """Return the strategy with its state, or None if it is the user's own and not at hand here."""
    topic = topic_of(store.notes())
    try:
        strategy = make_strategy(settings.strategy, make_judge(settings, topic), topic)
    except SettingsError:
        return None
    remind(strategy, store)
    return strategy


def topic_of(notes: Mapping[str, str]) -> Topic:
    """Return the topic of a crawl, as run."""
    return msgspec.json.decode(notes["topic"], type=Topic) if "topic" in notes else Topic("")


def learn_from(asked: StrategySettings, strategy: Strategy, topic: Topic) -> None:
    """Give a new crawl's strategy what the crawl in the folder asked for has learned; that is only read."""
    if not isinstance(strategy, Inheriting):
        raise SettingsError(
            f"The strategy {asked.name} cannot learn from an earlier crawl; "
            "ask for --strategy thresher, or leave --learn-from out."
        )
    folder = CrawlFolder(Path(asked.learn_from))
    store = folder.open()
    try:
        _refuse_others(folder.path, store, asked.name, topic)
        earlier = mind_of(read(folder.settings), store)
        if isinstance(earlier, Teachable):
            earlier.teach(Labels(folder.labels).all(), store)  # those given since the crawl ended
        if not strategy.inherit(earlier):
            raise SettingsError(f"{folder.path} has learned nothing yet; let it fetch some pages first.")
    finally:
        store.close()


def has_mind(folder: CrawlFolder) -> bool:
    """Tell whether a crawl has a mind of its own by now; such a one goes on with it."""
    if not folder.is_begun():
        return False
    store = folder.open()
    try:
        return "strategy" in store.notes()
    finally:
        store.close()


def _refuse_others(path: Path, store: Reading, name: str, topic: Topic) -> None:
    """Refuse a crawl of another strategy or on another topic."""
    notes = store.notes()
    before = topic_of(notes)
    if (known := notes.get("strategy", "nothing")) != name:
        raise SettingsError(
            f"{path} was crawled with {known}, of which {name} can learn nothing; name a crawl with {name}."
        )
    same_concept = bool(topic.concept) and before.concept == topic.concept
    if not same_concept and before.name.casefold() != topic.name.casefold():
        raise SettingsError(
            f"{path} is about {before.name!r} and this crawl about {topic.name!r}; "
            "name a crawl on the same topic, or leave --learn-from out."
        )
