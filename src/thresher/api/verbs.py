"""The verbs: crawl, resume and revisit, waited for or awaited; each returns a handle on its crawl.

`crawl()` works in a script, inside a running event loop and in a notebook; `await acrawl()` leaves the loop
to others meanwhile. `progress=True` shows lines on stderr; a notebook shows where the crawl stands anyway.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, TextIO, TypeVar

from typing_extensions import override

from thresher.api.handle import CrawlHandle
from thresher.build import run
from thresher.build.revisit import revisit as look_again
from thresher.core.interfaces import Observer
from thresher.core.progress import Finish, FinishKind, Progress
from thresher.core.records import Visit
from thresher.engine.crawl import Crawl
from thresher.engine.revisit import RevisitTask
from thresher.export.wording import harvest, last_find, many, number
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.folder import NO_LIMITS, CrawlFolder, asked_again, to_go_on

# What is shown meanwhile: live in a notebook, lines on stderr if asked for, else nothing


BETWEEN = 5.0  # seconds between two lines


class ProgressScreen:
    """Shows where a crawl stands now and then, and lets another see its visits; this one shows nothing."""

    def __init__(self, title: str, watch: Observer | None = None) -> None:
        self.title, self._watch = title, watch
        self._crawl: Crawl | None = None

    def begin(self, crawl: Crawl) -> None:
        """Take the crawl that is to be shown."""
        self._crawl = crawl

    def note(self, visit: Visit, progress: Progress) -> None:
        """See one visit."""
        if self._watch:
            self._watch(visit, progress)

    def show(self) -> None:
        """Show where the crawl stands, if it has begun."""
        if self._crawl:
            self.put(self._line(self._crawl.progress), self._crawl.progress)

    def put(self, line: str, progress: Progress) -> None:
        """Print a line."""

    def close(self) -> None:
        """Show the end."""
        self.show()

    def _line(self, progress: Progress) -> str:
        limit = f", {number(progress.budget.pages)} asked for" if progress.budget.pages else ""
        hosts = many(len(progress.hosts), "host")
        found = f"; last find: {last_find(progress.found)}" if progress.found else ""
        return f"{self.title}: {harvest(progress.relevant, progress.pages)}{limit}, {hosts}{found}"


class LineScreen(ProgressScreen):
    """A line every few seconds."""

    def __init__(self, title: str, watch: Observer | None = None, stream: TextIO | None = None) -> None:
        """Write to a stream, by default stderr."""
        super().__init__(title, watch)
        self._stream, self._next = stream or sys.stderr, 0.0

    @override
    def put(self, line: str, progress: Progress) -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + BETWEEN
            print(line, file=self._stream, flush=True)

    @override
    def close(self) -> None:
        self._next = 0.0
        self.show()


class Notebook(ProgressScreen):
    """One output of a cell that is drawn anew."""

    _handle: Any = None

    @override
    def put(self, line: str, progress: Progress) -> None:
        display = import_module("IPython.display").display  # it is there: we are in its kernel
        share = min(1.0, progress.pages / progress.budget.pages) if progress.budget.pages else 0.0
        bar = f'<progress value="{share:.3f}" max="1" style="width:20em"></progress> ' if share else ""
        drawn = {"text/plain": line, "text/html": f"<div>{bar}{escape(line)}</div>"}
        if self._handle is None:
            self._handle = display(drawn, raw=True, display_id=True)
        else:
            self._handle.update(drawn, raw=True)


def screen_for(title: str, progress: bool | None, watch: Observer | None) -> ProgressScreen:
    """Return where a crawl is shown; unless asked for, in a notebook only."""
    if progress is False:
        return ProgressScreen(title, watch)
    if in_notebook():
        return Notebook(title, watch)
    return LineScreen(title, watch) if progress else ProgressScreen(title, watch)


def in_notebook() -> bool:
    """Tell whether a notebook's kernel runs us."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


# A crawl run to its end from anywhere: a script, a running event loop, a notebook.


T = TypeVar("T")
Begin = Callable[[Crawl], None]
Work = Callable[[Begin], Awaitable[T]]

REFRESH = 0.25  # seconds between two checks of a crawl
INTERRUPTED = Finish(FinishKind.INTERRUPTED, "interrupted")


async def awaited(work: Work[T], screen: ProgressScreen) -> T:
    """Do the work in the loop that runs, shown meanwhile."""
    showing = asyncio.create_task(_keep_showing(screen))
    try:
        return await work(screen.begin)
    finally:
        showing.cancel()
        screen.close()


