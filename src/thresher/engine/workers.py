"""Workers: tasks of one event loop, each of which makes one visit of a candidate."""

import asyncio
import gc
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec.structs import replace
from typing_extensions import override

from thresher.core import files
from thresher.core.enums import Detail, Outcome, Request
from thresher.core.errors import FetchError, InvalidUrl, NoBacklinks
from thresher.core.interfaces import BacklinkSource, Clock, Web, Workers
from thresher.core.records import AFTER, Candidate, Fetched, Page, Visit
from thresher.core.url import join
from thresher.engine.read import PageReader

# A candidate becomes exactly one visit, whatever the web, the parser or the judge may raise.


log = logging.getLogger(__name__)

MOVED = frozenset({301, 302, 303, 307, 308})
FORBIDDEN = frozenset({401, 403, 407, 451})
GONE = frozenset({404, 410})


Check = Callable[[Visit], Visit]
"""A check of a visit before it is stored: returns the visit as it is kept."""


@dataclass
class Visitor:
    """Makes one visit: fetches from a web, reads the page, and records the time."""

    web: Web
    reader: PageReader
    clock: Clock
    max_redirects: int = 10
    checks: tuple[Check, ...] = ()  # checks before a visit is stored, in this order
    backlinks: BacklinkSource | None = None  # who knows which pages link to a page

    def stages(self) -> Sequence[tuple[str, object]]:
        """Return what a candidate passes until it comes back as a visit."""
        return (("fetch", (self.web, self.backlinks)), ("read", self.reader), ("check", self.checks))

    async def visit(self, candidate: Candidate) -> Visit:
        """Return the one visit of a candidate; nothing but a cancellation escapes."""
        try:
            if candidate.kind is Request.BACKLINKS:
                return await self._asked(candidate)
            fetched = await self.web.get(candidate)
            files.reached(files.AFTER_FETCH)
            visit = await self._read(fetched, _as_read(fetched))
            for check in self.checks:
                visit = check(visit)
            return visit
        except FetchError as error:
            reason = reason_after(str(error) or type(error).__name__, error.tries)
            failed = Visit(candidate, error.outcome, self.clock.now(), reason=reason, retry_after=error.rest)
            return replace(failed, detail=error.detail)
        except Exception as error:
            return self._internal_error(candidate, error)

    async def close(self) -> None:
        """End every process and let go of every connection."""
        await self.reader.close()
        await self.web.close()

    async def _asked(self, candidate: Candidate) -> Visit:
        """Return the visit of a question: a page without words, whose links are the answer."""
        if self.backlinks is None:
            raise NoBacklinks("no source of back-links is set")
        links = await self.backlinks.who_links_to(candidate.url)
        page = Page(candidate.url, links=tuple(links))
        return Visit(candidate, Outcome.FETCHED, self.clock.now(), page, status=200)

    def _internal_error(self, candidate: Candidate, error: Exception) -> Visit:
        log.error("visit of %s failed", candidate.url, exc_info=error)
        reason, detail = f"internal error: {error!r}", Detail.OUR_FAULT
        return Visit(candidate, Outcome.FAILED, self.clock.now(), reason=reason, detail=detail)

    async def _read(self, fetched: Fetched, document: Fetched) -> Visit:
        """Return the visit that a response makes, with the page of a success."""
        outcome = outcome_of(fetched.status)
        visit = Visit(
            fetched.candidate,
            outcome,
            fetched.fetched_at,
            status=fetched.status,
            size=len(fetched.body),
            reason=fetched.body_error
            if fetched.status == 200
            else reason_after(f"status {fetched.status}", fetched.tries),
            retry_after=fetched.retry_after,
            fetched=fetched if fetched.head else None,
        )
        if outcome is Outcome.MOVED:
            return self._redirect(visit, fetched.header("location"))
        if outcome is not Outcome.FETCHED:
            return visit
        if rendering := fetched.rendering:
            visit = replace(visit, detail=rendering.detail, reason=rendering.reason)
        reading = await self.reader.read(document)
        if reading.detail:
            visit = replace(visit, detail=reading.detail, reason=f"{reading.detail.value}: {reading.failure}")
        if reading.page is None:
            return replace(visit, outcome=Outcome.FAILED)
        return replace(visit, page=reading.page, relevance=reading.relevance, page_record=reading.record)

    def _redirect(self, visit: Visit, location: str) -> Visit:
        """End with MOVED and name the next request, which robots, guard and politeness see anew."""
        candidate = visit.candidate
        if candidate.redirects >= self.max_redirects:
            return _failed(visit, Outcome.TRAPPED, Detail.TOO_MANY_REDIRECTS, "too many redirects")
        try:
            target = join(candidate.url, location)
        except InvalidUrl as error:
            return _failed(visit, Outcome.FAILED, Detail.BAD_REDIRECT, f"redirect to nowhere: {error}")
        redirects = candidate.redirects + 1
        onward = replace(candidate, url=target, redirects=redirects, kind=Request.REDIRECT, not_before=0.0)
        return replace(visit, redirect=onward, moved_to=target, reason=f"moved to {target}")


