"""A site made by script, crawled without a browser: told while it is crawled, at the end, in the report."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from tests.browser.scripted_site import ScriptedSite, scripted_site
from tests.command_line import thresher


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    """The site, served by a thread of its own."""
    loop, made = asyncio.new_event_loop(), scripted_site()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield asyncio.run_coroutine_threadsafe(made.__aenter__(), loop).result(10)
    asyncio.run_coroutine_threadsafe(made.__aexit__(None, None, None), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_who_crawls_without_a_browser_hears_how_many_pages_need_one(site, tmp_path):
    asked = [
        "crawl",
        "beekeeping",
        "--delay",
        "0",
        "--allow-network",
        "127.0.0.0/8",
        "-o",
        str(tmp_path / "bees"),
    ]
    for page in ("", "lazy", "shadow"):
        asked += ["--seed", f"{site.home}{page}"]
    ran = thresher(*asked)
    assert "3 pages need a browser: --set web.browser=auto renders what is made by script." in ran.err
    report = (tmp_path / "bees" / "report.html").read_text()
    assert "Pages made by script" in report and "needs a browser" in report
    assert "/app.js" not in site.asked


def test_pages_are_not_rendered_by_workers(site, tmp_path):
    told = ("--workers", "2", "--set", "web.browser=auto", "--set", "web.browser_path=/bin/true")
    ran = thresher(
        "crawl",
        "beekeeping",
        "--seed",
        site.home,
        "--allow-network",
        "127.0.0.0/8",
        *told,
        "-o",
        str(tmp_path / "a"),
    )
    assert ran.code == 4 and "crawl without --workers" in ran.err