def waited(work: Work[T], screen: ProgressScreen) -> T:
    """Do the work and return what came of it; where a loop runs already it has a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_as_coroutine(awaited(work, screen)))
    with ThreadPoolExecutor(1) as thread:
        run = BackgroundRun(work, screen)
        done: T = run.watched(thread.submit(run))
        return done


class BackgroundRun:
    """Work in another thread, watched and stopped from this one."""

    def __init__(self, work: Work[Any], screen: ProgressScreen) -> None:
        self._work, self._screen = work, screen
        self._crawl: Crawl | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False

    def __call__(self) -> Any:
        """Do the work, in a loop of its own."""
        return asyncio.run(_as_coroutine(self._work(self._begin)))

    def watched(self, future: "Future[Any]") -> Any:
        """Show the work until it is done; an interrupt stops it in order."""
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


async def _keep_showing(screen: ProgressScreen) -> None:
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(REFRESH)
            screen.show()


Folder = str | PathLike[str]


def crawl(
    topic: str,
    seeds: Sequence[str] = (),
    *,
    folder: Folder = "",
    progress: bool | None = None,
    watch: Observer | None = None,
    **settings: Any,
) -> CrawlHandle:
    """Crawl for a topic; any setting is a keyword: pages=500, strategy="shark_search", web={"delay": 2}.

    With seeds it is the live web, without them the practice web. `watch(visit, progress)` sees every visit.
    """
    return waited(*_crawl(topic, seeds, folder, progress, watch, settings))


async def acrawl(
    topic: str,
    seeds: Sequence[str] = (),
    *,
    folder: Folder = "",
    progress: bool | None = None,
    watch: Observer | None = None,
    **settings: Any,
) -> CrawlHandle:
    """Crawl as `crawl` does, awaited."""
    return await awaited(*_crawl(topic, seeds, folder, progress, watch, settings))


def resume(
    folder: Folder,
    *,
    progress: bool | None = None,
    watch: Observer | None = None,
    trust_folder: bool = False,
    **settings: Any,
) -> CrawlHandle:
    """Go on with a crawl; limits count what it has done so far, except `seconds`, which count from now."""
    return waited(*_resume(folder, progress, watch, trust_folder, settings))


async def aresume(
    folder: Folder,
    *,
    progress: bool | None = None,
    watch: Observer | None = None,
    trust_folder: bool = False,
    **settings: Any,
) -> CrawlHandle:
    """Go on with a crawl as `resume` does, awaited."""
    return await awaited(*_resume(folder, progress, watch, trust_folder, settings))


def revisit(
    folder: Folder,
    budget: float = 0.0,
    *,
    once: bool = True,
    progress: bool | None = None,
    watch: Observer | None = None,
    trust_folder: bool = False,
    **settings: Any,
) -> CrawlHandle:
    """Look at the pages of a crawl again: once, all of them or as many as the budget says.

    With once=False the budget is requests a day, and it goes on until `seconds` have passed. What came of it
    is `handle.freshened`; what changed is `handle.changes()`.
    """
    return waited(*_revisit(folder, budget, once, progress, watch, trust_folder, settings))


async def arevisit(
    folder: Folder,
    budget: float = 0.0,
    *,
    once: bool = True,
    progress: bool | None = None,
    watch: Observer | None = None,
    trust_folder: bool = False,
    **settings: Any,
) -> CrawlHandle:
    """Look at the pages of a crawl again as `revisit` does, awaited."""
    return await awaited(*_revisit(folder, budget, once, progress, watch, trust_folder, settings))


Prepared = tuple[Work[CrawlHandle], ProgressScreen]


def _crawl(
    topic: str,
    seeds: Sequence[str],
    folder: Folder,
    progress: bool | None,
    watch: Observer | None,
    settings: dict[str, Any],
) -> Prepared:
    asked = read(None, [("topic", topic), ("seeds", tuple(seeds)), *settings.items()])
    place = CrawlFolder(Path(folder)) if folder else CrawlFolder.named(topic)
    return _run(asked, place, screen_for(topic, progress, watch))


def _resume(
    folder: Folder, progress: bool | None, watch: Observer | None, trusting: bool, settings: dict[str, Any]
) -> Prepared:
    place = CrawlFolder(Path(folder))
    place.open().close()  # says so if it is no crawl
    asked = to_go_on(place, asked_again(place, list(settings.items()), trusting))
    return _run(asked, place, screen_for(asked.topic.name, progress, watch), resume=True)


def _run(asked: Settings, place: CrawlFolder, screen: ProgressScreen, resume: bool = False) -> Prepared:
    async def work(begin: Begin) -> CrawlHandle:
        await run(asked, place, screen.note, begin, resume=resume)
        return CrawlHandle(place.path)

    return work, screen


def _revisit(
    folder: Folder,
    budget: float,
    once: bool,
    progress: bool | None,
    watch: Observer | None,
    trusting: bool,
    settings: dict[str, Any],
) -> Prepared:
    place = CrawlFolder(Path(folder))
    place.open().close()
    asked = place.asked_again([NO_LIMITS, *settings.items()], trusting)
    errand = RevisitTask(budget, once, asked.revisit.policy, asked.revisit.discover)
    screen = screen_for(f"{asked.topic.name}, again", progress, watch)

    async def work(begin: Begin) -> CrawlHandle:
        return CrawlHandle(place.path, await look_again(place, errand, asked, screen.note, begin))

    return work, screen
