"""When pages are rendered, what they may ask for on the way, and what becomes of a broken browser."""

import asyncio
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web as http
from msgspec.structs import replace

from thresher.build.live import make_web
from thresher.core.enums import Detail
from thresher.core.errors import RobotsForbidden, SettingsError
from thresher.core.interfaces import Web
from thresher.core.records import BrowserRendering, Candidate, Fetched, Url
from thresher.fetch.browser import chromium
from thresher.fetch.browser.chromium import Renderer
from thresher.fetch.browser.isolation import SubRequest, fulfilled, part_of
from thresher.fetch.live import FREE, SURE, LiveWeb, Parts, RenderingWeb, When
from thresher.fetch.request_headers import secret_lines
from thresher.parse.document import has_script, is_made_by_script
from thresher.settings.load import read
from thresher.warc.capture import HttpExchange, Rendered
from thresher.warc.files import LocalVolume
from thresher.warc.reader import rendered_at
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_web import ArchiveWeb

pytestmark = pytest.mark.posix

SHELL = b"<body><div></div><script src=/app.js></script>"
WORDS = b"<body>" + b"honey and wax " * 30
PAGE = Url("http://site.example/page")


@dataclass
class Answers(Web):
    """A web that has one answer, and notes what it was asked."""

    body: bytes = SHELL
    asked: list[Url] = field(default_factory=list)
    delay: float = 1.0

    async def get(self, candidate: Candidate) -> Fetched:
        self.asked.append(candidate.url)
        return Fetched(candidate, candidate.url, 200, (("content-type", "text/html"),), self.body)

    async def close(self) -> None: ...


@dataclass
class Renders:
    """A renderer that always makes the same of a page."""

    document: bytes = WORDS
    detail: Detail = Detail.RENDERED
    rendered: int = 0

    async def render(self, fetched: Fetched, ask: object) -> BrowserRendering:
        self.rendered += 1
        return BrowserRendering(self.detail, document=self.document)

    async def close(self) -> None: ...


def scripted(
    when: When, renders: Renders | None = None, body: bytes = SHELL, share: float = 0.1
) -> RenderingWeb:
    live = cast(LiveWeb, Answers(body))
    return RenderingWeb(live, is_made_by_script, has_script, cast(Renderer | None, renders), when, share)


async def details(web: RenderingWeb, pages: int, host: str = "http://site.example") -> list[Detail | None]:
    got = [await web.get(Candidate(Url(f"{host}/{number}"))) for number in range(pages)]
    return [each.rendering.detail if each.rendering else None for each in got]


async def test_never_counts_the_pages_that_need_a_browser():
    assert await details(scripted(When.NEVER), 3) == [Detail.NEEDS_BROWSER] * 3
    assert await details(scripted(When.NEVER, body=WORDS + b"<script></script>"), 3) == [None] * 3


async def test_auto_renders_a_few_pages_and_then_a_tenth_of_the_visits():
    web = scripted(When.AUTO, Renders())
    told = await details(web, 200)
    assert told[:FREE] == [Detail.RENDERED] * FREE
    assert told.count(Detail.RENDERED) == FREE + 20
    assert set(told) == {Detail.RENDERED, Detail.NEEDS_BROWSER}


async def test_auto_renders_all_where_it_is_told_to():
    assert await details(scripted(When.AUTO, Renders(), share=1.0), 100) == [Detail.RENDERED] * 100


async def test_after_three_pages_that_gained_a_host_is_known_and_its_longer_shells_are_rendered_too():
    web = scripted(When.AUTO, Renders(), share=1.0)
    live = cast(Answers, web.live)
    live.body = WORDS + b"<script></script>"
    assert await details(web, 1) == [None]
    live.body = SHELL
    await details(web, SURE)
    live.body = WORDS + b"<script></script>"
    assert await details(web, 1) == [Detail.RENDERED]
    assert await details(web, 1, "http://other.example") == [None]


async def test_after_three_pages_that_gained_nothing_a_host_is_left_as_it_comes():
    renders = Renders(document=b"<body>")
    web = scripted(When.AUTO, renders, share=1.0)
    assert await details(web, 6) == [Detail.RENDERED] * 3 + [Detail.NEEDS_BROWSER] * 3
    assert renders.rendered == SURE


