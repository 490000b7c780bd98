"""What a page may ask for while it is rendered, and what it may read of the answers."""

from collections.abc import Awaitable, Callable
from time import process_time

import pytest

from tests.browser.rendering import nothing, rendering
from thresher.core.enums import Detail
from thresher.core.records import Candidate, Fetched, Url
from thresher.fetch.browser.isolation import SubRequest

pytestmark = pytest.mark.timeout(180)


async def test_a_page_may_ask_for_forty_parts_and_no_more():
    asked: list[Url] = []

    async def count(part: SubRequest) -> Fetched:
        asked.append(part.url)
        return await nothing(part)

    greedy = "<body><script>for (let i = 0; i < 60; i++) fetch('/part/' + i).catch(() => 0)</script>"
    async with rendering() as render:
        await render(greedy, count)
    assert len(asked) == 40


async def test_a_page_that_asks_without_end_holds_nobody_up():
    """Neither by parts nor by pictures, which cost us an answer each."""
    flood = "setInterval(() => { for (let i = 0; i < 200; i++) new Image().src = '/' + Math.random() }, 5)"
    began = process_time()
    async with rendering(seconds=3.0) as render:
        made = await render(f"<body>words<script>{flood}</script>")
    assert made.detail is Detail.RENDERED and b"words" in made.document
    assert process_time() - began < 5.0


async def test_what_is_not_a_get_is_answered_403_and_never_sent():
    asked: list[Url] = []

    async def note(part: SubRequest) -> Fetched:
        asked.append(part.url)
        return await nothing(part)

    posts = (
        "<body><script>fetch('/write', {method: 'POST', body: 'x'})"
        ".then((answer) => document.body.append('status ' + answer.status))</script>"
    )
    async with rendering() as render:
        made = await render(posts, note)
    assert b"status 403" in made.document and asked == []


async def test_a_part_that_moved_is_asked_for_again_where_it_went():
    """Guard and robots.txt see the new address as they saw the old one."""
    asked: list[str] = []

    async def ask(part: SubRequest) -> Fetched:
        asked.append(part.url.removeprefix("http://site.example"))
        if part.url.endswith("/old"):
            return Fetched(Candidate(part.url), part.url, 302, (("location", "/new"),))
        return Fetched(Candidate(part.url), part.url, 200, (), b"moved words")

    reads = (
        "<body><script>fetch('/old').then((answer) => answer.text())"
        ".then((text) => document.body.append(text))</script>"
    )
    async with rendering() as render:
        made = await render(reads, ask)
    assert asked == ["/old", "/new"]
    assert b"moved words" in made.document


async def test_another_site_is_read_by_a_page_only_where_that_site_allows_it():
    """Else a page could have our crawl read what only our crawl can reach, and take it away in an address."""
    other = "http://other.example/data"

    def answering(**headers: str) -> Callable[[SubRequest], Awaitable[Fetched]]:
        async def ask(part: SubRequest) -> Fetched:
            shown = tuple((name.replace("_", "-"), value) for name, value in headers.items())
            return Fetched(Candidate(part.url), part.url, 200, shown, b"secret words")

        return ask

    reads = (
        f"<body><script>fetch('{other}').then((answer) => answer.text())"
        ".then((text) => document.body.append(text), () => document.body.append('refused'))</script>"
    )
    async with rendering() as render:
        open_one = await render(reads, answering(access_control_allow_origin="*"))
        closed = await render(reads, answering())
    assert b"secret words" in open_one.document
    assert b"refused" in closed.document and b"secret" not in closed.document


async def test_where_a_script_would_go_is_a_link_of_the_page():
    async with rendering() as render:
        made = await render("<body>one<script>location.href = '/two?a=1&b=2'</script>")
    assert b'<a href="http://site.example/two?a=1&amp;b=2">' in made.document
    assert b"one" in made.document