def _failed(visit: Visit, outcome: Outcome, detail: Detail, reason: str) -> Visit:
    return replace(visit, outcome=outcome, detail=detail, reason=reason)


def reason_after(reason: str, tries: int) -> str:
    """Return the reason of a visit with the tries it took, if there were several."""
    return f"{reason}{AFTER}{tries} tries" if tries > 1 else reason


def outcome_of(status: int) -> Outcome:
    """Return the outcome an HTTP status stands for."""
    if 200 <= status < 300:
        return Outcome.FETCHED
    if status in MOVED:
        return Outcome.MOVED
    if status == 304:
        return Outcome.UNCHANGED
    if status in FORBIDDEN:
        return Outcome.FORBIDDEN
    return Outcome.GONE if status in GONE else Outcome.FAILED


def _as_read(fetched: Fetched) -> Fetched:
    """Return a response as it is read: with the document that a browser made of it, if one did."""
    rendering = fetched.rendering
    if rendering is None or not rendering.document:
        return fetched
    others = tuple(each for each in fetched.headers if each[0] != "content-type")
    headers = (("content-type", "text/html; charset=utf-8"), *others)
    return replace(fetched, headers=headers, body=rendering.document, rendering=None)


# The tasks


CANCEL_TIMEOUT = 2.0  # seconds a visit may take to notice that it was dropped
POLL_INTERVAL = (
    1.0  # seconds after which a waiting loop may look round: commit, or notice that it should stop
)


class LocalWorkers(Workers):
    """Workers as asyncio tasks. Returns exactly one visit for each candidate."""

    busy = 0

    def __init__(self, visitor: Visitor, limit: int, clock: Clock) -> None:
        """Store the visitor, the number of workers, and the clock that times the waiting."""
        self.visitor = visitor
        self._limit = limit
        self._clock = clock
        self._tasks: dict[asyncio.Task[None], tuple[Candidate, float]] = {}
        self._finished: deque[Visit] = deque()
        self._arrived = asyncio.Event()
        self._dropping = False

    @property
    @override
    def free(self) -> int:
        return self._limit - self.busy

    @override
    def under_way(self) -> list[tuple[Candidate, float]]:
        now = self._clock.now()
        return [(candidate, now - since) for candidate, since in self._tasks.values()]

    @override
    def stages(self) -> Sequence[tuple[str, object]]:
        return self.visitor.stages()

    @override
    async def open(self) -> None:
        """Be there for the first candidate: tasks are, always."""

    @override
    def send(self, candidate: Candidate) -> None:
        self.busy += 1
        task = asyncio.create_task(self._run(candidate))
        self._tasks[task] = (candidate, self._clock.now())
        task.add_done_callback(self._tasks.pop)

    @override
    async def next(self, timeout: float | None) -> Visit | None:
        if not self.busy:
            await self._clock.sleep(timeout or 0.0)
            return None
        if self._finished:
            await self._clock.sleep(0.0)  # what has arrived meanwhile is taken in first
        else:
            self._arrived.clear()
            await self._clock.wait(
                self._arrived.wait(), min(POLL_INTERVAL, POLL_INTERVAL if timeout is None else timeout)
            )
        if not self._finished:
            return None
        self.busy -= 1
        return self._finished.popleft()

    async def cancel(self) -> None:
        """Drop what is under way; its candidates were never acknowledged."""
        self._dropping, tasks = True, list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_TIMEOUT)
        self.busy = len(self._finished)

    @override
    async def close(self) -> None:
        await self.cancel()
        await self.visitor.close()

    async def _run(self, candidate: Candidate) -> None:
        try:
            visit = await self.visitor.visit(candidate)
        except asyncio.CancelledError:
            if self._dropping:
                raise
            reason = "cancelled from within"  # by a library: the candidate is owed its visit all the same
            now, detail = self._clock.now(), Detail.CANCELLED
            visit = Visit(candidate, Outcome.FAILED, now, reason=reason, detail=detail)
        self._finished.append(visit)
        self._arrived.set()


SELDOM = 10_000  # new containers before the youngest are looked through; Python's own 700 cost 2 % of a crawl


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Leave alone what was there before, and look through what is new less often."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
