"""A crawl carried out in front of the user: run, stopped with care, and shown."""

import asyncio
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Set
from contextlib import asynccontextmanager, nullcontext, suppress
from types import TracebackType

import click
from typing_extensions import override

from thresher.build import CrawlResult, run
from thresher.cli.ask import LabelPrompt
from thresher.cli.output import as_json, write_event
from thresher.core.platform import on_stop, pressed_keys
from thresher.core.progress import Finish, FinishKind, HostWait, Progress
from thresher.core.records import Url, Visit
from thresher.engine.crawl import Crawl
from thresher.export.wording import (
    duration,
    estimates,
    harvest,
    last_find,
    need_browser,
    number,
    plain,
    waiting_for,
)
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder

# The run


INTERRUPTED = Finish(FinishKind.INTERRUPTED, "interrupted")


class Interrupts:
    """Listens while its context lasts. Whatever is dropped was never acknowledged, so nothing is lost."""

    def __init__(self) -> None:
        self._crawl: Crawl | None = None
        self._task: asyncio.Task[object] | None = None
        self._hear_no_more: Callable[[], None] | None = None

    def watch(self, crawl: Crawl) -> None:
        """Take the crawl that is to be stopped; its task is the one that calls."""
        self._crawl, self._task = crawl, asyncio.current_task()

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():  # signals belong to it
            self._hear_no_more = on_stop(self.stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._hear_no_more:
            self._hear_no_more()

    def stop(self) -> None:
        """Answer one signal."""
        if self._crawl is None or self._task is None:
            raise KeyboardInterrupt  # nothing has begun
        again = bool(self._crawl.progress.stopping)
        self._crawl.progress.stopping = INTERRUPTED
        if again or not self._crawl.workers.busy:  # with nothing under way the crawl waits for a host
            self._task.cancel()
        else:
            click.echo("Stopping after what is under way; Ctrl-C again stops now.", err=True)


log = logging.getLogger(__name__)


async def carry_out(
    settings: Settings,
    folder: CrawlFolder,
    title: str,
    resume: bool = False,
    labels: Set[Url] | None = None,
    ask: bool = False,
) -> CrawlResult:
    """Run a crawl to its end, shown on stderr; Ctrl-C ends it early but in order.

    Where the relevant pages are known (labels), these are counted on the way, not those that the judge finds.
    """
    found: set[Url] | None = None if labels is None else set()

    def note(visit: Visit, progress: Progress) -> None:
        tell(visit, progress)
        if found is not None and labels and visit.candidate.url in labels:
            found.add(visit.candidate.url)

    async with shown(title, found, folder if ask else None) as begin:
        return await run(settings, folder, note, begin, resume=resume)


@asynccontextmanager
async def shown(
    title: str, found: Set[Url] | None = None, asking: CrawlFolder | None = None
) -> AsyncIterator[Callable[[Crawl], None]]:
    """Give what begins to show a crawl, and to stop it at Ctrl-C; both end with the context.

    About a folder that is given the user is asked: the pages whose label would help most, one key each.
    """
    display = choose_display()
    showing: list[asyncio.Task[None]] = []
    with Interrupts() as interrupts, pressed_keys() if asking else nullcontext() as key:

        def begin(crawl: Crawl) -> None:
            interrupts.watch(crawl)
            prompt = LabelPrompt(crawl, asking, key).question if asking and key else None
            state = CrawlSnapshot(crawl, title, found=found)
            showing.append(asyncio.create_task(keep_showing(display, state, prompt)))

        try:
            yield begin
        finally:
            for task in showing:
                task.cancel()
            display.close()


def tell(visit: Visit, progress: Progress) -> None:
    """Log one visit, with -v."""
    if log.isEnabledFor(logging.INFO):
        reason = f" ({plain(visit.reason)})" if visit.reason else ""
        log.info("%s %.3f %s%s", visit.outcome.value, visit.relevance, visit.candidate.url, reason)


# Displays: lines, JSON events, or the live one of screen.py


REFRESH = 0.25  # seconds between two checks in a terminal
SOONEST, LATEST = 5.0, 60.0  # seconds between two plain lines, early and later on
WINDOW = 20.0  # seconds over which the rate is taken


class Display:
    """Something that shows the state of a crawl now and then."""

    pause: float  # seconds between two states

    def show(self, state: "CrawlSnapshot") -> None:
        """Show one state."""

    def close(self) -> None:
        """Leave the terminal as it was found; by default nothing is to be done."""


class CrawlSnapshot:
    """What a crawl looks like at one moment, in real seconds whatever the crawl's clock says."""

    def __init__(
        self,
        crawl: Crawl,
        title: str,
        now: Callable[[], float] = time.monotonic,
        found: Set[Url] | None = None,
    ) -> None:
        """Begin to watch a crawl; the relevant pages are those given, or those that the judge counts."""
        self.crawl, self.title, self._now, self._found = crawl, title, now, found
        self.question = ""  # to the user, if one is open
        self.began = now()
        self.samples: deque[tuple[float, int]] = deque([(self.began, 0)])

    @property
    def progress(self) -> Progress:
        """What the crawl has counted."""
        return self.crawl.progress

    @property
    def relevant(self) -> int:
        """How many relevant pages were fetched."""
        return self.progress.relevant if self._found is None else len(self._found)

    @property
    def elapsed(self) -> float:
        """Real seconds since the start."""
        return self._now() - self.began

    def rate(self) -> float:
        """Return the pages per second of the last while."""
        now = self._now()
        self.samples.append((now, self.progress.pages))
        while len(self.samples) > 2 and self.samples[0][0] < now - WINDOW:
            self.samples.popleft()
        then, pages = self.samples[0]
        return (self.progress.pages - pages) / (now - then) if now > then else 0.0

    def share_done(self) -> float:
        """Return how much of the tightest limit is spent, from 0 to 1."""
        progress, budget = self.progress, self.progress.budget
        spent = [
            (progress.pages, budget.pages),
            (progress.relevant, budget.relevant),
            (self.crawl.clock.now() - progress.started, budget.seconds),
        ]
        return min(1.0, max((done / limit for done, limit in spent if limit), default=0.0))

    def awaited(self) -> HostWait | None:
        """Return the host that free workers wait for, if any."""
        frontier = self.crawl.frontier
        return frontier.awaited(self.crawl.clock.now())

    def left(self) -> str:
        """Return the time left if the crawl goes on as it does."""
        share = self.share_done()
        return duration(self.elapsed * (1 - share) / share) if share > 0 else "?"


class LineDisplay(Display):
    """A plain line for logs: every few seconds at first, every minute of a long crawl."""

    pause = SOONEST

    @override
    def show(self, state: CrawlSnapshot) -> None:
        progress = state.progress
        self.pause = pause_after(state.elapsed)
        figures = f"{harvest(state.relevant, progress.pages)}, {number(len(progress.hosts))} hosts"
        pace = f"{state.rate():.1f} pages/s, {state.left()} left"
        ahead = "".join(f"; {each}" for each in estimates(progress.forecast))
        awaited = state.awaited()
        waits = f"; {waiting_for(awaited)}" if awaited else ""
        found = f"; last find: {last_find(progress.found)}" if progress.found else ""
        waits += f"; {need_browser(progress.need_browser)}" if progress.need_browser else ""
        click.echo(f"{state.title}: {figures}, {pace}{ahead}{waits}{found}.", err=True)


class Events(Display):
    """A JSON object for the program that collects logs, at the pace of plain lines."""

    pause = SOONEST

    @override
    def show(self, state: CrawlSnapshot) -> None:
        progress = state.progress
        self.pause = pause_after(state.elapsed)
        write_event(
            "progress",
            crawl=state.title,
            pages=progress.pages,
            relevant=state.relevant,
            requests=progress.visits,
            hosts=len(progress.hosts),
            waiting=len(state.crawl.frontier),
            bytes=progress.bytes,
            pages_per_second=round(state.rate(), 2),
            seconds=round(state.elapsed, 1),
            last_find=progress.found.candidate.url if progress.found else None,
        )


def pause_after(seconds: float) -> float:
    """Return the pause between two lines of a crawl that has run for so long."""
    return min(LATEST, max(SOONEST, seconds / 20))


def choose_display() -> Display:
    """Return events for a program that asked for them, a live display in a terminal, else plain lines."""
    if as_json():
        return Events()
    if not (sys.stderr.isatty() or _FORCED & os.environ.keys()):
        return LineDisplay()
    from rich.console import Console  # measured: 25 ms of the start

    from thresher.cli.screen import LiveScreen

    console = Console(stderr=True)
    return LiveScreen(console) if console.is_terminal else LineDisplay()


_FORCED = {"FORCE_COLOR", "TTY_COMPATIBLE"}  # by which rich takes for a terminal what is none


async def keep_showing(
    display: Display, state: CrawlSnapshot, prompt: Callable[[], str] | None = None
) -> None:
    """Show the state again and again until cancelled, with the question that is open."""
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(display.pause)
            state.question = prompt() if prompt else ""
            display.show(state)
