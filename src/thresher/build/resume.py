"""What one run leaves to the next: counts, time, the state of the strategy, and what it had not learned."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec import MsgspecError
from msgspec.structs import replace
from typing_extensions import override

from thresher.build.plugins import has_own, make_strategy
from thresher.build.reading import make_judge
from thresher.core.enums import NOT_RENDERED, Detail, Outcome, Refusal
from thresher.core.errors import JudgeFailed, SettingsError, StageFailed, StateRefused, StoreFailed
from thresher.core.interfaces import Filters, Judge, OnlineJudge
from thresher.core.progress import Budget, Finish, FinishKind, Progress
from thresher.core.records import Topic, Url, Visit
from thresher.core.strategy import Strategy, StrategyState
from thresher.engine.crawl import Crawl
from thresher.filters.pages import REMEMBERED_PAGES, VERSION
from thresher.settings.components import StrategySettings
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.read import CrawlReader
from thresher.store.schema import ActiveRun, CrawlMetadata, SavedStrategy

log = logging.getLogger(__name__)


HUBS = 10  # pages of an earlier crawl that a new one starts from


def progress_of(store: Database, threshold: float, now: float, budget: Budget) -> Progress:
    """Return how far the crawl has come, counting what earlier runs did."""
    tally = store.tally(threshold)
    progress = Progress(threshold, now, budget, tally.outcomes, tally.hosts, tally.relevant, tally.bytes)
    progress.need_browser = sum(count for detail, count in store.details().items() if detail in NOT_RENDERED)
    return progress


@dataclass
class StateSaver(ActiveRun):
    """Saves counts and strategy state in the same transaction as the visits."""

    crawl: Crawl
    seconds: float  # that earlier runs took
    timed: bool = True  # whether this run is part of the time the crawl took
    _rows: Iterable[tuple[int, bytes]] = ()  # of the strategy's state, as `leave` found it

    @override
    def leave(self, facts: CrawlMetadata) -> None:
        refused = self.crawl.filters.refused.items()
        facts.refused = dict(sorted((reason.value, count) for reason, count in refused))
        took = self.crawl.clock.now() - self.crawl.progress.started if self.timed else 0.0
        facts.seconds = round(self.seconds + took, 3)
        saved = self.crawl.strategy.save() or StrategyState()
        facts.state, facts.filters_version = (
            SavedStrategy(self.crawl.strategy.state_version, saved.head),
            VERSION,
        )
        self._rows = saved.rows

    @override
    def entries(self) -> Iterable[tuple[int, bytes]]:
        return self._rows

    @override
    def sightings(self) -> Iterable[bytes]:
        return self.crawl.filters.changes()


def restore(store: Database, crawl: Crawl, timed: bool = True) -> None:
    """Give the run what earlier runs left, and keep what it will leave in every transaction."""
    facts = store.facts
    crawl.filters.refused.update(_refusals(facts.refused))
    _restore_filters(store, crawl.filters)
    if crawl.judge:
        recall_lessons(crawl.judge, store)
    if facts.strategy in ("", crawl.name) and not facts.relearn:
        load_state(crawl.strategy, store)
    else:
        store.forget_entries()
        facts.state = None
    store.follow(StateSaver(crawl, facts.seconds or 0.0, timed))


def recall_lessons(learned: OnlineJudge, store: CrawlReader) -> None:
    """Let a judge take up what it has learned in a crawl: as it was kept last, and from the pages since."""
    labels, kept = store.taught(), store.learned()
    after = kept[0] if kept and learned.restore(kept[1]) else 0
    learned.recall(store.pages(after), labels)
    if after:
        learned.hear(labels, store)


def _restore_filters(store: Database, filters: Filters) -> None:
    """Give the filters back what they have seen, or raise StateRefused."""
    known = store.facts.filters_version
    if known is not None and known != VERSION:
        raise _refused("the gate", f"it has version {known}, and {VERSION} is read here", "")
    try:
        filters.restore(store.sightings(REMEMBERED_PAGES))
    except MsgspecError as error:
        raise _refused("the gate", str(error), "") from error


def _refusals(counts: Mapping[str, int]) -> dict[Refusal, int]:
    """Return how often was refused what; a reason that an older version had is not counted."""
    known = {reason.value: reason for reason in Refusal}
    return {known[reason]: count for reason, count in counts.items() if reason in known}


def load_state(strategy: Strategy, store: CrawlReader) -> None:
    """Load a strategy's saved state. Raises StateRefused if another version wrote it."""
    facts = store.facts
    if facts.state is None:
        return
    known = strategy.state_version
    if facts.state.version != known:
        raise _refused(facts.strategy, f"it has version {facts.state.version}, and {known} is read here")
    try:
        strategy.load(StrategyState(facts.state.head, store.entries()))
    except Exception as error:  # whatever a strategy, ours or a user's, makes of a text it did not write
        raise _refused(facts.strategy, f"{type(error).__name__}: {error}") from error


ANOTHER = ", or take another: --set strategy=best_first"


def _refused(who: str, why: str, or_else: str = ANOTHER) -> StateRefused:
    return StateRefused(
        f"What {who} has learned in this crawl was written by another version of it ({why}). "
        f"Go on with that version, or begin anew with 'thresher crawl'{or_else}."
    )


def start(store: Database, seeds: Sequence[Url]) -> list[Url]:
    """Return the seeds that no run has started from yet; they are noted together with their candidates."""
    started = set(store.facts.seeds)
    store.facts.seeds = tuple(seeds)
    return [seed for seed in seeds if seed not in started]


