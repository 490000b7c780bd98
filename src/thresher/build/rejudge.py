"""The pages of a crawl judged again, after new labels, by an edited topic or another judge: no request."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import isnan

from msgspec import Struct
from msgspec.structs import replace

from thresher.build.reading import check_judge, learner_of, make_judge, with_own_judge
from thresher.build.resume import closing_store, recall_lessons
from thresher.build.second_count import keyword_offer
from thresher.build.webs import choose_web, topic_asked_for
from thresher.core.enums import Outcome
from thresher.core.interfaces import Judge, OnlineJudge
from thresher.core.progress import Progress
from thresher.core.records import Page, Topic, Url, Visit
from thresher.engine.forecast import ForecastStopRule
from thresher.engine.read import MOST_AT_ONCE, SyncJudge, as_sync
from thresher.judges import DEFAULT_JUDGE
from thresher.judges.list_check import moved_by
from thresher.settings.load import read, written
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader, StoredTotals
from thresher.store.trust import reaching

JUDGE_VERSION = 2  # of what the default judge says; the first said more and more the longer a crawl went on
SAME = 1e-9  # scores no further apart than this are the same


class RelevanceChange(Struct, frozen=True):
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
    turned_relevant: tuple[RelevanceChange, ...]  # the best first
    no_longer: tuple[RelevanceChange, ...]  # those that were best first


def rejudge(folder: CrawlFolder, settings: Settings) -> Rejudged:
    """Judge every stored page again as the settings say now, and let the crawl go on by them."""
    settings = with_own_judge(choose_web(settings))
    check_judge(settings)
    topic = _topic_now(folder, settings)
    judge = make_judge(settings, topic)
    store = folder.resume(written(settings), reaching(settings))
    with closing_store(store):
        return judge_again(store, judge, topic, settings, str(folder.path))


def judge_again(
    store: Database, judge: Judge, topic: Topic, settings: Settings, folder: str = ""
) -> Rejudged:
    """Judge every page of an open store again, and note by which judge and for what."""
    facts, before = store.facts, threshold_in_force(store, judge)
    relevant = store.tally(before).relevant
    scored = list(_scored_now(store, judge_of_now(store, judge, topic, settings)))
    now = threshold_of_pages(judge, settings, [page.relevance for page in scored], labelled(store))
    turned = [page for page in scored if (page.before >= before) != (page.relevance >= now)]
    turned = [page for page in turned if store.label(page.url) is None]
    if is_edited(store, topic, name := settings.judge.name):
        facts.relearn = True  # what the strategy knows, it knows of another question
        store.forget_contrasts()
    facts.topic, facts.asked, facts.judge, facts.threshold = topic, settings.topic, name, now
    facts.second_count = None
    facts.keyword_offer = keyword_offer(store, judge, topic)
    facts.judgements, facts.judge_version = facts.judgements + 1, JUDGE_VERSION
    after = store.tally(now)
    _foresee(store, judge, now, after)
    return Rejudged(
        folder,
        name,
        now,
        after.outcomes[Outcome.FETCHED],
        relevant,
        after.relevant,
        tuple(sorted([page for page in turned if page.relevance >= now], key=lambda page: -page.relevance)),
        tuple(sorted([page for page in turned if page.relevance < now], key=lambda page: -page.before)),
    )


def outdated(folder: CrawlFolder) -> str:
    """Return a sentence if the pages of a crawl were judged by a former version of the default judge."""
    if not folder.is_begun():
        return ""
    with folder.open() as store:
        facts = store.facts
    if facts.judge != DEFAULT_JUDGE or facts.judge_version >= JUDGE_VERSION:
        return ""
    return (
        "The pages here were judged by a former version, which calls too many relevant; "
        f"'thresher label --apply {folder.path}' judges them again."
    )


def is_edited(store: CrawlReader, topic: Topic, judge: str) -> bool:
    """Return whether the topic or the judge of a crawl differs from the one its pages were judged by."""
    before = store.facts
    if not before.judge:
        return False  # no run has begun yet
    return before.judge != judge or replace(before.topic, seeds=()) != replace(topic, seeds=())


def _topic_now(folder: CrawlFolder, settings: Settings) -> Topic:
    """Return the topic of the crawl, or that of the settings where they ask for another."""
    with folder.open() as store:
        if read(folder.settings).topic == settings.topic == store.facts.asked:
            return store.facts.topic
        return topic_asked_for(settings, store)


class StatelessJudge:
    """A judge without state: a page's score never changes."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the score of the page."""
        return self.judge.score(page)

    def taught(self, page: Page, label: bool | None = None) -> None:
        """Return nothing: no page has taught anything."""


