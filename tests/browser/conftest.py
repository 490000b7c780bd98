"""A browser, a served folder with crawls, and what a page did: console, requests, dialogs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser.server import TOKEN
from tests.unit.serve_examples import crawl_in

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these by `make browser` alone, and say so; those with a loop of their own before Playwright's."""
    items.sort(key=lambda item: "playwright" in getattr(item, "fixturenames", ()))
    reason = (
        "browser tests are run by 'make browser'" if not os.environ.get("THRESHER_BROWSER")
        else "" if CHROMIUM else "Chromium is not installed: 'apt-get install chromium', then 'make browser'"
    )  # fmt: skip
    for item in items:
        if reason and "tests/browser" in str(item.fspath):
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass
class Served:
    """A running server and its address."""

    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.root}/#token={TOKEN}"


@contextmanager
def serving(place: Path, *walls: str, port: int = 0) -> Iterator[Served]:
    """Serve a folder in a process of its own, with walls left out or not."""
    command = [sys.executable, "-m", "tests.browser.server", str(place), str(port), *walls]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout
    try:
        yield Served(int(process.stdout.readline()), process)
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A crawl of the practice web, and one whose words are hostile."""
    place = tmp_path_factory.mktemp("crawls")
    asked = ["crawl", "beekeeping", "--pages", "200", "--delay", "0", "-o", str(place / "bees")]
    subprocess.run([sys.executable, "-m", "thresher", *asked], check=True, capture_output=True)
    crawl_in(place / "hostile")
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "crawls"))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        yield running


@contextmanager
def browsing(playwright: Any, *arguments: str) -> Iterator[Any]:
    """A browser with some arguments more."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])
    try:
        yield browser
    finally:
        browser.close()


@pytest.fixture(scope="session")
def browser(playwright: Any) -> Iterator[Any]:
    with browsing(playwright) as running:
        yield running


@dataclass
class Tab:
    """A page of the browser, and what it did."""

    page: Any
    console: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def watch(self, root: str) -> None:
        """Note what the page does from now on; with an address, which requests go elsewhere."""

        def told(message: Any) -> None:
            if message.type in ("error", "warning"):
                self.console.append(message.text)

        def asked(request: Any) -> None:
            if root and not request.url.startswith((root, "blob:", "data:")):
                self.foreign.append(request.url)

        def opened(dialog: Any) -> None:
            self.dialogs.append(dialog.message)
            dialog.dismiss()

        self.page.on("console", told)
        self.page.on("request", asked)
        self.page.on("dialog", opened)
        self.page.on("pageerror", lambda error: self.console.append(str(error)))

    def go(self, path: str) -> "Tab":
        """Open a screen and wait until it stands."""
        self.page.goto(path)
        return self.settled()

    def settled(self) -> "Tab":
        self.page.wait_for_selector("main h1, .trouble h1", timeout=30_000)
        self.page.wait_for_selector(".waiting", state="detached", timeout=30_000)
        return self


def tab_of(
    browser: Any, served: Served | None, theme: str = "light", width: int = 1360, path: str = "/"
) -> Tab:
    """Open a tab; with a server, at one of its screens, with the token."""
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme)
    tab = Tab(context.new_page())
    tab.watch(served.root if served else "")
    if served:
        tab.page.goto(served.address)
        tab.settled()
        if path != "/":
            tab.go(f"{served.root}{path}")
    return tab
