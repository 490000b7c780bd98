"""One crawl carried out in front of the user: shown while it runs, and stopped with care."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType

import click

from thresher.build import Result, run
from thresher.cli.display import State, choose_display, keep_showing
from thresher.core.platform import on_stop
from thresher.core.progress import Finish, FinishKind, Progress
from thresher.core.records import Visit
from thresher.engine.crawl import Crawl
from thresher.export.wording import plain
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder

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


async def carry_out(settings: Settings, folder: CrawlFolder, title: str, resume: bool = False) -> Result:
    """Run a crawl to its end, shown on stderr; Ctrl-C ends it early but in order."""
    async with shown(title) as begin:
        return await run(settings, folder, tell, begin, resume=resume)


@asynccontextmanager
async def shown(title: str) -> AsyncIterator[Callable[[Crawl], None]]:
    """Give what begins to show a crawl, and to stop it at Ctrl-C; both end with the context."""
    display = choose_display()
    showing: list[asyncio.Task[None]] = []
    with Interrupts() as interrupts:

        def begin(crawl: Crawl) -> None:
            interrupts.watch(crawl)
            showing.append(asyncio.create_task(keep_showing(display, State(crawl, title))))

        try:
            yield begin
        finally:
            for task in showing:
                task.cancel()
            display.close()


def tell(visit: Visit, progress: Progress) -> None:
    """Log one visit, for those who asked with -v."""
    if log.isEnabledFor(logging.INFO):
        reason = f" ({plain(visit.reason)})" if visit.reason else ""
        log.info("%s %.3f %s%s", visit.outcome.value, visit.relevance, visit.candidate.url, reason)