async def test_always_renders_every_page_that_has_a_script():
    assert (
        await details(scripted(When.ALWAYS, Renders(), body=WORDS + b"<script></script>"), 30)
        == [Detail.RENDERED] * 30
    )
    assert await details(scripted(When.ALWAYS, Renders(), body=WORDS), 3) == [None] * 3


class Site:
    """A server on loopback that notes what it is asked, and with which headers."""

    def __init__(self, robots: str = "") -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.robots = robots

    async def answer(self, request: http.Request) -> http.Response:
        if request.path == "/robots.txt":
            return http.Response(text=self.robots)
        self.asked.append((request.path, dict(request.headers)))
        return http.Response(text="{}", content_type="application/json")

    async def __aenter__(self) -> "Site":
        application = http.Application()
        application.router.add_get("/{path:.*}", self.answer)
        self._runner = http.AppRunner(application)
        await self._runner.setup()
        site = http.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.root = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()


def live_web(**rest: Any) -> LiveWeb:
    return LiveWeb(allow_networks=("127.0.0.0/8",), **rest)


async def test_parts_obey_robots_txt():
    async with Site("User-agent: *\nDisallow: /api/private\n") as site:
        web = live_web(delay=0.0)
        parts = Parts(web)
        assert (await parts.get(SubRequest(Url(f"{site.root}/api/open"), PAGE))).status == 200
        with pytest.raises(RobotsForbidden):
            await parts.get(SubRequest(Url(f"{site.root}/api/private"), PAGE))
        await web.close()
        assert [path for path, _ in site.asked] == ["/api/open"]


async def test_parts_keep_the_pauses_of_their_host_and_a_visit_waits_for_them():
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with Site() as site:
        web = live_web(delay=5.0, sleep=sleep)
        parts = Parts(web, sleep)
        for name in ("a", "b"):
            await parts.get(SubRequest(Url(f"{site.root}/{name}"), PAGE))
        slept.clear()
        await parts.let_rest(Url(f"{site.root}/page"))
        await parts.let_rest(Url("http://other.example/"))
        await web.close()
    assert len(slept) == 1 and slept[0] > 4


async def test_scripts_that_other_pages_had_are_not_asked_for_again():
    async with Site() as site:
        web = live_web(delay=0.0)
        parts = Parts(web)
        script, data = Url(f"{site.root}/app.js"), Url(f"{site.root}/data")
        first = await parts.get(SubRequest(script, PAGE, may_be_kept=True))
        again = await parts.get(SubRequest(script, PAGE, may_be_kept=True))
        for _ in range(2):
            await parts.get(SubRequest(data, PAGE))
        await web.close()
    assert [path for path, _ in site.asked] == ["/app.js", "/data", "/data"]
    assert first.head and not again.head  # what was not asked for is not archived either


async def test_what_secrets_opened_is_kept_for_pages_of_its_own_host_alone():
    """Else a page of another host could read there what only we may, and tell its own."""
    async with Site() as site:
        web = live_web(delay=0.0, secrets=secret_lines({site.root: "user:word"}, {}))
        parts, script = Parts(web), Url(f"{site.root}/app.js")
        for page in (Url(f"{site.root}/page"), Url("http://evil.example/"), Url(f"{site.root}/other")):
            await parts.get(SubRequest(script, page, may_be_kept=True))
        await web.close()
    assert ["Authorization" in headers for _, headers in site.asked] == [True, False]


async def test_secrets_go_along_only_to_the_host_of_the_page():
    """Else any page could have our passwords spent on what it likes to read."""
    async with Site() as site:
        web = live_web(delay=0.0, secrets=secret_lines({site.root: "user:word"}, {}))
        parts, own = Parts(web), Url(f"{site.root}/page")
        await parts.get(
            SubRequest(Url(f"{site.root}/mine"), own, {"accept": "application/json", "origin": "null"})
        )
        await parts.get(SubRequest(Url(f"{site.root}/theirs"), PAGE))
        await web.close()
    mine, theirs = (headers for _, headers in site.asked)
    assert "Authorization" in mine and mine["Accept"] == "application/json" and mine["Origin"] == "null"
    assert "Authorization" not in theirs


def paused(
    kind: str, method: str = "GET", url: str = "http://api.example/x", **headers: str
) -> dict[str, Any]:
    return {"resourceType": kind, "request": {"url": url, "method": method, "headers": headers}}


