"""What every web must do: answer for a URL whatever the status, and let go when told to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from thresher.core.errors import FetchError
from thresher.core.interfaces import Web
from thresher.core.records import Candidate, Url
from thresher.core.url import host_of, join, parse
from thresher.fetch.live import LiveWeb, RenderingWeb
from thresher.parse.document import has_script, is_made_by_script
from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_web import ArchiveWeb
from thresher_practice import PracticeWeb
from thresher_practice.server import PracticeServer

ATLAS = PracticeWeb(1).atlas


@dataclass
class Case:
    """A web, pages it has, and one it has not."""

    web: Web
    pages: list[Url]
    absent: Url


def case(web: Web, source: PracticeWeb) -> Case:
    pages = list(source.pages[:300:60])
    return Case(web, pages, join(parse(host_of(pages[0])), "/no/such/page"))


@asynccontextmanager
async def practice(folder: Path) -> AsyncIterator[Case]:
    web = PracticeWeb(1, atlas=ATLAS)
    yield case(web, web)


@asynccontextmanager
async def live(folder: Path) -> AsyncIterator[Case]:
    server = PracticeServer(PracticeWeb(1, atlas=ATLAS))
    async with server:
        web = LiveWeb(allow_networks=("127.0.0.0/8",), delay=0.0)
        yield case(web, server.web)
        await web.close()


@asynccontextmanager
async def scripted(folder: Path) -> AsyncIterator[Case]:
    async with live(folder) as made:
        assert isinstance(made.web, LiveWeb)
        yield Case(RenderingWeb(made.web, is_made_by_script, has_script), made.pages, made.absent)


@asynccontextmanager
async def archive(folder: Path) -> AsyncIterator[Case]:
    source = PracticeWeb(1, atlas=ATLAS)
    writer = WarcWriter(LocalVolume(folder))
    for url in source.pages[:300:60]:
        fetched = await source.get(Candidate(url))
        head = f"HTTP/1.1 {fetched.status} OK\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in fetched.headers
        )
        writer.write(HttpExchange(url, 1e9, f"{head}\r\n".encode(), fetched.body))
    writer.close()
    web = ArchiveWeb([folder])
    yield case(web, source)
    await web.close()


WEBS: dict[str, Callable[[Path], AbstractAsyncContextManager[Case]]] = {
    "practice": practice,
    "live": live,
    "archive": archive,
    "scripted": scripted,
}


@pytest.fixture(params=list(WEBS))
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Case]:
    async with WEBS[request.param](tmp_path) as made:
        yield made


async def test_a_page_comes_with_its_candidate_and_its_bytes(world: Case) -> None:
    asked = Candidate(world.pages[0], priority=0.25, hops_left=2)
    fetched = await world.web.get(asked)
    assert (fetched.candidate, fetched.url, fetched.status) == (asked, asked.url, 200)
    assert b"<html" in fetched.body


async def test_header_names_are_in_lower_case(world: Case) -> None:
    fetched = await world.web.get(Candidate(world.pages[0]))
    assert fetched.header("content-type").startswith("text/html")
    assert all(name == name.lower() for name, _ in fetched.headers)


async def test_a_page_that_is_not_there_is_an_answer_too(world: Case) -> None:
    assert (await world.web.get(Candidate(world.absent))).status == 404


async def test_the_same_page_has_the_same_bytes_each_time(world: Case) -> None:
    first, second = [await world.web.get(Candidate(world.pages[1])) for _ in range(2)]
    assert first.body == second.body


async def test_many_may_be_asked_for_at_once(world: Case) -> None:
    answers = await asyncio.gather(*(world.web.get(Candidate(url)) for url in world.pages))
    assert [answer.url for answer in answers] == world.pages


async def test_a_host_that_does_not_exist_fails_by_name_or_is_not_there(world: Case) -> None:
    candidate = Candidate(Url("http://nobody.invalid/"))
    try:
        assert (await world.web.get(candidate)).status == 404
    except FetchError as error:
        assert str(error)


async def test_closing_twice_is_no_harm(world: Case) -> None:
    await world.web.close()
    await world.web.close()
