"""A served crawl for tests: pages with hostile words and an archive, behind walls that can be left out."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fetched, Link, Page, Topic, Url, Visit
from thresher.search.index import catch_up
from thresher.serve.app import Server
from thresher.serve.processes import Processes
from thresher.serve.security import Guards, Signer
from thresher.serve.state import CrawlRegistry
from thresher.settings.load import read, written
from thresher.store.folder import CrawlFolder

TOKEN = "t" * 43
BEARER = {"Authorization": f"Bearer {TOKEN}"}
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe\u202c \u0000\u200b" + "Z\u0351\u0352\u0353\u0354"
BAIT = """<html><head><title>Bait</title><base href="http://evil.example/">
<meta http-equiv=refresh content="0;url=/x"><link rel=stylesheet href="http://evil.example/a.css">
<style>body{background:url(http://evil.example/b.png)}</style>
</head><body onload="alert(1)"><script>document.title='ran'; fetch('http://evil.example/')</script>
<p style="color:red" onclick="alert(2)">Honey from the <a href="http://evil.example/hive">hive</a></p>
<form action="http://evil.example/"><input name=a></form><iframe src="http://evil.example/f"></iframe>
<img src="http://evil.example/pixel.png">
<img src="data:image/png;base64,AAAA" alt="kept"><svg onload=alert(3)></svg>
</body></html>"""


def crawl_in(place: Path, pages: int = 6, keywords: tuple[str, ...] = ()) -> CrawlFolder:
    """Make a crawl with some pages, of which one is hostile in every word."""
    folder = CrawlFolder(place)
    topic = {"name": "honey", "keywords": dict.fromkeys(keywords, 1.0)}
    store = folder.create(written(read(None, [("topic", topic), ("seeds", ("http://h0.example/p0",))])))
    store.facts.topic, store.facts.threshold = Topic("honey", {"honey": 1.0}), 0.5
    store.facts.strategy, store.facts.judge = "thresher", "question"
    before: Link | None = None
    for number in range(pages):
        visit = _visit(number, before)
        store.add(visit)
        before = Link(
            visit.candidate.url, Url(f"http://h{(number + 1) % 3}.example/p{number + 1}"), f"to {number + 1}"
        )
    store.add(Visit(Candidate(Url("http://closed.example/")), Outcome.FORBIDDEN, 1_790_000_100.0))
    store.close()
    catch_up(folder)
    return folder


def _visit(number: int, via: Link | None) -> Visit:
    url = Url(f"http://h{number % 3}.example/p{number}")
    hostile = number == 2
    title = HOSTILE if hostile else f"Page {number} on honey"
    text = HOSTILE if hostile else f"Honey and bees, number {number}. 蜂王產卵。"
    onward = Link(
        url, Url(f"http://h{(number + 1) % 3}.example/p{number + 1}"), HOSTILE if hostile else "onward"
    )
    page = Page(url, title, text, text, "en", links=(onward,))
    candidate = Candidate(url, 0.5, via=via, depth=number)
    body = BAIT.encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    fetched = Fetched(
        candidate, url, 200, (("content-type", "text/html"),), body, 1_790_000_000.0 + number,
        request=b"GET / HTTP/1.1\r\nHost: h.example\r\n\r\n", head=head, raw_body=body,
    )  # fmt: skip
    return Visit(
        candidate,
        Outcome.FETCHED,
        1_790_000_000.0 + number,
        page,
        number / 6,
        200,
        len(body),
        fetched=fetched,
    )


@asynccontextmanager
async def served(place: Path, networks: tuple[str, ...] = (), **walls: Any) -> AsyncIterator[ClientSession]:
    """Serve the crawls of a folder with the walls as given: all of them, unless one is left out."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    desk = CrawlRegistry([place], Signer(b"k" * 32), Processes((), networks))
    server = Server(desk, Guards(frozenset({f"127.0.0.1:{port}"}), TOKEN, **walls))
    runner = web.AppRunner(server.app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    try:
        async with ClientSession(f"http://127.0.0.1:{port}") as client:
            yield client
    finally:
        await runner.cleanup()
