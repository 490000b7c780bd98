"""The figures of a crawl, from one pass over its visits."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from thresher.build.plugins import has_own
from thresher.build.reading import make_judge
from thresher.build.resume import readable_strategy_of
from thresher.core.enums import NO_NEW_PAGES, REVISITS, SCRIPTED, Outcome, Request
from thresher.core.progress import Forecast, KeywordOffer, Progress, SecondCount
from thresher.core.records import StrategyTable, Url, Visit
from thresher.core.strategy import Strategy
from thresher.core.url import host_of, key_of
from thresher.engine.forecast import ForecastStopRule
from thresher.export.items import grouped, saying
from thresher.export.wording import cause_of
from thresher.report.freshness import Freshness, freshness_of
from thresher.report.learned import LearnedReport, learned_of
from thresher.settings.load import written
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

POINTS = 240  # of a curve: more than a reader can see
TOP_PAGES = 25
EXCERPT = 200  # letters of a page shown with its title
REASONS = 12
UNFINISHED = "not finished: the crawl runs still, or was cut off"


class HostYield(Struct, frozen=True):
    """What one host was asked and what it gave."""

    host: str
    visits: int
    pages: int
    relevant: int

    @property
    def share(self) -> float:
        """The share of its pages that are relevant."""
        return self.relevant / self.pages if self.pages else 0.0


class Point(Struct, frozen=True):
    """How many relevant pages there were among the first so many."""

    pages: int
    relevant: int


class TopPage(Struct, frozen=True):
    """One of the best pages, as the judge sees them, with how its text begins."""

    url: Url
    title: str
    relevance: float
    excerpt: str = ""
    alike: int = 0  # pages that say nearly the same and are left out


class Figures(Struct, frozen=True):
    """Everything the report says about one crawl."""

    folder: str
    topic: str
    keywords: dict[str, float]
    strategy: str
    judge: str
    threshold: float
    finish_reason: str
    started: float
    seconds: float
    requests: int
    pages: int
    relevant: int
    harvest_rate: float
    bytes: int
    outcomes: dict[str, int]
    reasons: dict[str, int]
    refused: dict[str, int]
    hosts: tuple[HostYield, ...]
    curve: tuple[Point, ...]
    top: tuple[TopPage, ...]
    settings: str
    virtual_time: bool  # the practice web in-process: waiting costs nothing there
    kept: Freshness | None = None  # what came of looking at the pages again
    learned: LearnedReport | None = None  # where the strategy is one that learns
    second_count: SecondCount | None = None  # what the default judge says of the same pages
    keyword_offer: KeywordOffer | None = None  # where nothing certain was found
    forecast: Forecast | None = None  # what the next downloads would bring, if enough is known
    labelled: int = 0  # pages that count as the user said, whatever the judge says
    scripted: dict[str, int] = {}  # pages made by script, by what became of them

    @property
    def relevant_hosts(self) -> int:
        """How many hosts gave at least one relevant page."""
        return sum(host.relevant > 0 for host in self.hosts)


def figures_of(folder: CrawlFolder) -> Figures:
    """Return the figures of a crawl that was made before."""
    with folder.open() as store:
        return _read(folder, store)


class UrlOutcome(Struct, frozen=True):
    """How one URL ended."""

    url: Url
    outcome: str
    status: int
    reason: str


def ended(folder: CrawlFolder) -> Sequence[UrlOutcome]:
    """Return how every URL of a crawl ended, in the order of the crawl."""
    with folder.open() as store:
        return [
            UrlOutcome(visit.candidate.url, visit.outcome.value, visit.status, visit.reason)
            for visit in store.visits()
            if visit.candidate.kind not in NO_NEW_PAGES
        ]


@dataclass
class FigureCounts:
    """The fold behind the figures; `hits` are the numbers of the relevant pages in the order fetched."""

    threshold: float
    pages: int = 0
    bytes: int = 0
    started: float = 0.0
    ended: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    hosts: dict[str, list[int]] = field(default_factory=dict)
    hits: list[int] = field(default_factory=list)
    scripted: Counter[str] = field(default_factory=Counter)

    def add(self, visit: Visit) -> None:
        """Count one visit; a back-link question is a request and nothing else."""
        self.started, self.ended = self.started or visit.at, visit.at
        self.bytes += visit.size
        if visit.candidate.kind is Request.BACKLINKS:
            self.outcomes["asked for back-links"] += 1
            return
        self.outcomes[visit.outcome.value] += 1
        row = self.hosts.setdefault(host_of(visit.candidate.url), [0, 0, 0])
        row[0] += 1
        if visit.outcome is Outcome.FETCHED:
            self._add_page(visit, row)
        else:
            self.reasons[cause_of(visit)] += 1

    def _add_page(self, visit: Visit, row: list[int]) -> None:
        self.pages += 1
        row[1] += 1
        if visit.detail and visit.detail in SCRIPTED:
            self.scripted[visit.detail.value] += 1
        if visit.relevance >= self.threshold:
            row[2] += 1
            self.hits.append(self.pages)

    def curve(self) -> tuple[Point, ...]:
        """Return evenly spaced points of the harvest, the first and the last page among them."""
        steps = min(POINTS, self.pages)
        places = [0, *(round(self.pages * step / steps) for step in range(1, steps + 1))]
        return tuple(Point(place, bisect_right(self.hits, place)) for place in places)

    def yields(self) -> tuple[HostYield, ...]:
        """Return the hosts, the one with the most relevant pages first."""
        hosts = [HostYield(host, *row) for host, row in self.hosts.items()]
        return tuple(sorted(hosts, key=lambda each: (-each.relevant, -each.pages, each.host)))


def tally(visits: Iterable[Visit], threshold: float) -> FigureCounts:
    """Return the fold of the visits."""
    total = FigureCounts(threshold)
    for visit in visits:
        total.add(visit)
    return total


def _read(folder: CrawlFolder, store: CrawlReader) -> Figures:
    facts, asked = store.facts, folder.asked() if folder.settings.exists() else None
    topic, threshold = facts.topic, facts.threshold
    total = tally((visit for visit in store.visits() if visit.candidate.kind not in REVISITS), threshold)
    return Figures(
        folder=str(folder.path),
        topic=topic.name,
        keywords=topic.keywords,
        strategy=facts.strategy,
        judge=facts.judge,
        threshold=threshold,
        finish_reason=facts.finish.sentence if facts.finish else UNFINISHED,
        started=total.started,
        seconds=total.ended - total.started if facts.seconds is None else facts.seconds,
        requests=total.outcomes.total(),
        pages=total.pages,
        relevant=len(total.hits),
        harvest_rate=len(total.hits) / total.pages if total.pages else 0.0,
        bytes=total.bytes,
        outcomes=ordered(total.outcomes),
        reasons=ordered(dict(total.reasons.most_common(REASONS))),
        refused=ordered(facts.refused),
        scripted=ordered(total.scripted),
        hosts=total.yields(),
        curve=total.curve(),
        top=tuple(islice(_top(store), TOP_PAGES)),
        settings=written(asked) if asked else "",  # a secret among them does not show itself
        virtual_time=facts.virtual_time,
        kept=freshness_of(store),
        learned=learned_of(folder, store, asked),
        forecast=_forecast(folder, store),
        labelled=len(store.labels()),
        second_count=facts.second_count,
        keyword_offer=facts.keyword_offer,
    )


def _forecast(folder: CrawlFolder, store: CrawlReader) -> Forecast | None:
    """Return what the crawl foresaw at its end, or would now that the user has said something of pages."""
    told = store.facts.forecast
    if told is None or not store.labels():
        return told
    judge, threshold = make_judge(folder.asked(), store.facts.topic), store.facts.threshold
    tally = store.tally(threshold)
    now = Progress(threshold, 0.0, outcomes=tally.outcomes, relevant=tally.relevant)
    return ForecastStopRule(store, judge).ahead(now, told.downloads)


def ordered(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts with the largest first, and by name among equals."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _top(store: CrawlReader) -> Iterator[TopPage]:
    """Yield the best pages, the best first; one that says what a better one says is counted with that."""
    best = store.best_pages(READ * TOP_PAGES)
    for place, alike in grouped(_sayings(store, [url for url, _, _ in best])):
        url, title, relevance = best[place]
        page = store.page(url)
        text = " ".join((page.main or page.text)[: 2 * EXCERPT].split())[:EXCERPT] if page else ""
        yield TopPage(url, title, relevance, text, alike)


READ = 4  # times as many pages are read as are shown, for those that say nearly the same


def _sayings(store: CrawlReader, urls: Sequence[Url]) -> Iterator[int]:
    return (saying(page) if (page := store.page(url)) else key_of(url) for url in urls)


class Best(Struct, frozen=True):
    """A page with its score, and whose score it is."""

    url: Url
    title: str
    score: float
    scored_by: str
    relevance: float
    alike: int = 0  # pages that say nearly the same and are left out


def best_of(folder: CrawlFolder, most: int) -> list[Best]:
    """Return the best pages of a crawl, the best first and broken links last; equal ones by relevance."""
    store, settings = folder.open(), folder.asked()
    try:
        strategy = readable_strategy_of(settings, store)
        ranking = strategy if strategy and has_own(type(strategy), Strategy.result_score) else None
        scored_by = settings.strategy.name if ranking else settings.judge.name
        scored = (
            Best(url, title, score, scored_by, relevance)
            for url, title, relevance in store.best_pages(-1)
            if (score := ranking.result_score(url) if ranking else relevance) is not None
        )
        wanted = {key_of(url) for url, said in store.labels().items() if said}
        lost = store.lost(at_once=store.facts.paper_repository)
        best = nlargest(
            READ * most,
            scored,
            key=lambda page: (page.url not in lost, key_of(page.url) in wanted, page.score),
        )
        firsts = grouped(_sayings(store, [page.url for page in best]))[:most]
        return [replace(best[place], alike=alike) for place, alike in firsts]
    finally:
        store.close()


def tables_of(folder: CrawlFolder) -> Sequence[StrategyTable]:
    """Return the tables that the paper of a crawl's strategy draws, if it keeps any."""
    with folder.open() as store:
        strategy = readable_strategy_of(folder.asked(), store)
        return strategy.tables(store) if strategy else ()