@pytest.mark.parametrize(
    "kind", ["Image", "Font", "Media", "Ping", "CSPViolationReport", "Manifest", "Other"]
)
def test_what_a_reader_does_not_need_is_not_asked_for(kind):
    assert part_of(PAGE, paused("Fetch")) is not None
    assert part_of(PAGE, paused(kind)) is None


def test_what_writes_or_never_ends_is_not_asked_for():
    assert part_of(PAGE, paused("Fetch", "POST")) is None
    assert part_of(PAGE, paused("Fetch", Accept="text/event-stream")) is None
    assert part_of(PAGE, paused("Fetch", url="file:///etc/passwd")) is None


def test_only_harmless_headers_go_along_in_either_direction():
    part = part_of(
        PAGE, paused("XHR", Cookie="a=b", Authorization="x", Accept="text/plain", Origin="null\r\nX: y")
    )
    assert part is not None and part.headers == {"accept": "text/plain"}
    told = (("set-cookie", "a=b"), ("nel", "{}"), ("link", "</x>; rel=preload"), ("content-type", "text/css"))
    reply = fulfilled(Fetched(Candidate(PAGE), PAGE, 200, told, b"body"))
    assert reply.parameters["responseHeaders"] == [{"name": "content-type", "value": "text/css"}]


def program(place: Path, script: str) -> str:
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return str(place)


async def nothing(part: SubRequest) -> Fetched:
    raise AssertionError("nobody asked")


@pytest.mark.parametrize(
    "script", ["exit 1", "sleep 60", "printf 'no JSON\\0' >&4; sleep 60", "head -c 99 /dev/zero >&4"]
)
async def test_a_browser_that_does_not_start_is_named_and_soon_given_up(tmp_path, monkeypatch, script):
    """One that ends at once, one that never answers, and two that talk nonsense."""
    monkeypatch.setattr(chromium, "START", 0.5)
    renderer = Renderer(program(tmp_path / "browser", script))
    fetched = Fetched(Candidate(PAGE), PAGE, 200, body=SHELL)
    for _ in range(4):
        rendering = await asyncio.wait_for(renderer.render(fetched, nothing), 10)
        assert rendering.detail is Detail.NEEDS_BROWSER
    assert renderer._failures == 3
    await renderer.close()


def test_a_browser_that_is_missing_is_an_error_only_where_it_was_asked_for(monkeypatch, caplog):
    monkeypatch.setattr(chromium, "NAMES", ())
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "/nowhere")
    auto = read(None, [("topic", "bees"), ("web", {"kind": "live", "browser": "auto"})])
    assert make_web(auto).renderer is not None
    assert "only counted" in caplog.text
    for web in ({"browser": "always"}, {"browser": "auto", "browser_path": "/nowhere/chromium"}):
        with pytest.raises(SettingsError, match="apt-get install chromium"):
            make_web(replace(auto, web=replace(auto.web, **web)))


async def test_a_crawl_of_the_archive_sees_the_page_as_it_was_rendered(tmp_path):
    """And `rendered_at` finds it behind the response, where nothing of another response is taken for it."""
    writer = WarcWriter(LocalVolume(tmp_path))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    made = Rendered(
        WORDS, 1e9 + 1, (HttpExchange(f"{PAGE}.json", 1e9, head, b"{}", b"GET / HTTP/1.1\r\n\r\n"),)
    )
    first = writer.write(HttpExchange(PAGE, 1e9, head, SHELL, rendered=made))
    plain = writer.write(HttpExchange("http://site.example/plain", 1e9, head, b"<p>plain"))
    writer.write(HttpExchange("http://site.example/third", 1e9, head, SHELL, rendered=made))
    writer.close()
    archive = ArchiveWeb([tmp_path])
    assert (await archive.get(Candidate(PAGE))).body == WORDS
    assert (await archive.get(Candidate(Url(f"{PAGE}.json")))).body == b"{}"
    await archive.close()
    with open(tmp_path / first.file, "rb") as file:  # noqa: ASYNC230
        found = rendered_at(file, first.file, first.offset)
        assert found is not None and found.block == WORDS
        assert rendered_at(file, first.file, plain.offset) is None