JudgeOfNow = OnlineJudge | StatelessJudge
"""What says how relevant a stored page is now."""


def judge_of_now(store: CrawlReader, judge: Judge, topic: Topic, settings: Settings) -> JudgeOfNow:
    """Return the judge, trained on the stored pages if it learns."""
    learned = learner_of(judge, settings.judge, topic, store)
    if learned is None:
        return StatelessJudge(as_sync(judge))
    recall_lessons(learned, store)
    return learned


def judge_at_the_end(store: Database, learned: JudgeOfNow | None, judge: Judge, settings: Settings) -> float:
    """Judge all pages by what the crawl has taught to its end, and return from where on they are relevant."""
    if learned is None:
        return threshold_of_pages(judge, settings, _said_so_far(store), labelled(store))
    store.facts.judgements += 1  # an index made meanwhile has what was said before
    store.facts.judge_version = JUDGE_VERSION
    scores = [page.relevance for page in _scored_now(store, learned)]
    return threshold_of_pages(judge, settings, scores, labelled(store))


def threshold_in_force(store: CrawlReader, judge: Judge) -> float:
    """Return from which score on the pages of a crawl are relevant: as its last run left it."""
    return judge.threshold if isnan(kept := store.facts.threshold) else kept


def threshold_of_pages(
    judge: Judge, settings: Settings, scores: Iterable[float], labels: Sequence[tuple[float, bool]] = ()
) -> float:
    """Return from which score on pages are relevant: as the user, or judge and labels say."""
    found = judge.threshold_for([*scores]) if settings.judge.threshold is None else None
    return judge.threshold if found is None else moved_by(labels, found)


def labelled(store: CrawlReader) -> list[tuple[float, bool]]:
    """Return what the judge says now of each page that the user labelled, and the label."""
    judged = ((store.judged(url), wanted) for url, wanted in store.labels().items())
    return [(relevance, wanted) for relevance, wanted in judged if relevance is not None]


def _said_so_far(store: CrawlReader) -> Iterator[float]:
    """Yield what the judge said of the pages as they came."""
    return (store.judged(visit.page.url) or 0.0 for visit in store.pages() if visit.page)


def _scored_now(store: Database, judge: JudgeOfNow) -> Iterator[RelevanceChange]:
    """Judge the pages, keep what is new, and yield what each was worth and is."""
    scores: list[tuple[Visit, float]] = []
    for visit, page, now in _judged_now(store, judge):
        before = store.judged(page.url) or 0.0
        if abs(now - before) > SAME:
            scores.append((replace(visit, page=None), now))
        yield RelevanceChange(page.url, page.title, before, now)
    store.rejudge(scores)


def _judged_now(store: Database, judge: JudgeOfNow) -> Iterator[tuple[Visit, Page, float]]:
    """Yield the pages with what they are worth now: as before, where their words were not kept.

    An awaited judge is asked in batches.
    """
    pages = ((visit, visit.page) for visit in store.pages() if visit.page)
    if isinstance(judge, StatelessJudge) and isinstance(judge.judge, SyncJudge):
        kept = ((visit, page) for visit, page in pages if not page.noindex)
        while some := list(islice(kept, MOST_AT_ONCE)):
            scores = judge.judge.score_all([page for _, page in some])
            yield from ((visit, page, now) for (visit, page), now in zip(some, scores, strict=True))
        return
    taught = store.taught()
    for visit, page in pages:
        said = taught.get(visit.candidate.url)
        yield visit, page, (store.judged(page.url) or 0.0) if page.noindex else judge.now(page, said)


def _foresee(store: Database, judge: Judge, threshold: float, tally: StoredTotals) -> None:
    """Renew the forecast, if the crawl had made one."""
    if told := store.facts.forecast:
        progress = Progress(threshold, 0.0, outcomes=tally.outcomes, relevant=tally.relevant)
        store.facts.forecast = ForecastStopRule(store, judge).ahead(progress, told.downloads)
