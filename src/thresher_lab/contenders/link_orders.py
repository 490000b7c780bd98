"""Orders by links alone: OPIC (Abiteboul, Preda and Cobena 2003) and HITS (Kleinberg 1999).

OPIC   every seed has an equal share of the cash 1. The page with most cash is fetched (the greedy order):
           H(p) += C(p);  C(q) += C(p) / outdegree(p) for each q that p links to;  C(p) = 0
       A page without links gives its cash to the virtual page, which all pages link to; here it is lost,
       since nothing is fetched twice. priority(u) = C(u)
HITS   a(p) = sum of h(q) over pages q that link to p,  h(p) = sum of a(q) over pages q that p links to,
       each of length 1, ITERATIONS times over the pages and links known so far, again at every REFIT pages.
       priority(u) = a(u)

Neither knows the topic: they show what links alone do. Crawlers such as Frontera ship them as orders.
Hole: HITS was made for the pages round the answers to a query; as an order of a crawl it has no paper.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Url, Visit
from thresher.core.strategy import Needs, Strategy
from thresher.strategies.base import links_of
from thresher_lab.contenders.waiting import WaitingLinks

REFIT = 20  # pages
ITERATIONS = 10


@dataclass
class Opic(Strategy):
    """Follow the link with most cash."""

    needs = Needs(context=False, place=False)

    _cash: dict[Url, float] = field(default_factory=dict)
    _waiting: WaitingLinks = field(default_factory=WaitingLinks)

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Share the cash 1 among the seeds."""
        self._cash = dict.fromkeys(seeds, 1 / len(seeds))
        return [Candidate(seed, cash) for seed, cash in self._cash.items()]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Give the cash of a page to what it links to."""
        self._waiting.meet(visit)
        cash = self._cash.pop(visit.candidate.url, 0.0)
        if visit.redirect:
            self._cash[visit.redirect.url] = self._cash.get(visit.redirect.url, 0.0) + cash
        targets = list(dict.fromkeys(link.target for link in links_of(visit)))
        for target in targets:
            self._cash[target] = self._cash.get(target, 0.0) + cash / len(targets)
        return list(self._waiting.offers(targets, self._cash.__getitem__))


@dataclass
class Hits(Strategy):
    """Follow the link with the greatest authority."""

    needs = Needs(context=False, place=False)

    _links: dict[Url, list[Url]] = field(default_factory=dict)
    _hubs: dict[Url, float] = field(default_factory=dict)
    _sources: dict[Url, list[Url]] = field(default_factory=dict)
    _waiting: WaitingLinks = field(default_factory=WaitingLinks)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Take in the links of a page, and price what waits by the hubs that name it."""
        self._waiting.meet(visit)
        here, targets = visit.candidate.url, list(dict.fromkeys(link.target for link in links_of(visit)))
        if not targets:
            return []
        self._links[here] = targets
        for target in targets:
            self._sources.setdefault(target, []).append(here)
        if len(self._links) % REFIT == 1 or len(self._links) <= REFIT:
            self._hubs = hubs(self._links)
            return list(self._waiting.offers(list(self._waiting.links), self.authority))
        return list(self._waiting.offers(targets, self.authority))

    def authority(self, url: Url) -> float:
        """Return the sum of the hub scores of the pages that link to a URL."""
        return sum(self._hubs.get(source, 0.0) for source in self._sources.get(url, ()))


def hubs(links: dict[Url, list[Url]]) -> dict[Url, float]:
    """Return the hub score of each page after some iterations."""
    number = {
        url: place for place, url in enumerate({u: None for targets in links.values() for u in targets})
    }
    rows = np.repeat(np.arange(len(links)), [len(targets) for targets in links.values()])
    columns = np.array([number[target] for targets in links.values() for target in targets])
    hub: NDArray[np.float64] = np.ones(len(links))
    for _ in range(ITERATIONS):
        authority = _unit(np.bincount(columns, hub[rows], len(number)))
        hub = _unit(np.bincount(rows, authority[columns], len(links)))
    return dict(zip(links, hub.tolist(), strict=True))


def _unit(vector: NDArray[Any]) -> NDArray[np.float64]:
    return vector / (np.linalg.norm(vector) or 1.0)
