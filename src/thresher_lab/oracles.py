"""The oracles: what a crawl could reach that knew every label, or every one of its own scores, in advance.

label oracle   relevant pages first, then links first found on a relevant page, then the rest;
               seeds that are not relevant stand with the second. An upper bound for any link predictor
               that does not plan ahead.
score oracle   every link at the score our own judge will give its page.
               From a strategy to it: what a better link predictor could win; from it to the label oracle:
               what a better judge could.

They read the answers, so only the lab can build them; among equals the order is that of first mention.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Url, Visit
from thresher.core.strategy import Strategy
from thresher.strategies.base import follow, links_of

RELEVANT, NEAR, FAR = 2.0, 1.0, 0.0


@dataclass
class LabelOracle(Strategy):
    """Knows which pages are relevant; `page_of` says which page a URL leads to, past its redirects."""

    relevant: Collection[Url]
    page_of: Callable[[Url], Url]
    _seen: set[Url] = field(default_factory=set)

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds, the relevant ones first."""
        self._seen.update(map(self.page_of, seeds))
        return [Candidate(seed, self._priority(self.page_of(seed), NEAR)) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every page at its first mention."""
        otherwise = NEAR if visit.page and visit.page.url in self.relevant else FAR
        offers = []
        for link in links_of(visit):
            page = self.page_of(link.target)
            if page not in self._seen:
                self._seen.add(page)
                offers.append(follow(visit, link, self._priority(page, otherwise)))
        return offers

    @override
    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        return []

    def _priority(self, page: Url, otherwise: float) -> float:
        return RELEVANT if page in self.relevant else otherwise


@dataclass
class ScoreOracle(Strategy):
    """Knows the judge's score of every page before it is fetched; what is not in the archive comes last."""

    score_of: Callable[[Url], float | None]

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds before everything else, as the strategies do: they are given, not found."""
        return [Candidate(seed, priority=1.0) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at the score of its page."""
        return [follow(visit, link, self._priority(link.target)) for link in links_of(visit)]

    @override
    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        return []

    def _priority(self, url: Url) -> float:
        score = self.score_of(url)
        return -1.0 if score is None else score
