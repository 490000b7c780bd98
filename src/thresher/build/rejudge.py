"""The pages of a crawl judged again, after new labels, by an edited topic or another judge: no request."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import isnan
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from thresher.build.reading import check_judge, make_judge
from thresher.build.resume import closed_in_order
from thresher.build.topic import topic_of as topic_asked_for
from thresher.build.webs import make_practice, settle
from thresher.core.kinds import Outcome
from thresher.core.learning import LearningJudge
from thresher.core.progress import Progress
from thresher.core.protocols import AnyJudge, Judge
from thresher.core.records import Page, Topic, Url, Visit
from thresher.engine.forecast import Foresight
from thresher.engine.read_stage import MOST_AT_ONCE, Waited, at_once
from thresher.settings.guarded import reaching
from thresher.settings.load import read, written
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.read import Reading

SAME = 1e-9  # scores no further apart than this are the same


class Turned(Struct, frozen=True):
    """A page that turned relevant, or is so no longer."""

    url: Url
    title: str
    before: float
    relevance: float


class Rejudged(Struct, frozen=True):
    """What came of judging the pages of a crawl again."""

    folder: str
    judge: str
    threshold: float
    pages: int
    relevant_before: int
    relevant: int
    turned_relevant: tuple[Turned, ...]  # the best first
    no_longer: tuple[Turned, ...]  # those that were best first


def rejudge(folder: CrawlFolder, settings: Settings) -> Rejudged:
    """Judge every stored page again as the settings say now, and let the crawl go on by them."""
    settings = settle(settings)
    check_judge(settings)
    topic = _topic_asked_for(folder, settings)
    judge = make_judge(settings, topic)
    settings = replace(settings, judge=replace(settings.judge, threshold=judge.threshold))
    store = folder.resume(written(settings), reaching(settings))
    with closed_in_order(store):
        return judge_again(store, judge, topic, settings, str(folder.path))


def judge_again(
    store: Database, judge: AnyJudge, topic: Topic, settings: Settings, folder: str = ""
) -> Rejudged:
    """Judge every page of an open store again, and note by whom and for what."""
    facts = store.facts
    threshold = judge.threshold if isnan(facts.threshold) else facts.threshold
    before = store.tally(threshold).relevant
    now = judge_of_now(store, judge, settings)
    turned = list(_turned(store, now, threshold, judge.threshold))
    if is_edited(store, topic, name := settings.judge.name):
        facts.relearn = True  # what the strategy knows, it knows of another question
    facts.topic, facts.asked, facts.judge, facts.threshold = topic, settings.topic, name, judge.threshold
    facts.judgements += 1
    _foresee(store, judge)
    became = [page for page in turned if page.relevance >= judge.threshold]
    ceased = [page for page in turned if page.relevance < judge.threshold]
    after = store.tally(judge.threshold)
    return Rejudged(
        folder,
        name,
        judge.threshold,
        after.outcomes[Outcome.FETCHED],
        before,
        after.relevant,
        tuple(sorted(became, key=lambda page: -page.relevance)),
        tuple(sorted(ceased, key=lambda page: -page.before)),
    )


def is_edited(store: Reading, topic: Topic, judge: str) -> bool:
    """Tell whether a crawl is asked for something else, or judged by somebody else, than its pages were."""
    before = store.facts
    if not before.judge:
        return False  # no run has begun yet
    return before.judge != judge or replace(before.topic, seeds=()) != replace(topic, seeds=())


def _topic_asked_for(folder: CrawlFolder, settings: Settings) -> Topic:
    """Return the topic of the settings; example pages are read off the crawl, never asked for."""
    store = folder.open()
    try:
        if read(folder.settings).topic == settings.topic == store.facts.asked:
            return store.facts.topic
        if settings.web.kind == "practice":
            return make_practice(settings).topic
        return topic_asked_for(settings, stored=store)
    finally:
        store.close()


class JudgeOfNow(Protocol):
    """Who says what a stored page is worth now."""

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the relevance of a page, of which the user may have said something."""


class Alone:
    """A judge who has learned nothing: now is as ever."""

    def __init__(self, judge: Judge) -> None:
        """Know the judge."""
        self.judge = judge

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the score of the page."""
        return self.judge.score(page)


def judge_of_now(store: Reading, judge: AnyJudge, settings: Settings) -> JudgeOfNow:
    """Return the judge with all that the stored pages teach him, if he learns."""
    if not isinstance(judge, LearningJudge) or not settings.judge.learns:
        return Alone(at_once(judge))
    learned = judge.learner()
    learned.recall(store.pages(), store.taught())
    return learned


def judge_at_the_end(store: Database, learned: JudgeOfNow | None, threshold: float) -> int:
    """Judge all pages by what the crawl has taught to its end, and return how many are relevant."""
    if learned:
        list(_turned(store, learned, threshold, threshold))
        store.facts.judgements += 1  # who watched has an index of what was said before
    return store.tally(threshold).relevant


def _turned(store: Database, judge: JudgeOfNow, threshold: float, new: float) -> Iterator[Turned]:
    """Judge the pages, keep what is new, and yield those whose verdict turned; labelled ones do not turn."""
    scores: list[tuple[Visit, float]] = []
    for visit, page, now in _judged_now(store, judge):
        label, before = store.label(page.url), store.judged(page.url) or 0.0
        if abs(now - before) > SAME:
            scores.append((replace(visit, page=None), now))
        if (before >= threshold) != (now >= new) and label is None:
            yield Turned(page.url, page.title, before, now)
    store.rejudge(scores)


def _judged_now(store: Database, judge: JudgeOfNow) -> Iterator[tuple[Visit, Page, float]]:
    """Yield the pages whose words were kept, with what they are worth now.

    A judge who takes his time is asked about many of them at once.
    """
    kept = ((visit, visit.page) for visit in store.pages() if visit.page and not visit.page.noindex)
    if isinstance(judge, Alone) and isinstance(judge.judge, Waited):
        while some := list(islice(kept, MOST_AT_ONCE)):
            scores = judge.judge.score_all([page for _, page in some])
            yield from ((visit, page, now) for (visit, page), now in zip(some, scores, strict=True))
        return
    taught = store.taught()
    for visit, page in kept:
        yield visit, page, judge.now(page, taught.get(visit.candidate.url))


def _foresee(store: Database, judge: AnyJudge) -> None:
    """Renew the forecast, if the crawl had made one."""
    if told := store.facts.forecast:
        progress = Progress(judge.threshold, 0.0, outcomes=Counter({Outcome.FETCHED: told.pages}))
        store.facts.forecast = Foresight(store, judge).ahead(progress, told.downloads)
