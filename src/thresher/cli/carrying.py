"""One crawl carried out in front of the user: shown while it runs, and stopped with care."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable

import click

from thresher.assemble import Result, run
from thresher.cli.screen import State, choose_display, keep_showing
from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.crawling.loop import Crawl
from thresher.export.wording import plain
from thresher.settings.rooms import Settings
from thresher.store.folder import CrawlFolder

INTERRUPTED = "interrupted"
SIGNALS = (signal.SIGINT, signal.SIGTERM)

log = logging.getLogger(__name__)


async def carry_out(settings: Settings, folder: CrawlFolder, title: str) -> Result:
    """Run a crawl to its end, shown on stderr; Ctrl-C ends it early but in order."""
    display = choose_display()
    showing: list[asyncio.Task[None]] = []

    def begin(crawl: Crawl) -> None:
        listen(crawl)
        showing.append(asyncio.create_task(keep_showing(display, State(crawl, title))))

    try:
        return await run(settings, folder, tell, begin)
    finally:
        for task in showing:
            task.cancel()
        display.close()
        silence()


def tell(visit: Visit, progress: Progress) -> None:
    """Log one visit, for those who asked with -v."""
    if log.isEnabledFor(logging.INFO):
        reason = f" ({plain(visit.reason)})" if visit.reason else ""
        log.info("%s %.3f %s%s", visit.outcome.value, visit.relevance, visit.candidate.url, reason)


def listen(crawl: Crawl) -> None:
    """Let the first Ctrl-C finish what is under way, and the second drop it."""
    task = asyncio.current_task()
    if task is None or threading.current_thread() is not threading.main_thread():
        return  # signals belong to the main thread

    def stop() -> None:
        again = bool(crawl.progress.stopping)
        crawl.progress.stopping = INTERRUPTED
        if again or not crawl.workers.busy:  # with nothing under way the crawl only waits for a host
            task.cancel()
        else:
            click.echo("Stopping after what is under way; Ctrl-C again stops now.", err=True)

    _on_signals(lambda each: asyncio.get_running_loop().add_signal_handler(each, stop))


def silence() -> None:
    """Give Ctrl-C back its usual meaning."""
    _on_signals(lambda each: asyncio.get_running_loop().remove_signal_handler(each))


def _on_signals(act: Callable[[signal.Signals], object]) -> None:
    if threading.current_thread() is threading.main_thread():
        for each in SIGNALS:
            act(each)
