"""Why a page was asked for, what became of it and how it was judged: all of it read from the crawl."""

from collections.abc import Sequence

from msgspec import Struct

from thresher.build.pipeline import make_scope, make_traps
from thresher.build.reading import make_judge
from thresher.build.rejudge import judge_of_now, threshold_in_force
from thresher.build.resume import readable_strategy_of
from thresher.core.enums import REVISITS, Outcome, Request
from thresher.core.interfaces import FeedbackExplanation
from thresher.core.records import Candidate, Link, PriorityBreakdown, Reason, Url, Visit
from thresher.export.wording import counted
from thresher.report.similar_urls import nearest
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

LINKS = 5


class PathStep(Struct, frozen=True):
    """One page on the way from a seed, with the words of the link that led to it."""

    url: Url
    anchor: str
    outcome: str
    relevance: float  # as the judge sees it now


class Explanation(Struct, frozen=True):
    """Everything the crawl knows about one URL."""

    url: Url
    title: str
    visits: tuple[Visit, ...]
    way: tuple[PathStep, ...]  # from the seed to this page
    judge: str
    threshold: float
    evidence: tuple[Reason, ...]
    links: tuple[Link, ...]  # some of the links that lead here
    strategy: str = ""
    terms: tuple[str, ...] = ()  # what the strategy made the priority of
    priority: PriorityBreakdown | None = None  # the same as numbers, where it is a sum
    not_visited: str = ""  # why, for a URL that was not
    nearest: str = ""  # a URL that was visited and looks like it
    judged: float | None = None  # what the judge says of the page now; the visits have what it said then
    label: bool | None = None  # what the user said of the page: wanted or not; it outranks the judge
    model_label: bool | None = None  # what a model said of it, which counts for nothing by itself
    taught: FeedbackExplanation | None = (
        None  # what the crawl has taught the judge about the page, if that was asked for
    )
    asked: Visit | None = None  # the visit that brought the page, or tried to: no later visit at it

    @property
    def revisits(self) -> tuple[Visit, ...]:
        """The visits that looked at the page again, oldest first."""
        return tuple(visit for visit in self.visits if visit.candidate.kind in REVISITS)


def explain(url: Url, folder: CrawlFolder, lessons: bool = False) -> Explanation:
    """Return what the crawl in the folder knows about a URL; for the lessons all its pages are read."""
    with folder.open() as store:
        return _explain(url, folder.asked(), store, lessons)


def _explain(url: Url, settings: Settings, store: CrawlReader, lessons: bool) -> Explanation:
    visits = store.history(url)
    url = visits[-1].candidate.url if visits else url  # as it was asked for, without a tracker perhaps
    links = store.inlinks(url)
    judge = make_judge(settings, store.facts.topic)
    page, strategy = store.page(url), readable_strategy_of(settings, store)
    asked = _asked(visits)
    candidate = asked.candidate if asked else store.waiting(url)
    learned = store.taught().get(url)
    return Explanation(
        url=url,
        title=page.title if page else "",
        visits=tuple(visits),
        way=tuple(_way(asked, store)) if asked else (),
        judge=settings.judge.name,
        threshold=threshold_in_force(store, judge),
        evidence=tuple(judge.explain(page)) if page else (),
        judged=store.judged(url),
        label=store.label(url) if page else None,
        model_label=store.model_labels().get(url),
        taught=judge_of_now(store, judge, store.facts.topic, settings).taught(page, learned)
        if page and lessons
        else None,
        links=tuple(links[:LINKS]),
        strategy=settings.strategy.name,
        terms=tuple(strategy.explain(candidate, store)) if candidate and strategy else (),
        priority=strategy.breakdown(candidate, store) if candidate and strategy else None,
        not_visited="" if visits else _missing(url, links, settings, store),
        nearest="" if visits or links else nearest(url, store),
        asked=asked,
    )


def _asked(visits: Sequence[Visit]) -> Visit | None:
    """Return the visit that first brought the page, else the last that was no revisit."""
    tried = [visit for visit in visits if visit.candidate.kind not in REVISITS] or visits
    return _fetched(tried) or (tried[-1] if tried else None)


def _way(visit: Visit, store: CrawlReader) -> list[PathStep]:
    """Follow the links that led here back to a seed."""
    way: list[PathStep] = []
    seen: set[Url] = set()
    step: Visit | None = visit
    while step and step.candidate.url not in seen:
        seen.add(step.candidate.url)
        via, now = step.candidate.via, store.judged(step.candidate.url)
        relevance = step.relevance if now is None else now
        way.append(PathStep(step.candidate.url, via.anchor if via else "", step.outcome.value, relevance))
        step = _fetched(store.history(via.source)) if via else None
    return way[::-1]


def _fetched(history: Sequence[Visit]) -> Visit | None:
    return next((visit for visit in history if visit.outcome is Outcome.FETCHED), None)


def _missing(url: Url, links: Sequence[Link], settings: Settings, store: CrawlReader) -> str:
    """Say why a URL was never visited: its turn never came, no page named it, or a rule kept it out."""
    if waiting := store.waiting(url):
        reason = finish.sentence if (finish := store.facts.finish) else "the crawl has not finished"
        led_here = waiting.kind is Request.REDIRECT
        whose = ", at least that of the request that was redirected to it" if led_here else ""
        return f"its turn had not come ({reason}); it waits at priority {waiting.priority:.3f}{whose}"
    if not links:
        return "no page that was fetched links to it"
    scope, traps = make_scope(settings), make_traps(settings)
    refusals = [
        scope.refuses(_candidate(url, link, store)) or traps.refuses(url, link.source) for link in links
    ]
    if refusals[0] and all(refusals):
        return f"refused: {refusals[0].value}"
    return f"a rule left it out for what came before it; refused in all: {_refused(store)}"


def _refused(store: CrawlReader) -> str:
    return counted(store.facts.refused) or "nothing"


def _candidate(url: Url, link: Link, store: CrawlReader) -> Candidate:
    parent = _fetched(store.history(link.source))
    return Candidate(url, via=link, depth=parent.candidate.depth + 1 if parent else 1)
