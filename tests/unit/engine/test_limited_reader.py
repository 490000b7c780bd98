"""The reader in another process: the same pages come back, and one that kills or holds it fails alone."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from thresher.build.crawl import make_parser_process
from thresher.build.reading import limited_reader, make_judge, make_parser, parsing_of
from thresher.build.webs import WebContext
from thresher.core.clock import SteadyClock, VirtualClock
from thresher.core.enums import Detail
from thresher.core.interfaces import Web
from thresher.core.records import Candidate, Fetched, Topic, Url
from thresher.engine.read import PageReader
from thresher.engine.reader_process import ParserProcess, framed
from thresher.settings.model import Settings

pytestmark = pytest.mark.posix

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})

MOODY = """
import os, sys, time, msgspec
from thresher.core.records import Fetched, Page
from thresher.core.records import ReadResult
from thresher.engine.reader_process import READY, framed
def message():
    return sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "big"))
message()
sys.stdout.buffer.write(READY)
sys.stdout.buffer.flush()
while True:
    fetched, body = msgspec.msgpack.decode(message(), type=Fetched), message()
    if body == b"die":
        os._exit(9)
    if body == b"hang":
        time.sleep(600)
    sys.stdout.buffer.write(framed(ReadResult(Page(fetched.url), 0.5)))
    sys.stdout.buffer.flush()
"""


def fetched(body: bytes, path: str = "") -> Fetched:
    url = Url(f"http://a.test/{path}")
    return Fetched(Candidate(url), url, 200, (("content-type", "text/html"),), body)


def resident_bytes(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf(
        "SC_PAGE_SIZE"
    )


@pytest.fixture
async def readers() -> AsyncIterator[ParserProcess]:
    made = limited_reader(parsing_of(Settings()), 30.0)
    yield made
    await made.close()


@pytest.fixture
async def moody() -> AsyncIterator[ParserProcess]:
    made = ParserProcess((sys.executable, "-c", MOODY), framed("hello"), 2.0)
    yield made
    await made.close()


async def test_a_page_parsed_aside_is_read_as_the_crawl_itself_would(readers: ParserProcess) -> None:
    filler = "<p>the hive" * 30_000
    bodies = [f"<title>Bee {n}</title><a href='/{n}'>honey</a> bee{filler}".encode() for n in range(6)]
    pages = [fetched(body, str(n)) for n, body in enumerate(bodies)]
    judge, parse = make_judge(Settings(), TOPIC), make_parser(Settings())
    reader = PageReader(parse, judge, readers, counts_words=True)
    assert reader.aside and all(map(reader.aside.is_for, pages))
    here = replace(reader, aside=None)
    assert await asyncio.gather(*map(reader.read, pages)) == [await here.read(each) for each in pages]


async def test_a_reader_process_holds_neither_judge_nor_words(readers: ParserProcess) -> None:
    await readers.read(fetched(b"<p>bees"))
    assert readers._process is not None
    assert resident_bytes(readers._process.pid) < 64e6  # 104 with the vectors of its judge


async def test_a_page_that_kills_its_reader_fails_alone(moody: ParserProcess) -> None:
    bodies = [b"fine", b"die", b"fine", b"fine"]
    read = await asyncio.gather(*(moody.read(fetched(body)) for body in bodies))
    assert [each.detail is Detail.PARSER_FAILED for each in read] == [False, True, False, False]
    assert "died" in read[1].failure


async def test_a_page_that_comes_long_after_one_that_killed_its_reader_is_read(moody: ParserProcess) -> None:
    assert "died" in (await moody.read(fetched(b"die"))).failure
    await asyncio.sleep(0.5)
    assert moody._process is None  # the next one starts when there is a page
    async with asyncio.timeout(10):
        assert (await moody.read(fetched(b"fine"))).page is not None


async def test_a_reader_that_cannot_be_started_fails_a_page_and_holds_none() -> None:
    reader = ParserProcess(("/nowhere/at/all",), framed("hello"), 2.0)
    async with asyncio.timeout(10):
        read = [await reader.read(fetched(b"fine")) for _ in range(2)]
    assert {each.failure for each in read} == {"the reader could not be started (No such file or directory)"}
    await reader.close()


async def test_a_page_that_takes_too_long_fails_alone(moody: ParserProcess) -> None:
    bodies = [b"hang", b"fine", b"hang", b"fine"]
    read = await asyncio.gather(*(moody.read(fetched(body)) for body in bodies))
    assert [each.detail is Detail.PARSER_FAILED for each in read] == [True, False, True, False]
    assert "longer than 2 seconds" in read[0].failure


@pytest.mark.parametrize(
    ("body", "aside"),
    [
        (b"<p>small", False),
        (b"<p>" + b"x" * (1 << 18), True),
        (b"<b>" * 16_001, True),
        (b"<a>" * 6_000, True),
        (b"<b>" * 6_000, False),
        (b"\x1f\x8b and how large it will be nobody knows", True),
    ],
)
async def test_large_pages_of_the_live_web_are_read_aside(body: bytes, aside: bool) -> None:
    reader = make_parser_process(Settings(), WebContext(Web(), SteadyClock(), Topic("bees")))
    assert reader is not None
    assert reader.is_for(fetched(body)) == aside
    await reader.close()


def test_in_virtual_time_nothing_is_read_aside() -> None:
    world = WebContext(Web(), VirtualClock(), Topic("bees"), virtual_time=True)
    assert make_parser_process(Settings(), world) is None
