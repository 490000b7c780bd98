"""A crawl to watch: a live display in a terminal, a plain line now and then elsewhere; always on stderr."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import click
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from thresher.cli.logs import as_json, write_event
from thresher.core.progress import Awaited, Progress
from thresher.core.protocols import Patient
from thresher.engine.loop import Crawl
from thresher.export.words import (
    counted,
    duration,
    foreseen,
    harvest,
    last_find,
    need_browser,
    number,
    percent,
    waiting_for,
)

REFRESH = 0.25  # seconds between two looks in a terminal
SOONEST, LATEST = 5.0, 60.0  # seconds between two plain lines, early and later on
WINDOW = 20.0  # seconds over which the rate is taken


class Display(Protocol):
    """Something that shows the state of a crawl now and then."""

    pause: float  # seconds between two states

    def show(self, state: "State") -> None:
        """Show one state."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class State:
    """What a crawl looks like at one moment, in real seconds whatever the crawl's clock says."""

    def __init__(self, crawl: Crawl, title: str, now: Callable[[], float] = time.monotonic) -> None:
        """Begin to watch a crawl."""
        self.crawl, self.title, self._now = crawl, title, now
        self.began = now()
        self.samples: deque[tuple[float, int]] = deque([(self.began, 0)])

    @property
    def progress(self) -> Progress:
        """What the crawl has counted."""
        return self.crawl.progress

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

    def awaited(self) -> Awaited | None:
        """Return for whom free hands wait at the moment, if they do."""
        frontier = self.crawl.frontier
        return frontier.awaited(self.crawl.clock.now()) if isinstance(frontier, Patient) else None

    def left(self) -> str:
        """Return the time left if the crawl goes on as it does."""
        share = self.share_done()
        return duration(self.elapsed * (1 - share) / share) if share > 0 else "?"


class Screen:
    """The live display of a terminal."""

    pause = REFRESH

    def __init__(self, console: Console) -> None:
        """Take over the bottom lines of the terminal."""
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.live.start()

    def show(self, state: State) -> None:
        """Draw the state anew."""
        rows = Table.grid()  # a bar alone would not end its line
        parts = (
            _heading(state),
            _bar(state),
            _figures(state),
            _outlook(state),
            _found(state),
            _endings(state),
        )
        for part in parts:
            rows.add_row(part)
        self.live.update(rows, refresh=True)

    def close(self) -> None:
        """Wipe the display, so that the result stands alone."""
        self.live.stop()


class Lines:
    """A plain line for whoever reads a log: every few seconds at first, every minute of a long crawl."""

    pause = SOONEST

    def show(self, state: State) -> None:
        """Write one line."""
        progress = state.progress
        self.pause = pause_after(state.elapsed)
        figures = f"{harvest(progress.relevant, progress.pages)}, {number(len(progress.hosts))} hosts"
        pace = f"{state.rate():.1f} pages/s, {state.left()} left"
        ahead = f"; {foreseen(progress.forecast)}" if progress.forecast else ""
        awaited = state.awaited()
        waits = f"; {waiting_for(awaited)}" if awaited else ""
        found = f"; last find: {last_find(progress.found)}" if progress.found else ""
        waits += f"; {need_browser(progress.need_browser)}" if progress.need_browser else ""
        click.echo(f"{state.title}: {figures}, {pace}{ahead}{waits}{found}.", err=True)

    def close(self) -> None:
        """Do nothing: lines stay."""


class Events:
    """A JSON object for the program that collects logs, at the pace of plain lines."""

    pause = SOONEST

    def show(self, state: State) -> None:
        """Write one object."""
        progress = state.progress
        self.pause = pause_after(state.elapsed)
        write_event(
            "progress",
            crawl=state.title,
            pages=progress.pages,
            relevant=progress.relevant,
            requests=progress.visits,
            hosts=len(progress.hosts),
            waiting=len(state.crawl.frontier),
            bytes=progress.bytes,
            pages_per_second=round(state.rate(), 2),
            seconds=round(state.elapsed, 1),
            last_find=progress.found.candidate.url if progress.found else None,
        )

    def close(self) -> None:
        """Do nothing: lines stay."""


def pause_after(seconds: float) -> float:
    """Return how long a crawl that has run for so long says nothing: who reads a log wants no book."""
    return min(LATEST, max(SOONEST, seconds / 20))


def choose_display() -> Display:
    """Return events for a program that asked for them, a live display in a terminal, else plain lines."""
    if as_json():
        return Events()
    console = Console(stderr=True)
    return Screen(console) if console.is_terminal else Lines()


async def keep_showing(display: Display, state: State) -> None:
    """Show the state again and again until cancelled."""
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(display.pause)
            display.show(state)


def _heading(state: State) -> Text:
    return Text.assemble((state.title, "bold"), f"  {duration(state.elapsed)}", style="default")


def _bar(state: State) -> ProgressBar | Text:
    limited = any(
        (state.progress.budget.pages, state.progress.budget.relevant, state.progress.budget.seconds)
    )
    return ProgressBar(total=1.0, completed=state.share_done(), width=60) if limited else Text("no limit set")


def _figures(state: State) -> Table:
    """Lay out the six figures of a crawl, the number above its name."""
    progress = state.progress
    figures = {
        "pages": number(progress.pages),
        "relevant": number(progress.relevant),
        "harvest rate": percent(progress.harvest_rate),
        "hosts": number(len(progress.hosts)),
        "pages/s": f"{state.rate():.1f}",
        "left": state.left(),
    }
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_row(*(Text(value, style="bold") for value in figures.values()))
    table.add_row(*(Text(name, style="dim") for name in figures))
    return table


def _outlook(state: State) -> Text:
    known = state.progress.forecast
    return Text(foreseen(known) if known else "too early to say what is to come", style="default")


def _found(state: State) -> Text:
    found = state.progress.found
    return Text(f"last find: {last_find(found)}" if found else "nothing found yet", style="default")


def _endings(state: State) -> Text:
    outcomes = {outcome.value: count for outcome, count in state.progress.outcomes.items()}
    text = counted(outcomes) or "waiting for the first page"
    awaited = state.awaited()
    waiting = f"; {number(len(state.crawl.frontier))} waiting"
    waiting += f"; {need_browser(scripted)}" if (scripted := state.progress.need_browser) else ""
    waiting += f"; {waiting_for(awaited)}" if awaited else ""
    stopping = f"; stopping: {state.progress.stopping.sentence}" if state.progress.stopping else ""
    return Text(text + waiting + stopping, style="dim")
