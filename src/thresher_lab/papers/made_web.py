"""A web made of subjects and links, and a whole crawl of it by the product, in virtual time."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from typing_extensions import override

from thresher.build.crawl import run
from thresher.build.webs import VIRTUAL_START, WebContext
from thresher.core.clock import VirtualClock
from thresher.core.interfaces import Web
from thresher.core.progress import Progress
from thresher.core.records import Candidate, Fetched, StrategyTable, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.engine.crawl import Crawl
from thresher.fetch.backlinks import KnownLinks
from thresher.settings.components import Parameter
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

COMMON = (
    "people said year time work city place new first last many small part house road water light hand group"
    " number story week month report service member office system question answer reader letter morning"
).split()
"""Words that every page may have."""


def sentences(dice: Random, own: Sequence[str], count: int, share: float = 0.35) -> list[str]:
    """Return sentences of which a share of the words are the subject's own."""
    made = []
    for _ in range(count):
        said = [dice.choice(own if dice.random() < share else COMMON) for _ in range(dice.randint(7, 12))]
        made.append(f"{' '.join(said).capitalize()}.")
    return made


@dataclass
class MadeWeb(Web):
    """Pages by URL; `about` says which are relevant."""

    pages: dict[Url, str] = field(default_factory=dict)
    links: dict[Url, list[Url]] = field(default_factory=dict)
    about: set[Url] = field(default_factory=set)

    def add(
        self,
        url: str,
        text: Iterable[str],
        links: Sequence[tuple[str, str]],
        relevant: bool = False,
        title: str = "",
    ) -> Url:
        """Add a page: its sentences, then a list of links with their anchors."""
        listed = "".join(f'<li><a href="{target}">{escape(anchor)}</a></li>' for target, anchor in links)
        said = "".join(f"<p>{sentence}</p>" for sentence in text)
        return self.add_html(url, f"<h1>{escape(title)}</h1>{said}<ul>{listed}</ul>", links, relevant, title)

    def add_html(
        self, url: str, body: str, links: Sequence[tuple[str, str]], relevant: bool = False, title: str = ""
    ) -> Url:
        """Add a page as it is written; `links` are those that its body has."""
        here = Url(url)
        self.pages[here] = f"<html><head><title>{escape(title)}</title></head><body>{body}</body></html>"
        self.links[here] = [Url(target) for target, _ in links]
        if relevant:
            self.about.add(here)
        return here

    @override
    async def get(self, candidate: Candidate) -> Fetched:
        page = self.pages.get(candidate.url)
        head = (("content-type", "text/html; charset=utf-8"),)
        status = 404 if page is None else 200
        return Fetched(
            candidate, candidate.url, status, head, (page or "").encode(), fetched_at=VIRTUAL_START
        )

    @override
    async def close(self) -> None:
        """Let go of nothing."""

    def citing(self, url: Url) -> list[Url]:
        """Return the pages that link to a page."""
        return [source for source, targets in self.links.items() if url in targets]


@dataclass
class MadeCrawl:
    """What a crawl did: its pages in order, whether each was relevant, and what the strategy knows."""

    strategy: Strategy
    visited: list[Url]
    hits: list[bool]
    store: CrawlReader

    @property
    def found(self) -> int:
        """How many relevant pages were fetched."""
        return sum(self.hits)

    def segments(self, length: int) -> list[float]:
        """Return the harvest rate of each segment of so many pages."""
        return [
            sum(self.hits[at : at + length]) / length for at in range(0, len(self.hits) - length + 1, length)
        ]

    def mean_cumulative(self, length: int) -> float:
        """Return the mean, over the segments, of the harvest rate up to the end of each (AHR)."""
        ends = range(length, len(self.hits) + 1, length)
        return sum(sum(self.hits[:end]) / end for end in ends) / max(1, len(ends))

    def tables(self) -> Sequence[StrategyTable]:
        """Return the strategy's own tables."""
        return self.strategy.tables(self.store)

    def visit_of(self, url: Url) -> Visit:
        """Return the last visit to a page."""
        return self.store.history(url)[-1]


@contextmanager
def crawled(
    web: MadeWeb,
    topic: Topic,
    strategy: str,
    seeds: Sequence[str],
    pages: int,
    parameters: dict[str, Parameter] | None = None,
    judge: str = "",
) -> Iterator[MadeCrawl]:
    """Crawl a made web by the product itself, and look at what came of it."""
    seen: list[Strategy] = []
    asked = [
        ("topic.name", topic.name),
        ("strategy.name", strategy),
        ("seeds", list(seeds)),
        ("stop.pages", pages),
    ]
    asked += [
        ("web.kind", "practice"),
        ("web.concurrency", 1),
        ("web.delay", 0.0),
        ("backlinks.folders", False),
    ]
    asked += [("judge.name", judge)] if judge else []
    asked += [(f"strategy.{name}", value) for name, value in (parameters or {}).items()]
    world = WebContext(web, VirtualClock(VIRTUAL_START), topic, KnownLinks(web.citing), virtual_time=True)
    fetched: list[Url] = []

    def watch(visit: Visit, progress: Progress) -> None:
        if visit.page is not None and visit.candidate.url in web.pages and visit.status == 200 and visit.size:
            fetched.append(visit.candidate.url)

    def begin(crawl: Crawl) -> None:
        seen.append(crawl.strategy)

    logging.getLogger("thresher").setLevel(logging.ERROR)
    with TemporaryDirectory() as place:
        folder = CrawlFolder(Path(place) / "crawl")
        asyncio.run(run(read(None, asked), folder, watch, begin, world))
        store = folder.open()
        try:
            yield MadeCrawl(seen[0], fetched, [url in web.about for url in fetched], store)
        finally:
            store.close()
