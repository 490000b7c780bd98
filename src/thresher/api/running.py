"""A crawl run to its end from anywhere: a script, a running event loop, a notebook."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from thresher.api.screen import Screen
from thresher.core.progress import Finish, FinishKind
from thresher.engine.crawl import Crawl

T = TypeVar("T")
Begin = Callable[[Crawl], None]
Work = Callable[[Begin], Awaitable[T]]

REFRESH = 0.25  # seconds between two looks at a crawl
INTERRUPTED = Finish(FinishKind.INTERRUPTED, "interrupted")


async def awaited(work: Work[T], screen: Screen) -> T:
    """Do the work in the loop that runs, shown meanwhile."""
    showing = asyncio.create_task(_keep_showing(screen))
    try:
        return await work(screen.begin)
    finally:
        showing.cancel()
        screen.close()


def waited(work: Work[T], screen: Screen) -> T:
    """Do the work and return what came of it; where a loop runs already it has a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_as_coroutine(awaited(work, screen)))
    with ThreadPoolExecutor(1) as thread:
        run = Run(work, screen)
        done: T = run.watched(thread.submit(run))
        return done


class Run:
    """Work in another thread, watched and stopped from this one."""

    def __init__(self, work: Work[Any], screen: Screen) -> None:
        """Know what is to be done."""
        self._work, self._screen = work, screen
        self._crawl: Crawl | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False

    def __call__(self) -> Any:
        """Do the work, in a loop of its own."""
        return asyncio.run(_as_coroutine(self._work(self._begin)))

    def watched(self, future: "Future[Any]") -> Any:
        """Show the work until it is done; who is interrupted stops it in order."""
        try:
            while not future.done():
                with suppress(TimeoutError):
                    future.exception(REFRESH)
                self._screen.show()
            return future.result()
        except KeyboardInterrupt:
            self._stop()
            future.exception()
            raise
        finally:
            self._screen.close()

    def _begin(self, crawl: Crawl) -> None:
        self._crawl, self._task = crawl, asyncio.current_task()
        self._screen.begin(crawl)
        if self._stopped:
            self._stop()

    def _stop(self) -> None:
        """Ask the crawl to end, now or as soon as it begins; what it waits for is dropped."""
        self._stopped = True
        if self._crawl is None or self._task is None:
            return
        self._crawl.progress.stopping = INTERRUPTED
        with suppress(RuntimeError):  # its loop has ended meanwhile
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)


async def _as_coroutine(work: Awaitable[T]) -> T:
    return await work


async def _keep_showing(screen: Screen) -> None:
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(REFRESH)
            screen.show()
