"""A web in a dictionary, and a crawl of it that waits for nothing: for strategies worked by hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.store.database import Database

TOPIC = Topic("bees", {"bee": 1.0})
HOST = "http://a.test"


def url(name: str) -> Url:
    """Return the address of a page: its name on the one host there is."""
    return Url(f"{HOST}/{name}")


@dataclass
class SmallCrawl:
    """A strategy at work: pages by name, each its text and the names it links to; '->b' moves to b."""

    strategy: Strategy
    web: Mapping[str, tuple[str, Sequence[str]]]
    frontier: Workbench = field(default_factory=lambda: Workbench(delay=0.0))
    store: Database = field(default_factory=Database)
    log: list[str] = field(default_factory=list)

    def run(self, *seeds: str, visits: int = 1_000) -> list[str]:
        """Return the names of the pages visited, in order."""
        self.frontier.offer(self.strategy.start([url(seed) for seed in seeds]))
        for _, candidate in zip(range(visits), self._turns(), strict=False):
            self.log.append(candidate.url.removeprefix(f"{HOST}/"))
            visit = self._visit(candidate)
            self.store.add(visit)
            self.frontier.done(candidate, 0.0)
            self.frontier.offer([visit.redirect] if visit.redirect else [])
            self.frontier.offer(self.strategy.on_visit(visit, self.store))
        return self.log

    def _turns(self) -> Iterator[Candidate]:
        while True:
            if candidate := self.frontier.take(0.0):
                yield candidate
            elif offers := list(self.strategy.on_empty(self.store)):
                self.frontier.offer(offers)
            else:
                return

    def _visit(self, candidate: Candidate) -> Visit:
        text, targets = self.web.get(candidate.url.removeprefix(f"{HOST}/"), ("", None))
        if targets is None:
            return Visit(candidate, Outcome.GONE, 0.0, status=404)
        if text.startswith("->"):
            onward = Candidate(url(text[2:]), via=candidate.via, depth=candidate.depth, redirects=1)
            return Visit(candidate, Outcome.MOVED, 0.0, status=301, redirect=onward)
        links = tuple(Link(candidate.url, url(target), target) for target in targets)
        page = Page(candidate.url, text=text, links=links)
        return Visit(candidate, Outcome.FETCHED, 0.0, page, Cosine(TOPIC).score(page), status=200)
