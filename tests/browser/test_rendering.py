"""Pages made by script in Debian's Chromium: found whole, through our own web, whatever the browser does."""

import asyncio
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.browser.rendering import nothing, page, rendering
from tests.browser.scripted_site import PAGES, ScriptedSite, scripted_site
from thresher.build import run
from thresher.core.enums import Detail
from thresher.core.records import Fetched, Url
from thresher.fetch.browser.chromium import BrowserLimits, Chromium, Renderer, _family, memory_of
from thresher.fetch.browser.isolation import SubRequest
from thresher.fetch.browser.tab import PageLimits
from thresher.settings.load import Override, read
from thresher.store.folder import CrawlFolder

pytestmark = pytest.mark.timeout(180)


async def crawled(site: ScriptedSite, place: Path, browser: str, pages: int = 0) -> CrawlFolder:
    """Crawl the site to its end, or a few pages of it."""
    web = {"delay": 0.0, "allow_networks": ["127.0.0.0/8"], "browser": browser, "browser_share": 1.0}
    asked: list[Override] = [
        ("topic", "beekeeping"),
        ("seeds", (site.home,)),
        ("strategy", "breadth_first"),
        ("web", web),
    ]
    asked.append(("stop", {"pages": pages}))
    folder = CrawlFolder(place)
    await run(read(None, asked), folder)
    return folder


async def test_auto_finds_every_page_of_a_site_made_by_script(tmp_path):
    """Routes of the client, fetched data, lazy rows, closed shadow roots and a list that grows."""
    async with scripted_site() as site:
        folder = await crawled(site, tmp_path / "bees", "auto")
        asked, agents = site.asked.copy(), site.agents
    store = folder.open()
    visits = list(store.visits())
    found = {visit.candidate.url.removeprefix(site.home[:-1]) for visit in visits}
    assert found == PAGES
    assert all(visit.detail is Detail.RENDERED for visit in visits)
    inside = store.page(Url(f"{site.home}shadow"))
    assert inside and "Drones, workers" in inside.text and "A queen in the light" in inside.text
    assert store.details() == {Detail.RENDERED: len(PAGES)}
    store.close()
    assert asked["/app.js"] == 1  # it is the same for every page
    assert all("thresher" in agent for agent in agents)  # nobody but our own web has asked


async def test_everything_rendered_is_archived_as_such(tmp_path):
    """The response as it came, the document that a browser made of it, and what it fetched for that."""
    async with scripted_site() as site:
        folder = await crawled(site, tmp_path / "bees", "auto", 4)
    (file,) = folder.archive.glob("*.warc.gz")
    with file.open("rb") as opened:
        records = [
            (each.rec_type, each.rec_headers, each.raw_stream.read()) for each in ArchiveIterator(opened)
        ]
    ids = {headers["WARC-Record-ID"]: kind for kind, headers, _ in records}
    rendered = [(headers, block) for kind, headers, block in records if kind == "resource"]
    assert len(rendered) == 4
    assert {ids[headers["WARC-Refers-To"]] for headers, _ in rendered} <= {"response", "revisit"}
    lazy = next(block for headers, block in rendered if headers["WARC-Target-URI"].endswith("/lazy"))
    assert b"Beekeeping row/10" in lazy and b"<script" not in lazy
    told = {headers["WARC-Target-URI"] for kind, headers, _ in records if kind == "response"}
    assert f"{site.home}app.js" in told and f"{site.home}api/row/10" in told


async def test_never_says_how_many_pages_need_a_browser(tmp_path):
    async with scripted_site() as site:
        folder = await crawled(site, tmp_path / "bees", "never")
    store = folder.open()
    assert store.details() == {Detail.NEEDS_BROWSER: 1}
    store.close()


async def test_a_page_that_runs_for_ever_ends_in_its_time_and_the_next_one_is_rendered():
    async with rendering(seconds=2.0) as render:
        hung = await render("<body><script>for (;;) {}</script>")
        assert hung.detail is Detail.BROWSER_HUNG and not hung.document
        assert (await render("<body><script>document.write('well')</script>")).detail is Detail.RENDERED


async def test_a_page_that_never_rests_is_read_as_it_is_when_its_time_is_up():
    async with rendering(seconds=1.5) as render:
        made = await render(
            "<body>begun<script>setInterval(() => document.body.append(' more'), 20)</script>"
        )
    assert made.detail is Detail.RENDERED
    assert b"begun more" in made.document


@pytest.fixture
def started(monkeypatch) -> list[Chromium]:
    """Every browser that is started, as it is."""
    started: list[Chromium] = []
    real = Chromium.start

    async def start(self: Chromium) -> None:
        await real(self)
        started.append(self)

    monkeypatch.setattr(Chromium, "start", start)
    return started


