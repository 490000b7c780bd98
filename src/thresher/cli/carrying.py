"""One crawl carried out in front of the user: shown while it runs, and stopped with care."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from thresher.assemble import Result, run
from thresher.cli.interrupts import Interrupts
from thresher.cli.screen import State, choose_display, keep_showing
from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.crawling.loop import Crawl
from thresher.export.wording import plain
from thresher.settings.rooms import Settings
from thresher.store.folder import CrawlFolder

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
