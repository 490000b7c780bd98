"""Pages rendered, whatever becomes of the browser: started when needed, replaced when old, full or gone."""

import asyncio
import logging
import time
from collections.abc import Callable

from thresher.core.enums import Detail
from thresher.core.platform import is_root
from thresher.core.records import Fetched, Rendering
from thresher.fetch.browser.chromium import BrowserLimits, BrowserTooLarge, Chromium, find_browser
from thresher.fetch.browser.devtools import BrowserGone, CallRefused
from thresher.fetch.browser.requests import Ask, Part
from thresher.fetch.browser.tab import PageCrashed, PageHung, PageLimits
from thresher.fetch.browser.walls import Walls

log = logging.getLogger(__name__)

AT_ONCE = 4  # pages: most of their time they wait for our politeness
TRIES = 2  # one page may end the browser of others: they are tried again
HOPELESS = 3  # browsers in a row that did not start: from then on none is
WITHOUT = "made by script, and no browser is at hand: apt-get install chromium, or set web.browser_path"

REASONS = {
    Detail.BROWSER_HUNG: "made by script, and the browser was not done with it in time",
    Detail.BROWSER_CRASHED: "made by script, and the browser ended at it",
    Detail.BROWSER_TOO_LARGE: "made by script, and the browser took too much memory for it",
}
TROUBLES: dict[type[Exception], Detail] = {
    PageHung: Detail.BROWSER_HUNG,
    TimeoutError: Detail.BROWSER_HUNG,
    PageCrashed: Detail.BROWSER_CRASHED,
    CallRefused: Detail.BROWSER_CRASHED,
    BrowserGone: Detail.BROWSER_CRASHED,
    BrowserTooLarge: Detail.BROWSER_TOO_LARGE,
}


class Renderer:
    """Renders a few pages at once. Whatever goes wrong is told by the rendering; nothing is raised."""

    def __init__(
        self,
        program: str = "",
        limits: PageLimits = PageLimits(),
        browser_limits: BrowserLimits = BrowserLimits(),
        walls: Walls = Walls(),
        now: Callable[[], float] = time.time,
    ) -> None:
        """Look for the program; it is started by the first page."""
        self.program = find_browser(program)
        self._limits, self._browser_limits, self._walls, self._now = limits, browser_limits, walls, now
        self._browser: Chromium | None = None
        self._old: list[Chromium] = []  # those that are left to their last pages
        self._starting, self._slots = asyncio.Lock(), asyncio.Semaphore(AT_ONCE)
        self._failures = 0

    async def render(self, fetched: Fetched, ask: Ask) -> Rendering:
        """Return what a browser makes of a page, or why there is nothing."""
        async with self._slots:
            rendering = await self._try(fetched, ask)
            for _ in range(TRIES - 1):
                if rendering.detail not in (Detail.BROWSER_CRASHED, Detail.BROWSER_TOO_LARGE):
                    break
                rendering = await self._try(fetched, ask)
            return rendering

    async def close(self) -> None:
        """End every browser."""
        for browser in (*self._old, *([self._browser] if self._browser else [])):
            await browser.end()
        self._browser, self._old = None, []

    async def _try(self, fetched: Fetched, ask: Ask) -> Rendering:
        parts: list[Fetched] = []

        async def noted(part: Part) -> Fetched:
            answer = await ask(part)
            if answer.head:  # what comes out of our own memory has none
                parts.append(answer)
            return answer

        browser = await self._running()
        if browser is None:
            return Rendering(Detail.NEEDS_BROWSER, WITHOUT)
        try:
            document, wanted = await browser.document(fetched, noted, self._limits)
        except tuple(TROUBLES) as error:
            if isinstance(error, PageHung | TimeoutError):
                self._retire(browser)  # nobody knows what still runs in it
            detail = TROUBLES[type(error)]
            return Rendering(detail, REASONS[detail], at=self._now(), parts=tuple(parts))
        finally:
            await self._clear()
        reason = f"made by script, rendered by {browser.version} with {len(parts)} further requests"
        whole = (document + _ways(wanted)).encode("utf-8", "replace")
        return Rendering(Detail.RENDERED, reason, whole, self._now(), browser.version, tuple(parts))

    async def _running(self) -> Chromium | None:
        """Return a browser that has room for a page, or nothing where none can be had."""
        async with self._starting:
            if self._browser is not None and (self._browser.is_gone or self._browser.is_full):
                self._retire(self._browser)
                await self._clear()
            if self._browser is None and self.program and self._failures < HOPELESS:
                self._browser = await self._started()
            return self._browser

    async def _started(self) -> Chromium | None:
        if is_root() and not self._failures:
            log.warning("Chromium runs without its own sandbox, as it does for root: crawl as another user.")
        browser = Chromium(self.program, self._walls, self._browser_limits)
        try:
            await browser.start()
        except BrowserGone:
            self._failures += 1
            log.warning("%s does not start; pages made by script are kept as they came.", self.program)
            return None
        self._failures = 0
        return browser

    def _retire(self, browser: Chromium) -> None:
        """Give a browser no more pages."""
        if browser is self._browser:
            self._old.append(browser)
            self._browser = None

    async def _clear(self) -> None:
        """End the old browsers in which no page is left."""
        for browser in [each for each in self._old if each.is_idle or each.is_gone]:
            self._old.remove(browser)
            await browser.end()


def _ways(wanted: tuple[str, ...]) -> str:
    """Return where scripts would have gone, as links of the page."""
    shown = (url.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;") for url in wanted)
    return "".join(f'<a href="{url}"></a>' for url in shown)
