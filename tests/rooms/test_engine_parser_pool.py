"""Readers in processes: the same pages come back, and a page that kills or holds its reader fails alone."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import pytest

from thresher.build.crawl import make_pool
from thresher.build.parser_process import COMMAND, Greeting
from thresher.build.reading import make_judge, make_parser
from thresher.core.kinds import Detail
from thresher.core.records import Candidate, Fetched, Topic, Url
from thresher.engine.parser_pool import ParserPool, framed
from thresher.engine.read_stage import at_once
from thresher.settings.model import Settings, WebSettings

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})

MOODY = """
import os, sys, time, msgspec
from thresher.core.records import Fetched, Page
from thresher.core.records import Reading
from thresher.engine.parser_pool import READY, framed
def message():
    return sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "big"))
message()
sys.stdout.buffer.write(READY)
sys.stdout.buffer.flush()
while True:
    fetched = msgspec.msgpack.decode(message(), type=Fetched)
    if fetched.body == b"die":
        os._exit(9)
    if fetched.body == b"hang":
        time.sleep(600)
    sys.stdout.buffer.write(framed(Reading(Page(fetched.url), 0.5)))
    sys.stdout.buffer.flush()
"""


def fetched(body: bytes, path: str = "") -> Fetched:
    url = Url(f"http://a.test/{path}")
    return Fetched(Candidate(url), url, 200, (("content-type", "text/html"),), body)


@pytest.fixture
async def readers() -> AsyncIterator[ParserPool]:
    made = ParserPool(COMMAND, framed(Greeting(Settings(), TOPIC)), 2, 30.0)
    yield made
    await made.close()


@pytest.fixture
async def moody() -> AsyncIterator[ParserPool]:
    made = ParserPool((sys.executable, "-c", MOODY), framed("hello"), 1, 2.0)
    yield made
    await made.close()


async def test_a_reader_makes_of_a_page_what_the_crawl_itself_would(readers: ParserPool) -> None:
    bodies = [f"<title>Bee {n}</title><a href='/{n}'>honey</a> bee".encode() for n in range(12)]
    pages = [fetched(body, str(n)) for n, body in enumerate(bodies)]
    read = await asyncio.gather(*(readers.read(page) for page in pages))
    judge, parse = at_once(make_judge(Settings(), TOPIC)), make_parser(Settings())
    assert [(each.page, each.relevance) for each in read] == [
        (parse(page), judge.score(parse(page))) for page in pages
    ]


async def test_a_page_that_kills_its_reader_fails_alone(moody: ParserPool) -> None:
    bodies = [b"fine", b"die", b"fine", b"fine"]
    read = await asyncio.gather(*(moody.read(fetched(body)) for body in bodies))
    assert [each.detail is Detail.PARSER_FAILED for each in read] == [False, True, False, False]
    assert "died" in read[1].failure


async def test_a_page_that_takes_too_long_fails_alone(moody: ParserPool) -> None:
    bodies = [b"hang", b"fine", b"hang", b"fine"]
    read = await asyncio.gather(*(moody.read(fetched(body)) for body in bodies))
    assert [each.detail is Detail.PARSER_FAILED for each in read] == [True, False, True, False]
    assert "longer than 2 seconds" in read[0].failure


def test_no_more_readers_are_started_than_there_are_cores_and_who_asked_for_more_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    made = [make_pool(Settings(web=WebSettings(workers=asked)), TOPIC) for asked in (0, 1, 2, 4)]
    assert [readers.count if readers else 0 for readers in made] == [0, 1, 2, 2]
    assert caplog.messages == ["2 of 4 workers are started, one per core: more would only take turns."]


@pytest.mark.parametrize(
    ("body", "aside"),
    [
        (b"<p>small", False),
        (b"<p>" + b"x" * (1 << 18), True),
        (b"<b>" * 8_001, True),
        (b"\x1f\x8b and how large it will be nobody knows", True),
    ],
)
async def test_without_workers_large_pages_of_the_live_web_are_read_aside(body: bytes, aside: bool) -> None:
    readers = make_pool(Settings(web=WebSettings(kind="live")), TOPIC)
    assert readers is not None and readers.count == 1
    assert readers.are_for(fetched(body)) == aside
    await readers.close()


def test_in_virtual_time_nothing_is_read_aside() -> None:
    assert make_pool(Settings(web=WebSettings(kind="practice")), TOPIC) is None
