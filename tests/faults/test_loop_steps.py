"""Whatever pages a crawl meets, no step of its event loop takes long: everybody waits for it."""

import asyncio.events
import gzip
import time
from random import Random

import brotli
import pytest

from tests.faults.server import ALLOWED, FaultServer, page
from tests.stopwatch import MOMENT, slowness
from thresher.build import run
from thresher.build.revisit import revisit
from thresher.engine.revisit import RevisitTask
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.text.tokenize import word_counts

LARGE = 8 << 20
TRIES = 3  # a step that takes long for what it does takes long each time
HTML = "text/html; charset=utf-8"
BEES = b"<title>Bees</title><p>The queen and her honey bees stay at home all winter."
LETTERS = [chr(number) for number in range(0x4E00, 0x5200)]
CHINESE = "".join(Random(1).choices(LETTERS, k=200_000)) * (LARGE // 600_000)
MENU = b"".join(b'<a href="/small">Honey bee number %d</a> ' % number for number in range(150_000))
FORUM = b"<p>Bees<p>" + b"".join(b"Reply<br>%d %%d<br>" % number for number in range(1_990))

DIRECTORY = b"".join(b'<a href="/bees/%d">Honey bee %d</a> ' % (number, number) for number in range(5_000))
CARDS = b"".join(b"<a href='//10.0.%d.%d/'>Hive</a> " % divmod(number, 250) for number in range(4_900))
ENTRIES = b"".join(b"<url><loc>/entry/%d</loc></url>" % number for number in range(50_000))

FRAMES = (b"\x50\x2a\x4d\x18" + bytes(4)) * (4 << 17)  # of zstd, to be skipped

HOSTILE = {
    "/chinese": page(CHINESE.encode()[:LARGE], Content_Type=HTML),
    "/cells": page(b"<table><tr><td>x" * (LARGE // 16), Content_Type=HTML),
    "/hidden": page(b'<div style="display:none" hidden>' * (LARGE // 33), Content_Type=HTML),
    "/surrogates": page(b"<\0p\0>\0\0\xd8x\0" * (LARGE // 10), Content_Type="text/html; charset=utf-16le"),
    "/english": page(BEES + b" the bees swarm" * (LARGE // 15), Content_Type=HTML),
    "/links": page(MENU[:LARGE], Content_Type=HTML),
    "/bomb": page(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip"),
    "/frames": page(
        brotli.compress(b"\x50\x2a\x4d\x18" + bytes(4 << 20), quality=9, lgwin=24),
        Content_Encoding="zstd, br",
    ),
    "/packed": page(gzip.compress(CHINESE.encode()[:LARGE]), Content_Encoding="gzip", Content_Type=HTML),
    "/map.xml": page(b"<urlset>" + b"<x>" * 40_000 + b"<link/>" * 40_000, Content_Type="text/xml"),
    "/map.xml.gz": page(gzip.compress(b"<urlset>" + b"<link/>" * 150_000), Content_Type="application/gzip"),
    "/everything.xml": page(b"<urlset>" + ENTRIES + b"</urlset>", Content_Type="text/xml"),
    "/directory": page(BEES + DIRECTORY, Content_Type=HTML),
    "/cards": page(BEES + CARDS, Content_Type=HTML),
    "/noise": page(BEES + Random(2).randbytes(LARGE - 100).replace(b"<", b"-"), Content_Type=HTML),
    "/letters": page(BEES + CHINESE[:80_000].encode(), Content_Type=HTML),
    "/deep": page(BEES + b"<div>" * 15_900, Content_Type=HTML),
    "/forum": page(FORUM.replace(b"%d", b"b"), Content_Type=HTML),
    "/small": page(BEES, Content_Type=HTML),
}
START = BEES + b"".join(b'<a rel="sitemap" href="%b">Bees</a>' % path.encode() for path in HOSTILE)
RULES = b"User-agent: *\n" + b"".join(b"Disallow: /*a*b*%d\n" % number for number in range(20_000))


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time of every step of the loop that begins after a first figure was put into the list.

    Before the first request and after the last answer nobody waits for the loop.
    """
    word_counts("今天晚上的篮球比赛非常精彩")  # reads its dictionary, once in a process
    run, found = asyncio.events.Handle._run, list[float]()

    def timed(handle: asyncio.events.Handle) -> None:
        before, begun = len(found), time.thread_time()
        run(handle)
        if 0 < before <= len(found):  # else the list was empty, or begun anew meanwhile
            found.append(time.thread_time() - begun)

    monkeypatch.setattr(asyncio.events.Handle, "_run", timed)
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_no_step_takes_long_in_a_crawl_and_a_revisit_of_hostile_pages(tmp_path, steps):
    """0.1 s at most, and 0.05 s but for one step of a thousand, of the processor that bounds were set on."""
    for attempt in range(TRIES):
        steps.clear()
        every = sorted(await _steps_of_a_crawl(CrawlFolder(tmp_path / str(attempt)), steps))
        assert len(every) > 1_000
        longest, usual = (every[place] / slowness() for place in (-1, int(0.999 * len(every))))
        if longest < 2 * MOMENT and usual < MOMENT:
            return
    pytest.fail(f"longest {longest:.3f} s, 99.9 % within {usual:.3f} s")


async def _steps_of_a_crawl(folder: CrawlFolder, steps: list[float]) -> list[float]:
    """Crawl and revisit all that is hostile; return what each step took."""
    answers = {"/": page(START, Content_Type=HTML), "/robots.txt": page(RULES), **HOSTILE}
    async with FaultServer(answers) as server:
        web = {"kind": "live", "allow_networks": [ALLOWED], "delay": 0.0, "sitemaps": True}
        asked = [("topic", "bees"), ("seeds", (server.url("/"),)), ("web", web), ("stop", {"pages": 60})]
        await run(read(None, asked), folder, begin=lambda crawl: steps.append(0.0))
        assert set(HOSTILE) < set(server.asked())
        server.answers["/forum"] = page(FORUM.replace(b"%d", b"c"), Content_Type=HTML)
        looked = read(folder.settings, [("stop", {"pages": 0})])
        crawled = steps[:]
        steps.clear()
        await revisit(folder, RevisitTask(once=True), looked, begin=lambda crawl: steps.append(0.0))
    return crawled + steps
