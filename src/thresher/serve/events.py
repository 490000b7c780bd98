"""The event stream: visits by number, so that a client that reconnects with the last one misses none.

Nothing is kept for a client but that number; what it missed is read from the crawl itself.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec
from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.errors import ThresherError
from thresher.core.records import Visit
from thresher.core.url import host_of, key_of
from thresher.export.wording import moment
from thresher.search.reader import spelt
from thresher.serve.overview import crawl_of
from thresher.serve.requests import Problem
from thresher.serve.responses import CrawlSummary
from thresher.serve.security import security_headers
from thresher.serve.state import CrawlRegistry, Watcher

ALIVE = 15.0  # seconds between two signs of life
PAUSE = 0.5  # seconds between two sets of figures at least
MOST = 200  # visits in one go


class VisitEvent(Struct, frozen=True):
    """One visit, as it is told live."""

    number: int
    url: str
    key: str
    host: str
    outcome: str
    relevance: float
    is_relevant: bool
    at: str
    priority: float


class Event(Struct, frozen=True):
    """One message of the stream."""

    name: str
    body: Struct
    id: int = 0

    def encode(self) -> bytes:
        """Return the message as it is sent."""
        head = f"id: {self.id}\n" if self.id else ""
        return f"{head}event: {self.name}\ndata: {msgspec.json.encode(self.body).decode()}\n\n".encode()


async def stream(
    request: web.Request, desk: CrawlRegistry, watcher: Watcher, crawl: str
) -> web.StreamResponse:
    """Answer with the stream until the client goes."""
    response = web.StreamResponse(
        headers={**security_headers(request.path), "Content-Type": "text/event-stream"}
    )
    await response.prepare(request)
    await response.write(b"retry: 1000\n\n")
    last = request.headers.get("Last-Event-ID", "")
    with suppress(ConnectionError, asyncio.CancelledError):
        async for message in messages(desk, watcher, crawl, int(last) if last.isdecimal() else None):
            await response.write(message)
    return response


async def messages(
    desk: CrawlRegistry, watcher: Watcher, crawl: str, last: int | None
) -> AsyncIterator[bytes]:
    """Yield what is new, as soon as it is, and a comment when nothing is for long."""
    told: dict[str, CrawlSummary] = {}
    while True:
        events, last, whole = await asyncio.to_thread(new_events, desk, crawl, last, told)
        for event in events:
            yield event.encode()
        if whole:
            await asyncio.sleep(PAUSE)
            if not await _woken(watcher):
                yield b": alive\n\n"


async def _woken(watcher: Watcher) -> bool:
    async with watcher.changed:
        try:
            await asyncio.wait_for(watcher.changed.wait(), ALIVE)
        except TimeoutError:
            return False
    return True


def new_events(
    desk: CrawlRegistry, crawl: str, last: int | None, told: dict[str, CrawlSummary]
) -> tuple[list[Event], int | None, bool]:
    """Return what is new since the last time, the last visit told, and whether that is all."""
    events: list[Event] = []
    whole = True
    for found in list(desk.crawls().values()):
        if crawl and found.id != crawl:
            continue
        now = crawl_of(found)
        before = told.get(found.id)
        if before != now:
            told[found.id] = now
            events.append(Event("figures" if before and before.state is now.state else "state", now))
    if crawl:
        with suppress(ThresherError, Problem):  # it begins, or cannot be read: its state says so
            visits, last, whole = _visits(desk, crawl, last)
            events = [*visits, *(replace(each, id=last) for each in events)]  # where to go on from
    return events, last, whole


def _visits(desk: CrawlRegistry, crawl: str, last: int | None) -> tuple[list[Event], int, bool]:
    """Return the visits after the last one that was sent; a new client gets those to come."""
    with desk.crawl(crawl).folder.open() as store:
        if last is None:
            return [], store.last_visit(), True
        rows, threshold = store.visits_after(last, MOST), store.facts.threshold
        events = [Event("visit", visit_event(number, visit, threshold), number) for number, visit in rows]
        return events, rows[-1][0] if rows else last, len(rows) < MOST


def visit_event(number: int, visit: Visit, threshold: float) -> VisitEvent:
    """Return a visit as it is told live."""
    url = visit.candidate.url
    fetched = visit.outcome is Outcome.FETCHED
    return VisitEvent(
        number,
        url,
        spelt(key_of(url)),
        host_of(url),
        visit.outcome.value,
        visit.relevance,
        fetched and visit.relevance >= threshold,
        moment(visit.at),
        visit.candidate.priority,
    )
