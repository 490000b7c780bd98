"""A Chromium without a network: started, watched and ended, and the pages that it renders."""

import asyncio
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from thresher.core.enums import Detail
from thresher.core.platform import POSIX, is_root, kill_process_group
from thresher.core.records import BrowserRendering, Fetched
from thresher.fetch.browser import launch
from thresher.fetch.browser.devtools import BrowserGone, CallRefused, Devtools
from thresher.fetch.browser.isolation import Ask, Sandbox, SubRequest, arguments
from thresher.fetch.browser.tab import FOLLOW, PageCrashed, PageHung, PageLimits, Tab

# The browser's process


log = logging.getLogger(__name__)

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge")
START = 30.0  # seconds within which it must answer
MEMORY_INTERVAL = 0.5  # seconds between two checks of its memory


class BrowserTooLarge(Exception):
    """The browser took more memory than it may, and was ended."""


class BrowserLimits(Struct, frozen=True):
    """What one browser may cost."""

    pages: int = 200  # after which a new one is started
    memory: int = 1 << 30  # bytes after which a new one is started
    most_memory: int = 2 << 30  # bytes after which it is ended at once


def find_browser(asked: str = "") -> str:
    """Return the program: the one asked for, the system's, or one that Playwright has brought; or nothing.

    On Windows there is none for us: the pipes through which we drive a browser cannot be handed to it there.
    """
    if not POSIX:
        return ""
    if asked:
        return shutil.which(asked) or ""
    found = next((path for name in NAMES if (path := shutil.which(name))), "")
    return found or _brought()


def _brought() -> str:
    """Return the newest Chromium among those that `playwright install chromium` keeps."""
    kept = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(kept.glob("chromium-*/chrome-linux*/chrome"), key=lambda path: path.stat().st_mtime)
    return str(found[-1]) if found else ""


KNOWN = ("PATH", "LANG", "LC_ALL", "TMPDIR", "FONTCONFIG_PATH", "XDG_RUNTIME_DIR", "LD_LIBRARY_PATH")
"""The variables a browser is told of."""


class Chromium:
    """One browser process. Every page in it is a tab with a context of its own."""

    def __init__(
        self,
        program: str,
        walls: Sandbox = Sandbox(),
        limits: BrowserLimits = BrowserLimits(),
        more: tuple[str, ...] = (),
        make_tab: type[Tab] = Tab,
    ) -> None:
        """Store what to start; `more` are arguments that tests add, as they do tabs without walls."""
        self._make_tab = make_tab
        self._program, self._walls, self._limits, self._more = program, walls, limits, more
        self._devtools = Devtools(self._told)
        self._process: asyncio.subprocess.Process | None = None
        self._profile = ""
        self._tabs: dict[str, Tab] = {}  # by context
        self._sessions: dict[str, Tab] = {}
        self._watching: asyncio.Task[None] | None = None
        self.version, self.pages, self.is_full, self.is_too_large = "", 0, False, False

    @property
    def pid(self) -> int:
        """The process, 0 before it is started."""
        return self._process.pid if self._process else 0

    @property
    def is_gone(self) -> bool:
        """Whether it has ended."""
        return self._devtools.gone.is_set()

    @property
    def is_idle(self) -> bool:
        """Whether no page is in it."""
        return not self._tabs

    async def start(self) -> None:
        """Start it and wait until it answers; raise BrowserGone if it does not."""
        self._profile = tempfile.mkdtemp(prefix="thresher-browser-")
        try:
            await self._launch()
            about = await self._devtools.call("Browser.getVersion", seconds=START)
            self.version = str(about.get("product", ""))
            await self._devtools.call("Target.setAutoAttach", **FOLLOW)
        except (BrowserGone, CallRefused, TimeoutError, OSError) as error:
            await self.end()
            raise BrowserGone(f"{self._program} does not start") from error
        except BaseException:
            await self.end()
            raise
        self._watching = asyncio.create_task(self._watch())

    async def document(self, fetched: Fetched, ask: Ask, limits: PageLimits) -> tuple[str, tuple[str, ...]]:
        """Return a page as its reader sees it, and where else its scripts would have gone."""
        self.pages += 1
        self.is_full = self.is_full or self.pages >= self._limits.pages
        context = await self._new_context()
        tab = self._make_tab(self._devtools, fetched, ask, limits, self._walls, context)
        self._tabs[tab.context] = tab
        try:
            return await tab.document(), tuple(tab.wanted)
        except BrowserGone:
            if self.is_too_large:
                raise BrowserTooLarge from None
            raise
        finally:
            await tab.close()
            del self._tabs[tab.context]
            self._sessions = {session: each for session, each in self._sessions.items() if each is not tab}

    async def end(self) -> None:
        """End the process and all it started, and remove what it wrote."""
        if self._watching is not None:
            self._watching.cancel()
        if self._process is not None and self._process.returncode is None:
            _kill_all(self._process.pid)
            await self._process.wait()
        await self._devtools.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    async def _new_context(self) -> str:
        """Return a fresh browser context, which keeps nothing."""
        made = await self._devtools.call("Target.createBrowserContext", disposeOnDetach=True)
        return str(made["browserContextId"])

    async def _launch(self) -> None:
        told, tells = os.pipe(), os.pipe()
        walled = "1" if self._walls.namespace else "0"
        command = [sys.executable, "-I", "-S", launch.__file__, walled, str(told[0]), str(tells[1])]
        command += [self._program, *arguments(self._walls, self._profile, is_root(), self._more)]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                pass_fds=(told[0], tells[1]),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env={**_plain_environment(), "HOME": self._profile},
            )
        finally:
            os.close(told[0])
            os.close(tells[1])
        await self._devtools.connect(tells[0], told[1])

    def _told(self, session: str, method: str, said: dict[str, Any]) -> None:
        """Hand an event to the tab it is about; what belongs to none is never let run."""
        if method == "Target.attachedToTarget":
            about = said["targetInfo"]
            tab = self._sessions.get(session) or self._tabs.get(about.get("browserContextId", ""))
            if tab is not None:
                self._sessions[said["sessionId"]] = tab
        else:
            tab = self._sessions.get(session)
        if tab is not None:
            tab.told(session, method, said)

    async def _watch(self) -> None:
        """Look at its memory now and then; one that takes too much is ended at once."""
        while True:
            await asyncio.sleep(MEMORY_INTERVAL)
            if self.is_idle or not self._process:
                continue
            taken = memory_of(self._process.pid)
            self.is_full = self.is_full or taken > self._limits.memory
            if taken > self._limits.most_memory:
                self.is_too_large = True
                _kill_all(self._process.pid)
                return


