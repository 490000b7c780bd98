"""The scheduler that Scrapy asks: of all that a spider wants, the best page for the topic comes first."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace
from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred
from typing_extensions import override

from thresher.core.enums import Detail, Outcome
from thresher.core.enums import Request as Kind
from thresher.core.errors import InvalidUrl, ThresherError
from thresher.core.progress import NOTHING_LEFT, Finish, FinishKind
from thresher.core.records import Candidate, Fetched, Url, Visit
from thresher.core.url import key_of
from thresher.core.url import parse as parse_url
from thresher.scrapy.crawl import FocusedCrawl, open_crawl
from thresher.scrapy.requests import RequestLog, is_plain

log = logging.getLogger(__name__)

LAST = -1e9  # the priority of a link that the strategy knows nothing of
LOG = "thresher.requests"


@dataclass
class ActiveRequest:
    """A request under way: its number in the log, and what it is to the frontier."""

    number: int
    candidate: Candidate | None
    begun: float
    queued: bool = False  # whether the frontier handed it out
    visited: bool = False  # whether its response, or what came in its place, was learned


class FocusedScheduler(BaseScheduler):
    """Orders the links that a spider yields by topic; what is no plain link keeps Scrapy's own order.

    A response is judged and learned from on its way to the callback. With a JOBDIR, which becomes a folder
    that all commands of Thresher read, each request stays on disk until its callback has run dry.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Read the settings; a wrong one is said when the spider opens."""
        self._crawler, settings = crawler, crawler.settings
        self._seen: BaseDupeFilter = build_from_crawler(load_object(settings["DUPEFILTER_CLASS"]), crawler)
        self._others = _plain_scheduler(crawler)
        self._known: set[int] = set()  # fingerprints of the requests of this run
        self._numbers: dict[int, int] = {}  # of requests that the frontier orders, by key of the URL
        self._passing: dict[Request, ActiveRequest] = {}  # requests in Scrapy's own order
        self._active: dict[Request, ActiveRequest] = {}
        self._seeds: list[tuple[Url, int]] = []
        self._refusal = ""
        self._wake: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the scheduler of a crawler."""
        return cls(crawler)

    @override
    def open(self, spider: Spider) -> "Deferred[None] | None":
        self._spider = spider
        self._others.open(spider)
        settings, connect = self._crawler.settings, self._crawler.signals.connect
        folder = settings.get("THRESHER_FOLDER") or job_dir(settings)
        try:
            slots = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
            delay = settings.getfloat("DOWNLOAD_DELAY")
            self._focus: FocusedCrawl = open_crawl(
                _asked(settings), Path(folder) if folder else None, delay, slots
            )
        except ThresherError as error:
            self._refusal = str(error)
            log.error("%s", error)
            return None
        self._log = RequestLog(spider, Path(folder) / LOG if folder else None)
        opened = self._seen.open()
        self._take_up()
        connect(self._on_response, signals.response_received)
        connect(self._on_left, signals.request_left_downloader)
        return opened

    @override
    def close(self, reason: str) -> "Deferred[None] | None":
        self._others.close(reason)
        self._cancel_wake()
        if not hasattr(self, "_log"):
            return None
        if not self._refusal:
            self._end_requests()
        self._focus.close(_finish(reason, bool(len(self._log))))
        self._log.close()
        return self._seen.close(reason)

    @override
    def has_pending_requests(self) -> bool:
        return bool(self._numbers or self._seeds or self._passing)

    def __len__(self) -> int:
        """Return how many requests wait."""
        return len(self._numbers) + len(self._seeds) + len(self._passing)

    @override
    def enqueue_request(self, request: Request) -> bool:
        if self._refusal:
            return False
        number = self._admitted(request)
        if number:
            self._place(number, request, self._carried_on(request))
            self._count("enqueued")
        return bool(number)

    @override
    def next_request(self) -> Request | None:
        if not self._refusal:
            try:
                return self._next()
            except Exception as error:  # Scrapy's engine would stand still
                self._fail(error)
        self._close_spider("thresher_failed")
        return None

    # What comes in

    def _admitted(self, request: Request) -> int:
        """Write a request down and return its number; 0 if the project's filter has seen it.

        It is written down first: if the filter remembers it and a kill follows, it is asked for all the same.
        """
        fingerprint, seen = self._fingerprint(request), self._seen.request_seen
        again, before = fingerprint in self._known, fingerprint in self._log.before
        if not request.dont_filter and (again or before) and (seen(request) or before):
            self._seen.log(request, self._spider)
            return 0
        number = self._log.add(request, fingerprint)
        if not request.dont_filter and not again and seen(request):
            self._log.done(number)
            self._seen.log(request, self._spider)
            return 0
        self._known.add(fingerprint)
        return number

    def _fingerprint(self, request: Request) -> int:
        """Return 64 bits of the fingerprint that the project gives a request."""
        made: bytes = self._crawler.request_fingerprinter.fingerprint(request)
        return int.from_bytes(made[:8], "big", signed=True)

    def _take_up(self) -> None:
        """Take up what an earlier run has left: what waits in the frontier stays there."""
        for number in self._log.left():
            request = self._log.get(number)
            url = _url_of(request)
            if url and is_plain(request) and self._focus.frontier.waits(url):
                self._numbers[key_of(url)] = number
            else:
                self._place(number, request, None)

    def _place(self, number: int, request: Request, carried_on: Candidate | None) -> None:
        """Queue a request by its price if it is a link, and in Scrapy's own order if not."""
        url = _url_of(request)
        if url and is_plain(request) and not carried_on and key_of(url) not in self._numbers:
            if not request.meta.get("depth", 0):
                self._seeds.append((url, number))
                return
            if self._focus.frontier.want(url, Candidate(url, LAST + request.priority)):
                self._numbers[key_of(url)] = number
                return
        candidate = carried_on or (Candidate(url, LAST) if url and request.method == "GET" else None)
        self._passing[request] = ActiveRequest(number, candidate, 0.0)
        self._others.enqueue_request(request)

    def _carried_on(self, request: Request) -> Candidate | None:
        """Return what a redirect or another try goes on with; the request before is at its end by that."""
        redirected, url = request.meta.get("redirect_urls"), _url_of(request)
        before = redirected[-1] if redirected else request.url
        if url is None or not (redirected or request.meta.get("retry_times")):
            return None
        for known, active in self._active.items():
            if known.url == before and active.candidate and not active.visited:
                active.visited = True
                if not redirected:
                    return active.candidate
                moved = Visit(active.candidate, Outcome.MOVED, self._focus.now(), reason=f"moved to {url}")
                self._learn(replace(moved, moved_to=url))
                return replace(active.candidate, url=url, kind=Kind.REDIRECT)
        return None

    def _start_seeds(self) -> None:
        """Let the strategy begin with what the spider starts from."""
        if not self._seeds:
            return
        seeds, self._seeds = self._seeds, []
        self._focus.start([url for url, _ in seeds])
        for url, number in seeds:
            if self._focus.frontier.want(url, Candidate(url, kind=Kind.SEED)):
                self._numbers[key_of(url)] = number
            else:
                self._place_again(url, number)

    def _place_again(self, url: Url, number: int) -> None:
        """Ask for a page that a start asks for again, as in Scrapy."""
        request = self._log.get(number)
        self._passing[request] = ActiveRequest(number, Candidate(url, LAST), 0.0)
        self._others.enqueue_request(request)

    # What goes out

    def _next(self) -> Request | None:
        self._end_requests()
        self._start_seeds()
        request = self._next_passing() or self._next_best()
        if request is not None:
            self._count("dequeued")
        return request

    def _next_passing(self) -> Request | None:
        request = self._others.next_request()
        if request is not None:
            active = self._active[request] = self._passing.pop(request)
            active.begun = self._focus.now()
        return request

    def _next_best(self) -> Request | None:
        """Return the request for the best page of a host that has rested, or None and be asked again then."""
        frontier, now = self._focus.frontier, self._focus.now()
        while (candidate := frontier.take(now)) is not None:
            number = self._numbers.pop(key_of(candidate.url), None)
            if number is None:
                frontier.done(candidate, now)
                continue
            request = self._log.get(number)
            request.meta["thresher"] = {"price": candidate.priority}
            self._active[request] = ActiveRequest(number, candidate, now, queued=True)
            return request
        self._ask_again(frontier.wake())
        return None

    def _ask_again(self, wake: float | None) -> None:
        """Let the engine ask when the next host has rested: by itself it asks every five seconds."""
        self._cancel_wake()
        slot = self._slot()
        if wake is not None and slot is not None:
            from twisted.internet import reactor  # the one that Scrapy has installed

            later: Any = reactor
            self._wake = later.callLater(max(0.0, wake - self._focus.now()), slot.nextcall.schedule)

    def _cancel_wake(self) -> None:
        if self._wake is not None and self._wake.active():
            self._wake.cancel()

    # What comes of it

    def _on_left(self, request: Request, spider: Spider) -> None:
        """Let the host rest from the start of a request on, as Scrapy's own delay does."""
        active = self._active.get(request)
        if active and active.queued and active.candidate:
            self._focus.frontier.done(active.candidate, active.begun)

    def _on_response(self, response: Response, request: Request, spider: Spider) -> None:
        """Judge a response and learn from it, before its callback sees it."""
        active = self._active.get(request)
        if active is None or active.candidate is None or active.visited:
            return
        active.visited = True
        try:
            visit = self._learn(self._focus.read(_fetched(active.candidate, response, self._focus.now())))
        except Exception as error:
            self._fail(error)
            return
        relevant = visit.outcome is Outcome.FETCHED and visit.relevance >= self._focus.plan.judge.threshold
        said = {"price": active.candidate.priority, "relevance": visit.relevance, "relevant": relevant}
        request.meta["thresher"] = said | {"why": _why(active.candidate)}

    def _learn(self, visit: Visit) -> Visit:
        visit = self._focus.add(visit)
        progress, stats = self._focus.crawl.progress, self._crawler.stats
        stats.set_value("thresher/pages", progress.pages)
        stats.set_value("thresher/relevant", progress.relevant)
        stats.set_value("thresher/harvest", round(progress.harvest_rate, 4))
        if finish := self._focus.finish():
            self._close_spider("thresher_" + finish.kind.value.replace(" ", "_"))
        return visit

    def _end_requests(self) -> None:
        """Let go of the requests whose callbacks have run dry, and count those that brought nothing."""
        slot = self._slot()
        under_way = slot.inprogress if slot else ()
        for request in [known for known in self._active if known not in under_way]:
            active = self._active.pop(request)
            if active.candidate and not active.visited:
                failed = Visit(active.candidate, Outcome.FAILED, self._focus.now(), detail=Detail.NO_ANSWER)
                self._learn(replace(failed, reason="no response reached the spider"))
            self._log.done(active.number)

    # Scrapy's engine

    def _slot(self) -> Any:
        """Return what Scrapy's engine knows of the requests under way; its name has changed once."""
        engine: Any = self._crawler.engine
        return getattr(engine, "_slot", None) or getattr(engine, "slot", None)

    def _close_spider(self, reason: str) -> None:
        engine: Any = self._crawler.engine
        if engine is None or getattr(self._slot(), "closing", None):
            return
        if hasattr(engine, "close_spider_async"):
            deferred_from_coro(engine.close_spider_async(reason=reason))
        else:
            engine.close_spider(self._spider, reason)

    def _fail(self, error: Exception) -> None:
        """Say what went wrong; the spider is closed when it asks next, and a JOBDIR keeps what waits."""
        self._refusal = str(error) or repr(error)
        log.error("%s", self._refusal, exc_info=None if isinstance(error, ThresherError) else error)

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"scheduler/{what}")


