"""Random webs of a few pages on a few hosts, and a crawl of them that visits one page at a time."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from thresher.core.enums import Origin, Outcome, Request
from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.core.strategy import Strategy
from thresher.frontier.frontier import Workbench
from thresher.store.database import Database

WHOLE = 200  # webs a strategy; `make test` plays a tenth, `make papers` all of them
WEBS = range(WHOLE if os.environ.get("THRESHER_WHOLE") else WHOLE // 10)

Name = str


@dataclass(frozen=True)
class Text:
    """One page as a test writes it."""

    text: str
    links: tuple[tuple[Name, str], ...] = ()  # target and anchor


@dataclass(frozen=True)
class Graph:
    """Pages by name; a name is host/number, and a link may lead to a page that is not there."""

    pages: dict[Name, Text]

    def targets(self, name: Name) -> list[Name]:
        """Return the pages that a page links to, each once."""
        return list(dict.fromkeys(target for target, _ in self.pages[name].links))

    def citing(self, name: Name) -> list[Name]:
        """Return the pages that link to a page."""
        return [source for source in self.pages if source != name and name in self.targets(source)]


def random_graph(seed: int, words: list[str], most: int = 18, hosts: int = 4, hubs: bool = False) -> Graph:
    """Return a web made from a number: pages of a few words, links with and without words, dead ends."""
    dice = Random(seed)
    size = dice.randint(5, most)
    names = [f"h{dice.randrange(hosts)}/{number}" for number in range(size)]
    known = [*names, "gone/0"]
    pages = {}
    for name in names:
        text = " ".join(dice.choices(words, k=dice.randint(0, 4)))
        density = dice.choice((1, 2, 5)) if hubs else dice.randint(0, 4)
        links = [
            (target, dice.choice(words) if dice.random() < 0.4 else "")
            for target in dice.choices(known, k=density)
            if target != name
        ]
        pages[name] = Text(text, tuple(links))
    return Graph(pages)


def url(name: Name) -> Url:
    """Return the address of a page."""
    host, _, path = name.partition("/")
    return Url(f"http://{host}.test/{path}")


def name_of(address: Url) -> Name:
    """Return the name of an address."""
    host, _, path = address.removeprefix("http://").partition(".test/")
    return f"{host}/{path}"


@dataclass
class Played:
    """A strategy at work on a web, one request after the other."""

    strategy: Strategy
    graph: Graph
    judge: Judge
    budget: int = 10_000  # pages, and questions for back-links where these are charged
    charged: bool = True
    log: list[str] = field(default_factory=list)

    def run(self, *seeds: Name) -> list[str]:
        """Return what was asked for, in order; a question for back-links is marked with '?'."""
        frontier, store = Workbench(delay=0.0), Database()
        frontier.offer(self.strategy.start([url(seed) for seed in seeds]))
        spent = 0
        for candidate in self._turns(frontier, store):
            if spent >= self.budget:
                break
            question = candidate.kind is Request.BACKLINKS
            visit = self._visit(candidate)
            spent += visit.outcome is Outcome.FETCHED and (self.charged or not question)
            self.log.append(name_of(candidate.url) + ("?" if question else ""))
            store.add(visit)
            frontier.done(candidate, 0.0)
            frontier.offer(self.strategy.on_visit(visit, store))
        return self.log

    def _turns(self, frontier: Workbench, store: Database) -> Iterator[Candidate]:
        while True:
            if candidate := frontier.take(0.0):
                yield candidate
            elif offers := list(self.strategy.on_empty(store)):
                frontier.offer(offers)
            else:
                return

    def _visit(self, candidate: Candidate) -> Visit:
        name = name_of(candidate.url)
        if candidate.kind is Request.BACKLINKS:
            said = [
                Link(url(source), candidate.url, origin=Origin.BACKLINK) for source in self.graph.citing(name)
            ]
            return Visit(candidate, Outcome.FETCHED, 0.0, Page(candidate.url, links=tuple(said)), status=200)
        if name not in self.graph.pages:
            return Visit(candidate, Outcome.GONE, 0.0, status=404)
        told = self.graph.pages[name]
        links = tuple(
            dict.fromkeys(Link(candidate.url, url(target), anchor) for target, anchor in told.links)
        )
        nowhere = (-1,) * len(links)  # the anchors stand in no sentence
        page = Page(candidate.url, text=told.text, links=links, offsets=nowhere)
        return Visit(candidate, Outcome.FETCHED, 0.0, page, self.judge.score(page), status=200)
