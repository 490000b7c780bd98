"""A small site in memory whose pages a test changes between two visits, in virtual time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from thresher.build import run
from thresher.build.revisit import RevisitResult, revisit
from thresher.build.webs import WebContext
from thresher.core.clock import VirtualClock
from thresher.core.interfaces import Web
from thresher.core.records import Candidate, Fetched, Topic, Url
from thresher.engine.revisit import RevisitTask
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

HOST = "http://bees.example"
DAY = 86_400.0
START = 1_700_000_000.0
TOPIC = Topic("bees", keywords={"bees": 1.0, "honey": 1.0, "queen": 1.0})

Body = str | Callable[[], str]


def html(title: str, *paragraphs: str, links: tuple[str, ...] = ()) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    anchors = "".join(f'<p><a href="{link}">bees {link}</a></p>' for link in links)
    return f"<html><head><title>{title}</title></head><body>{body}{anchors}</body></html>"


@dataclass
class Site(Web):
    """Pages by path; `answers` overrides a page with a status and headers."""

    folder: Path
    pages: dict[str, Body] = field(default_factory=dict)
    answers: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    now: float = START
    asked: list[str] = field(default_factory=list)

    async def get(self, candidate: Candidate) -> Fetched:
        path = candidate.url.removeprefix(HOST)
        self.asked.append(path)
        status, extra = self.answers.get(path, (200 if path in self.pages else 404, {}))
        body = self.pages.get(path, html("404", "Nothing here.")) if status == 200 else ""
        data = (body() if callable(body) else body).encode()
        headers = {"content-type": "text/html; charset=utf-8", **extra}
        lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return Fetched(
            candidate,
            candidate.url,
            status,
            tuple(headers.items()),
            data,
            fetched_at=self.clock.now(),
            head="\r\n".join(lines).encode(),
            raw_body=data,
            request=b"GET / HTTP/1.1\r\n\r\n",
        )

    async def close(self) -> None:
        pass

    @property
    def crawl_folder(self) -> CrawlFolder:
        return CrawlFolder(self.folder / "crawl")

    def url(self, path: str) -> Url:
        return Url(f"{HOST}{path}")

    def crawl(self, *more: tuple[str, object]) -> None:
        """Crawl everything that the home page leads to."""
        asked = [("topic", {"name": "bees", "keywords": TOPIC.keywords}), ("seeds", (f"{HOST}/",))]
        settings = read(
            None, [*asked, *more, ("web", {"kind": "live", "contact": "me@example.org", "delay": 0.0})]
        )
        asyncio.run(run(settings, self.crawl_folder, world=self._world()))

    def revisit(
        self, days: float = 1.0, errand: RevisitTask = RevisitTask(once=True), **settings: object
    ) -> RevisitResult:
        """Let time pass, then look at the pages again."""
        self.now += days * DAY
        self.asked.clear()
        asked = read(self.crawl_folder.settings, [("stop", {"pages": 0}), *settings.items()])
        return asyncio.run(revisit(self.crawl_folder, errand, asked, world=self._world()))

    def store(self) -> CrawlReader:
        return self.crawl_folder.open()

    def kinds(self, path: str) -> list[str]:
        """What the revisits of a page found, oldest first."""
        store = self.store()
        try:
            return [
                revisit.kind.value if revisit.kind else ""
                for revisit in store.revisits()
                if revisit.url == self.url(path)
            ]
        finally:
            store.close()

    def _world(self) -> WebContext:
        self.clock = VirtualClock(self.now)
        return WebContext(self, self.clock, TOPIC)