def _asked(settings: BaseSettings) -> Mapping[str, Any]:
    """Return what the settings say of the topic and of how it is looked for."""
    keywords = settings.get("THRESHER_KEYWORDS")
    words = (
        keywords
        if isinstance(keywords, Mapping)
        else dict.fromkeys(settings.getlist("THRESHER_KEYWORDS"), 1.0)
    )
    return {
        "name": settings.get("THRESHER_TOPIC"),
        "keywords": words,
        "description": settings.get("THRESHER_DESCRIPTION"),
        "examples": tuple(settings.getlist("THRESHER_EXAMPLES")),
        "strategy": settings.get("THRESHER_STRATEGY"),
        "judge": settings.get("THRESHER_JUDGE"),
        "below": settings.getfloat("THRESHER_STOP_BELOW"),
        "found": settings.getfloat("THRESHER_STOP_FOUND"),
    }


def _plain_scheduler(crawler: Crawler) -> Scheduler:
    """Return Scrapy's own scheduler, in memory and without a filter, for what is no plain link."""
    settings = crawler.settings
    return Scheduler(
        BaseDupeFilter(),
        mqclass=load_object(settings["SCHEDULER_MEMORY_QUEUE"]),
        pqclass=load_object(settings["SCHEDULER_PRIORITY_QUEUE"]),
        stats=crawler.stats,
        crawler=crawler,
    )


def _url_of(request: Request) -> Url | None:
    try:
        return parse_url(request.url)
    except InvalidUrl:
        return None


def _fetched(candidate: Candidate, response: Response, now: float) -> Fetched:
    """Return a response as our parsers read it; only text is read."""
    headers = tuple(
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    )
    body = response.body if isinstance(response, TextResponse) else b""
    return Fetched(candidate, candidate.url, response.status, headers, body, now)


def _why(candidate: Candidate) -> str:
    """Return in a line why a page was asked for."""
    if candidate.via is None:
        return "the spider started from it" if candidate.kind is Kind.SEED else "the spider asked for it"
    return f"link {candidate.via.anchor!r} on {candidate.via.source}"


def _finish(reason: str, left: bool) -> Finish:
    """Return how a spider ended, as a crawl says it."""
    if reason == "finished" and not left:
        return NOTHING_LEFT
    return Finish(FinishKind.INTERRUPTED, f"closed by Scrapy: {reason}")
