"""A page that tries everything reaches nothing; and everything it tries works without the walls."""

import asyncio
import os
from typing import Any

import pytest

from tests.browser.canary import WAYS, Canary, canary
from thresher.core.errors import GuardRefused
from thresher.core.records import Candidate, Fetched, Url
from thresher.fetch.browser.chromium import Chromium, find_browser
from thresher.fetch.browser.isolation import Sandbox, SubRequest
from thresher.fetch.browser.tab import PageHung, PageLimits, Tab

OPEN = Sandbox(proxy=False, flags=False, script=False, namespace=False)
EAGER = ("--allow-loopback-in-peer-connection", "--force-webrtc-ip-handling-policy=default")
EVERYTHING = {*WAYS, "udp", "tcp"}
PATIENCE = 4.5  # seconds in which the page does all it can

pytestmark = pytest.mark.timeout(120)


class HostileTab(Tab):
    """A tab in which the reader clicks on something that opens a window, and then waits."""

    async def _settle(self) -> None:
        await asyncio.sleep(1)
        popup = self.fetched.url.replace("/page", "/popup")
        click = {"expression": f"window.open('{popup}')", "userGesture": True}
        await self._call("Runtime.evaluate", self.session, **click)
        await asyncio.sleep(PATIENCE)


class OpenTab(HostileTab):
    """The same without the wall of interception: everything runs, and asks whom it likes."""

    async def _attached(self, session: str, about: dict[str, Any]) -> None:
        is_ours = about["type"] == "page" and not self.session
        self.session = session if is_ours else self.session
        await self._call("Page.enable", session)
        await self._call("Runtime.runIfWaitingForDebugger", session)
        if is_ours:
            self._ready.set()


async def attack(walls: Sandbox, *more: str, make_tab: type[Tab] = HostileTab) -> tuple[Canary, list[Url]]:
    """Return what the hostile page reached, and what it asked us for."""
    asked = []

    async def refuse(part: SubRequest) -> Fetched:
        asked.append(part.url)
        raise GuardRefused("not here")

    async with canary() as bird:
        browser = Chromium(find_browser(), walls, more=more, make_tab=make_tab)
        await browser.start()
        url, html = Url(bird.page), bird.html().encode()
        page = Fetched(Candidate(url), url, 200, (("content-type", "text/html"),), html)
        try:
            await browser.document(page, refuse, PageLimits())
        except PageHung:
            assert make_tab is OpenTab  # it went to another page, where our reader is not
        finally:
            await browser.end()
        return bird, asked


async def test_without_walls_a_page_reaches_the_network_in_every_one_of_31_ways():
    """The control: without it, that nothing arrives would prove nothing."""
    bird, _ = await attack(OPEN, *EAGER, make_tab=OpenTab)
    assert bird.reached() == EVERYTHING


async def test_interception_alone_is_not_a_wall():
    bird, _ = await attack(OPEN, *EAGER)
    assert {"udp", "tcp"} <= bird.reached() <= {"udp", "tcp", "speculated", "prerendered", "popup", "favicon"}


async def test_behind_its_walls_a_page_reaches_nothing_and_everything_it_gets_is_asked_of_us():
    bird, asked = await attack(Sandbox())
    assert bird.reached() == set()
    assert {url.rpartition("/")[2] for url in asked} >= {"script", "fetch", "xhr", "css", "worker"}


@pytest.mark.parametrize("missing", ["proxy", "flags", "script", "namespace"])
async def test_any_one_wall_may_fail(missing):
    """Even where the flags that make a browser eager are set as well."""
    walls = Sandbox(**{missing: False})
    bird, _ = await attack(walls, *(EAGER if missing == "flags" else ()))
    assert bird.reached() == set()


async def test_the_browser_has_no_network_interface_where_the_system_allows_that():
    """And an unwalled one is in ours: the control."""
    spaces = []
    for walls in (Sandbox(), OPEN):
        browser = Chromium(find_browser(), walls)
        await browser.start()
        spaces.append(os.readlink(f"/proc/{browser.pid}/ns/net"))
        await browser.end()
    ours = os.readlink("/proc/self/ns/net")
    assert spaces[1] == ours
    if spaces[0] == ours:
        pytest.skip("this system lets nobody leave the network; the other four walls stand alone")