async def test_a_browser_that_is_killed_in_the_middle_is_started_anew(started):
    async def kill(part: SubRequest) -> Fetched:
        if len(started) == 1:
            os.kill(started[0].pid, signal.SIGKILL)
        return await nothing(part)

    async with rendering() as render:
        made = await render("<body><script>fetch('/x').then(() => document.write('well'))</script>", kill)
    assert made.detail is Detail.RENDERED and b"well" in made.document
    assert len(started) == 2


async def test_a_browser_that_dies_of_every_try_at_a_page_is_named(started):
    async def kill(part: SubRequest) -> Fetched:
        os.kill(started[-1].pid, signal.SIGKILL)
        return await nothing(part)

    async with rendering() as render:
        made = await render("<body><script>fetch('/x')</script>", kill)
    assert made.detail is Detail.BROWSER_CRASHED


def kill_renderers(browser: int) -> None:
    """Kill the processes of pages; one that has just begun may not bear its name yet, and others end."""
    killed = 0
    while not killed:
        for pid in _family(browser):
            with suppress(FileNotFoundError, ProcessLookupError):
                if b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
        time.sleep(0.05)


async def test_a_page_whose_process_dies_each_time_is_named_at_once(started):
    """The browser itself goes on: it is the page's process that is killed."""

    async def kill(part: SubRequest) -> Fetched:
        await asyncio.to_thread(kill_renderers, started[-1].pid)
        return await nothing(part)

    async with rendering(seconds=60.0) as render:
        made = await asyncio.wait_for(render("<body><script>fetch('/x')</script>", kill), 50)
        assert made.detail is Detail.BROWSER_CRASHED
        assert (await render("<body>well<script></script>")).detail is Detail.RENDERED
    assert len(started) == 1


async def test_a_page_that_eats_memory_ends_the_browser_and_is_named():
    hungry = (
        "<body><script>const a = []; setInterval(() => a.push(new Uint8Array(64 << 20).fill(1)), 10)</script>"
    )
    renderer = Renderer(limits=PageLimits(seconds=60.0), browser_limits=BrowserLimits(most_memory=700 << 20))
    made = await renderer.render(page(hungry), nothing)
    await renderer.close()
    assert made.detail in (Detail.BROWSER_TOO_LARGE, Detail.BROWSER_CRASHED)
    assert made.document == b""


async def test_nothing_of_a_browser_is_left_when_it_was_ended():
    renderer = Renderer()
    await renderer.render(page("<body><script>1</script>"), nothing)
    browser = renderer._browser
    assert browser is not None and memory_of(browser.pid) > 0
    family, profile = browser.pid, browser._profile
    assert os.listdir(profile)
    await renderer.close()
    await asyncio.sleep(0.5)
    assert memory_of(family) == 0 and not os.access(profile, os.F_OK)


async def test_windows_downloads_and_dialogs_do_not_hold_a_page():
    rude = (
        "<body><a id=a href='/file' download>x</a><script>alert(1); confirm(2); prompt(3); print();"
        "window.open('/popup'); document.getElementById('a').click();"
        "document.body.append('gone on')</script>"
    )
    async with rendering() as render:
        made = await render(rude)
    assert b"gone on" in made.document


async def test_one_page_leaves_nothing_for_the_next():
    writes = "localStorage.setItem('a', 'kept'); document.cookie = 'b=kept';"
    reads = "document.write(localStorage.getItem('a') + document.cookie)"
    async with rendering() as render:
        first = await render(f"<body><script>{writes}{reads}</script>")
        second = await render(f"<body><script>{reads}</script>")
    assert b"keptb=kept" in first.document  # it would have worked
    assert b"kept" not in second.document


async def test_half_a_letter_in_a_title_does_not_end_the_conversation():
    async with rendering() as render:
        made = await render("<body>words<script>document.title = 'half \\ud800'</script>")
    assert made.detail is Detail.RENDERED and b"words" in made.document


async def test_nothing_of_a_browser_goes_on_when_the_crawl_is_killed():
    """Neither we nor anybody else could end it then."""
    script = (
        "import asyncio\n"
        "from thresher.fetch.browser.chromium import Chromium, find_browser\n"
        "async def main():\n"
        "    browser = Chromium(find_browser())\n"
        "    await browser.start()\n"
        "    print(browser.pid, browser._profile, flush=True)\n"
        "    await asyncio.sleep(100)\n"
        "asyncio.run(main())\n"
    )
    crawl = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    assert crawl.stdout
    pid, profile = (await crawl.stdout.readline()).decode().split()
    assert len([*_family(int(pid))]) > 2
    crawl.kill()
    await crawl.wait()
    for _ in range(50):
        if not (alive := processes_of(profile)):
            break
        await asyncio.sleep(0.1)
    shutil.rmtree(profile, ignore_errors=True)  # all that it leaves
    assert alive == []


def processes_of(profile: str) -> list[str]:
    """Return the processes that were started with a profile."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if profile in path.read_text(errors="replace"):
                found.append(path.parent.name)
    return found
