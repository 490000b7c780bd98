"""One page in the browser: loaded, left to its scripts until they rest, scrolled, and read.

Everything that belongs to the page lives in a browser context of its own, which goes with it: nothing is left
behind for the next one. Of what the page starts, frames and workers go on behind the same walls; windows,
shared workers and service workers are never let run.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from thresher.core.records import Fetched
from thresher.fetch.browser.devtools import BrowserGone, CallRefused, Devtools
from thresher.fetch.browser.isolation import (
    SNAPSHOT_SCRIPT,
    WALL_SCRIPT,
    Ask,
    InterceptReply,
    Sandbox,
    answer,
    fulfilled,
    nothing,
    part_of,
    picture,
    refused,
)

STEP = 0.05  # seconds between two checks of a page that is busy
MOST_HEARD = 1000  # requests of one page that are answered at all
GROWING = frozenset({"page", "iframe", "worker"})  # what may run, if it is ours


FOLLOW: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
"""Says that everything which is started waits for us before it runs."""


class PageLimits(Struct, frozen=True):
    """What one page may cost."""

    seconds: float = 15.0  # of its own; while it waits for our web its time stands still
    in_all: float = 150.0  # waiting included
    requests: int = 40
    quiet: float = 0.3  # seconds without a request or a change after which it is itself
    blank: float = 1.5  # the same for one that shows as good as nothing
    scrolls: int = 20
    letters: int = 8 << 20  # of the document
    width: int = 1280
    height: int = 4000


class PageHung(Exception):
    """A page that did not let itself be read in its time."""


class PageCrashed(Exception):
    """A page whose process ended."""


@dataclass
class Tab:
    """A page and everything it started."""

    devtools: Devtools
    fetched: Fetched
    ask: Ask
    limits: PageLimits = PageLimits()
    walls: Sandbox = Sandbox()
    context: str = ""
    wanted: list[str] = field(default_factory=list)  # where its scripts would have gone
    target: str = ""
    session: str = ""
    world: int = 0
    requests: int = 0
    heard: int = 0  # requests of all kinds, most of them for pictures
    waits: int = 0  # requests that our web has not answered yet
    own: float = 0.0  # seconds of its own that are spent
    stirred: float = 0.0  # when it last asked for something
    _served: bool = False
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _crashed: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def document(self) -> str:
        """Return the page as its reader sees it, as HTML."""
        try:
            async with asyncio.timeout(self.limits.in_all):
                await self._load()
                await self._settle()
                await self._scroll()
                return str(await self._evaluate(f"reader.document({self.limits.letters})"))
        except TimeoutError:
            raise PageHung from None
        except CallRefused:
            if self._crashed.is_set():
                raise PageCrashed from None
            raise PageHung from None  # it went on to another document of its own

    async def close(self) -> None:
        """End the page and everything it started."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        with suppress(BrowserGone, CallRefused, TimeoutError):
            await self.devtools.call("Target.disposeBrowserContext", seconds=5, browserContextId=self.context)

    def told(self, session: str, method: str, said: dict[str, Any]) -> None:
        """Hear of an event of the page or of something it started."""
        if method == "Target.attachedToTarget":
            self._start(self._attached(said["sessionId"], said["targetInfo"]))
        elif method == "Fetch.requestPaused":
            self.heard += 1
            if (
                self.heard <= MOST_HEARD
            ):  # a page that asks for more waits for ever, so that no other page does
                self.stirred = self._now()
                self._start(self._answer(session, said))
        elif method == "Page.javascriptDialogOpening":
            self._start(self._call("Page.handleJavaScriptDialog", session, accept=False))
        elif method in ("Inspector.targetCrashed", "Inspector.detached") and session == self.session:
            self._crashed.set()

    async def _load(self) -> None:
        call = self.devtools.call
        size: dict[str, Any] = {"width": self.limits.width, "height": self.limits.height}
        await call("Browser.setDownloadBehavior", behavior="deny", browserContextId=self.context)
        made = await call("Target.createTarget", url="about:blank", browserContextId=self.context, **size)
        self.target = made["targetId"]
        await self._unless_crashed(self._ready.wait())
        await self._unless_crashed(
            call("Page.navigate", self.session, self.limits.seconds, url=self.fetched.url)
        )
        made = await call("Page.createIsolatedWorld", self.session, frameId=self.target, worldName="reader")
        self.world = made["executionContextId"]
        await self._evaluate(SNAPSHOT_SCRIPT)

    async def _attached(self, session: str, about: dict[str, Any]) -> None:
        """Put the walls round what was started, and let it run if it may."""
        is_ours = about["type"] == "page" and not self.session
        if about["type"] not in GROWING or (about["type"] == "page" and not is_ours):
            await self._call("Target.closeTarget", targetId=about["targetId"])
            return
        if is_ours:
            self.session = session
        for method, parameters in self._wall(about["type"]):
            await self._call(method, session, **parameters)
        await self._call("Runtime.runIfWaitingForDebugger", session)
        if is_ours:
            self._ready.set()

    def _wall(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        """Return what is said to a target before it runs; a worker's requests come through its page."""
        calls: list[tuple[str, dict[str, Any]]] = [("Target.setAutoAttach", FOLLOW)]
        if kind == "worker":
            return calls
        calls.append(("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}))
        calls += [("Inspector.enable", {}), ("Page.enable", {})]
        calls += [("Network.enable", {"maxTotalBufferSize": 0})]
        calls.append(("Network.setCacheDisabled", {"cacheDisabled": True}))
        if self.walls.script:
            calls.append(("Page.addScriptToEvaluateOnNewDocument", {"source": WALL_SCRIPT}))
            calls.append(("Network.setBypassServiceWorker", {"bypass": True}))
        return calls

    async def _answer(self, session: str, paused: dict[str, Any]) -> None:
        reply = await self._reply(paused)
        await self._call(reply.method, session, requestId=paused["requestId"], **reply.parameters)
        self.stirred = self._now()

    async def _reply(self, paused: dict[str, Any]) -> InterceptReply:
        kind, url = paused.get("resourceType", ""), str(paused["request"]["url"])
        if not url.startswith(("http://", "https://")):
            return (
                InterceptReply("Fetch.continueRequest") if url.startswith(("data:", "blob:")) else refused()
            )
        if kind == "Document":
            return self._navigated(url, paused.get("frameId", ""))
        if kind == "Image":
            return picture()
        part = part_of(self.fetched.url, paused)
        if part is None:
            return nothing(403 if paused["request"]["method"] not in ("GET", "HEAD") else 204)
        self.requests += 1
        if self.requests > self.limits.requests:
            return refused()
        self.waits += 1
        try:
            return await answer(part, self.ask)
        finally:
            self.waits -= 1

    def _navigated(self, url: str, frame: str) -> InterceptReply:
        """Answer with the page what asks for it first; where else its scripts would go is noted."""
        if frame == self.target and not self._served:
            self._served = True
            return fulfilled(self.fetched)
        if frame == self.target and url not in self.wanted and len(self.wanted) < self.limits.requests:
            self.wanted.append(url)
        return nothing()

    async def _settle(self) -> None:
        """Wait until the page neither asks for anything nor changes, or its time is up."""
        while self.own < self.limits.seconds:
            await self._pass(STEP)
            if self.waits or self._now() - self.stirred < self.limits.quiet:
                continue
            rested, is_blank = await self._evaluate("reader.rest()")
            if rested >= (self.limits.blank if is_blank else self.limits.quiet):
                return

    async def _scroll(self) -> None:
        """Scroll to the end for as long as that brings more."""
        for _ in range(self.limits.scrolls):
            if self.own >= self.limits.seconds or self.requests >= self.limits.requests:
                return
            if not await self._evaluate("reader.scroll()"):
                return
            self.stirred = self._now()
            await self._settle()

    async def _pass(self, seconds: float) -> None:
        began, waits = self._now(), self.waits
        await self._unless_crashed(asyncio.sleep(seconds))
        if not waits:
            self.own += self._now() - began

    async def _evaluate(self, what: str) -> Any:
        """Return what our own script says of the page, out of reach of the page's scripts."""
        began = self._now()
        left = max(2.0, self.limits.seconds - self.own)
        found = await self._unless_crashed(
            self.devtools.call(
                "Runtime.evaluate",
                self.session,
                left,
                expression=what,
                contextId=self.world,
                returnByValue=True,
            )
        )
        self.own += self._now() - began
        return found["result"].get("value", "")

    async def _unless_crashed(self, waiting: Coroutine[Any, Any, Any]) -> Any:
        """Return what is waited for, or raise as soon as the page's process ends."""
        work, crash = asyncio.ensure_future(waiting), asyncio.ensure_future(self._crashed.wait())
        try:
            await asyncio.wait((work, crash), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise PageCrashed
            return work.result()
        finally:
            for each in (work, crash):
                each.cancel()

    async def _call(self, method: str, session: str = "", **parameters: Any) -> None:
        """Say something to the browser that may have no more meaning by the time it is heard."""
        with suppress(BrowserGone, CallRefused, TimeoutError):
            await self.devtools.call(method, session, **parameters)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
