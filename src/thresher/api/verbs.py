"""The verbs: crawl, resume and revisit, waited for or awaited; each returns a handle on its crawl.

`crawl()` works in a script, inside a running event loop and in a notebook; `await acrawl()` leaves the loop
to others meanwhile. `progress=True` shows lines on stderr; a notebook shows where the crawl stands anyway.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from thresher.api.handle import CrawlHandle
from thresher.api.running import Begin, Work, awaited, waited
from thresher.api.screen import Screen, screen_for
from thresher.build import run
from thresher.build.revisit import Freshened
from thresher.build.revisit import revisit as look_again
from thresher.core.interfaces import Observer
from thresher.engine.revisit import Errand
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.folder import NO_LIMITS, CrawlFolder, asked_again, to_go_on

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


def freshen(folder: Folder, budget: float = 0.0, **settings: Any) -> Freshened:
    """Look once at the pages of a crawl, and return what came of it."""
    freshened = revisit(folder, budget, **settings).freshened
    assert freshened is not None
    return freshened


Prepared = tuple[Work[CrawlHandle], Screen]


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


def _run(asked: Settings, place: CrawlFolder, screen: Screen, resume: bool = False) -> Prepared:
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
    errand = Errand(budget, once, asked.revisit.policy, asked.revisit.discover)
    screen = screen_for(f"{asked.topic.name}, again", progress, watch)

    async def work(begin: Begin) -> CrawlHandle:
        return CrawlHandle(place.path, await look_again(place, errand, asked, screen.note, begin))

    return work, screen