def learn_again(store: Database, crawl: Crawl, seeds: Sequence[Url]) -> None:
    """Let the strategy learn all visits anew if their pages were judged anew, and rank what waits anew."""
    if not store.facts.relearn:
        return
    list(crawl.strategy.start(seeds))
    for visit in store.visits():
        seen = (
            replace(visit, page=store.page(visit.candidate.url))
            if visit.outcome is Outcome.FETCHED
            else visit
        )
        crawl.learn_again(seen)
    store.facts.relearn = False


def replay_failed_visit(store: Database, crawl: Crawl, judge: Judge) -> None:
    """Let the strategy learn from the visit at which it failed the last time."""
    if not (url := store.facts.failed_at):
        return
    for visit in store.history(url)[-1:]:
        seen = replace(visit, page=store.page(url))
        crawl.learn(_judged(seen, store, judge) if visit.detail is Detail.JUDGE_FAILED else seen)
    store.facts.failed_at = Url("")


def _judged(seen: Visit, store: Database, judge: Judge) -> Visit:
    """Return a visit at which the judge had failed, judged by now, and keep that."""
    if seen.page is None:
        return seen
    try:
        score = judge.score(seen.page)
    except Exception as error:
        url = seen.candidate.url
        raise JudgeFailed(
            f"The judge failed again at {url} ({error!r}). Mend it, then resume.", url
        ) from error
    store.rejudge([(seen, score)])
    return replace(seen, relevance=score, detail=None, reason="")


@contextmanager
def closing_store(store: Database, revisit: bool = False) -> Iterator[None]:
    """Close the store at the end of a run, whatever the end is, and let it know of a failure."""
    try:
        yield
    except StateRefused:
        store.abandon()  # before anything was done: it ended as it had ended
        raise
    except BaseException as error:
        keep_failure(store, error, revisit)
        raise
    finally:
        store.close()


def keep_failure(store: Database, error: BaseException, revisit: bool) -> None:
    """Keep how the run failed; what the failure may have left half stored is given up."""
    unlearned = error.unlearned if isinstance(error, StageFailed) else ""
    cancelled = isinstance(error, asyncio.CancelledError)
    if not unlearned and not cancelled:
        store.abandon()
    store.facts.failed_at = Url(unlearned)
    failed = Finish(FinishKind.FAILED, f"failed: {error}")
    keep_finish(store, Finish(FinishKind.CANCELLED, "cancelled") if cancelled else failed, revisit)
    try:
        store.commit()
    except StoreFailed:
        store.abandon()


def keep_finish(store: Database, finish: Finish | None, revisit: bool = False) -> None:
    """Keep why a run ended: a revisit has an end of its own, beside that of the crawl."""
    if revisit:
        store.facts.revisit_finish = finish
    else:
        store.facts.finish = finish


def load_strategy(settings: Settings, store: CrawlReader) -> Strategy | None:
    """Return the strategy with its state, or None if it is the user's own and not at hand here."""
    topic = store.facts.topic
    try:
        strategy = make_strategy(settings.strategy, make_judge(settings, topic), topic)
    except SettingsError:
        return None
    load_state(strategy, store)
    return strategy


def readable_strategy_of(settings: Settings, store: CrawlReader) -> Strategy | None:
    """Return the strategy with its state, or None after a sentence that it cannot be read: the rest can."""
    try:
        return load_strategy(settings, store)
    except StateRefused as error:
        log.warning(error)
        return None


def learn_from(asked: StrategySettings, strategy: Strategy, topic: Topic) -> tuple[Url, ...]:
    """Give a new crawl's strategy what the crawl in the folder asked for has learned; that is only read.

    A strategy that learns nothing starts from the best hubs of that crawl, which are returned: the pages
    that link to most of what it found (the future work of Chen et al. 2009, section 6).
    """
    folder = CrawlFolder(Path(asked.learn_from))
    with folder.open() as store:
        if not has_own(type(strategy), Strategy.warm_start):
            _refuse_other_topics(folder.path, store, topic)
            return _best_hubs(folder.path, store)
        _refuse_others(folder.path, store, asked.name, topic)
        earlier = load_strategy(folder.asked(), store)
        if earlier:
            earlier.on_labels(Labels(folder.labels).taught(), store)  # those given since the crawl ended
        if not earlier or not strategy.warm_start(earlier):
            raise SettingsError(f"{folder.path} has learned nothing yet; let it fetch some pages first.")
        return ()


def _best_hubs(path: Path, store: CrawlReader) -> tuple[Url, ...]:
    """Return the hubs of a crawl to start from, the best first."""
    if not (hubs := tuple(store.hubs(store.facts.threshold, HUBS))):
        raise SettingsError(f"{path} has no page that links to relevant ones; let it fetch more pages first.")
    return hubs


def has_state(folder: CrawlFolder) -> bool:
    """Tell whether a crawl has strategy state by now; such a one goes on with it."""
    if not folder.is_begun():
        return False
    with folder.open() as store:
        return bool(store.facts.strategy)


def _refuse_others(path: Path, store: CrawlReader, name: str, topic: Topic) -> None:
    """Refuse a crawl of another strategy or on another topic."""
    if (known := store.facts.strategy or "nothing") != name:
        raise SettingsError(
            f"{path} was crawled with {known}, of which {name} can learn nothing; name a crawl with {name}."
        )
    _refuse_other_topics(path, store, topic)


def _refuse_other_topics(path: Path, store: CrawlReader, topic: Topic) -> None:
    """Refuse a crawl on another topic."""
    before = store.facts.topic
    same_concept = bool(topic.concept) and before.concept == topic.concept
    if not same_concept and before.name.casefold() != topic.name.casefold():
        raise SettingsError(
            f"{path} is about {before.name!r} and this crawl about {topic.name!r}; "
            "name a crawl on the same topic, or leave --learn-from out."
        )