def memory_of(pid: int) -> int:
    """Return the bytes that a process and all it started have for themselves; 0 where that cannot be told."""
    pages = 0
    for each in _family(pid):
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()
            pages += int(resident) - int(shared)
    return pages * (os.sysconf("SC_PAGE_SIZE") if pages else 0)


def _family(pid: int) -> Iterator[int]:
    """Yield a process and everything that it and its children started."""
    yield pid
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text(encoding="ascii").split():
                yield from _family(int(child))


def _kill_all(pid: int) -> None:
    """End a process and all it started; the children of its session go with it."""
    for each in [*_family(pid)]:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)
    kill_process_group(pid)


def _plain_environment() -> dict[str, str]:
    """Return what a browser needs to know of its surroundings: no password that stands in a variable."""
    return {name: os.environ[name] for name in KNOWN if name in os.environ}


# Pages rendered, whatever becomes of the browser: started when needed, replaced when old, full or gone.


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
        walls: Sandbox = Sandbox(),
        now: Callable[[], float] = time.time,
    ) -> None:
        """Look for the program; it is started by the first page."""
        self.program = find_browser(program)
        self._limits, self._browser_limits, self._walls, self._now = limits, browser_limits, walls, now
        self._browser: Chromium | None = None
        self._old: list[Chromium] = []  # those that are left to their last pages
        self._starting, self._slots = asyncio.Lock(), asyncio.Semaphore(AT_ONCE)
        self._failures = 0

    async def render(self, fetched: Fetched, ask: Ask) -> BrowserRendering:
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

    async def _try(self, fetched: Fetched, ask: Ask) -> BrowserRendering:
        parts: list[Fetched] = []

        async def noted(part: SubRequest) -> Fetched:
            answer = await ask(part)
            if answer.head:  # what comes out of our own memory has none
                parts.append(answer)
            return answer

        browser = await self._running()
        if browser is None:
            return BrowserRendering(Detail.NEEDS_BROWSER, WITHOUT)
        try:
            document, wanted = await browser.document(fetched, noted, self._limits)
        except tuple(TROUBLES) as error:
            if isinstance(error, PageHung | TimeoutError):
                self._retire(browser)  # what still runs in it is unknown
            detail = TROUBLES[type(error)]
            return BrowserRendering(detail, REASONS[detail], at=self._now(), parts=tuple(parts))
        finally:
            await self._clear()
        reason = f"made by script, rendered by {browser.version} with {len(parts)} further requests"
        whole = (document + _ways(wanted)).encode("utf-8", "replace")
        return BrowserRendering(Detail.RENDERED, reason, whole, self._now(), browser.version, tuple(parts))

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
