"""The live display of a terminal."""

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from typing_extensions import override

from thresher.cli.run import REFRESH, CrawlSnapshot, Display
from thresher.export.wording import (
    counted,
    duration,
    estimates,
    last_find,
    need_browser,
    number,
    percent,
    waiting_for,
)


class LiveScreen(Display):
    """A crawl drawn again and again, in place."""

    pause = REFRESH

    def __init__(self, console: Console) -> None:
        """Take over the bottom lines of the terminal."""
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.live.start()

    @override
    def show(self, state: CrawlSnapshot) -> None:
        rows = Table.grid()  # a bar alone would not end its line
        parts = (
            _heading(state),
            _bar(state),
            _figures(state),
            _outlook(state),
            _found(state),
            _endings(state),
        )
        for part in (*parts, *([Text(state.question, style="bold")] if state.question else ())):
            rows.add_row(part)
        self.live.update(rows, refresh=True)

    @override
    def close(self) -> None:
        self.live.stop()


def _heading(state: CrawlSnapshot) -> Text:
    return Text.assemble((state.title, "bold"), f"  {duration(state.elapsed)}", style="default")


def _bar(state: CrawlSnapshot) -> ProgressBar | Text:
    limited = any(
        (state.progress.budget.pages, state.progress.budget.relevant, state.progress.budget.seconds)
    )
    return ProgressBar(total=1.0, completed=state.share_done(), width=60) if limited else Text("no limit set")


def _figures(state: CrawlSnapshot) -> Table:
    """Lay out the six figures of a crawl, the number above its name."""
    progress = state.progress
    figures = {
        "pages": number(progress.pages),
        "relevant": number(state.relevant),
        "harvest rate": percent(state.relevant / max(1, progress.pages)),
        "hosts": number(len(progress.hosts)),
        "pages/s": f"{state.rate():.1f}",
        "left": state.left(),
    }
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_row(*(Text(value, style="bold") for value in figures.values()))
    table.add_row(*(Text(name, style="dim") for name in figures))
    return table


def _outlook(state: CrawlSnapshot) -> Text:
    known = "; ".join(estimates(state.progress.forecast))
    return Text(known or "too early for a forecast", style="default")


def _found(state: CrawlSnapshot) -> Text:
    found = state.progress.found
    return Text(f"last find: {last_find(found)}" if found else "nothing found yet", style="default")


def _endings(state: CrawlSnapshot) -> Text:
    outcomes = {outcome.value: count for outcome, count in state.progress.outcomes.items()}
    text = counted(outcomes) or "waiting for the first page"
    awaited = state.awaited()
    waiting = f"; {number(len(state.crawl.frontier))} waiting"
    waiting += f"; {need_browser(scripted)}" if (scripted := state.progress.need_browser) else ""
    waiting += f"; {waiting_for(awaited)}" if awaited else ""
    stopping = f"; stopping: {state.progress.stopping.sentence}" if state.progress.stopping else ""
    return Text(text + waiting + stopping, style="dim")
