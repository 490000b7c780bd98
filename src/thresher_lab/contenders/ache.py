"""The link classifier of ACHE, learned on the way (Barbosa and Freire 2007, An adaptive crawler; ACHE).

A naive Bayes classifier tells from a link's words how many links it is away from a relevant page.

    class 0   a link to a relevant page;  1: to a page that links to one;  2: to a page two links away
    priority = 100 (2 - c) + min(99, 100 Pr(c | link)),  c = argmax_j Pr(j | link)
    before there is a classifier: 100 times the relevance of the page, a relevant one 100 more at random

The formulas are those of `LinkClassifierImpl` and `LinkClassifierBaseline` in the source of ACHE, which
was read; so are the words of URL, anchor and text around it, each a feature of its own, and that training
takes the visited links with what they led to, backward over LEVELS links.

Holes: ACHE keeps the commonest features only, learns first after 500 pages and samples 5,000 links a
class; here all words count, it learns at every LEARN pages, because the budgets are 240, and no link is
left out. What waits is priced anew after each time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher.strategies.base import follow_all
from thresher_lab.contenders.waiting import NaiveBayes, WaitingLinks, link_words

LEVELS = 3
LEARN = 30  # pages


@dataclass
class AcheLinks(Strategy):
    """Follow links whose words are like those of links that led to relevant pages."""

    needs = Needs(place=False)
    defaults = Defaults(default_judge_in_lab=True)

    seed: int = 1
    _waiting: WaitingLinks = field(default_factory=WaitingLinks)
    _led: dict[Url, Link] = field(default_factory=dict)  # the link by which a page was visited
    _relevant: set[Url] = field(default_factory=set)
    _model: NaiveBayes | None = None

    def __post_init__(self) -> None:
        """Make the dice for relevant pages before the first training."""
        self._dice = Random(self.seed)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer the links of the page; train where it is time, and price what waits anew."""
        new = self._waiting.meet(visit)
        if visit.page is None:
            return []
        if visit.candidate.via:
            self._led[visit.candidate.url] = visit.candidate.via
        if self.is_relevant(visit):
            self._relevant.add(visit.candidate.url)
        if len(self._waiting.visited) % LEARN == 0 and self._train(memory):
            return list(self._waiting.offers(list(self._waiting.links), self.priority))
        if self._model is None:
            return follow_all(visit, self._baseline(visit))
        return list(self._waiting.offers([link.target for link in new], self.priority))

    def priority(self, url: Url) -> float:
        """Return 100 (2 - c) + 100 Pr(c | link) of a waiting URL."""
        assert self._model is not None
        probabilities = self._model.probabilities(link_words(self._waiting.links[url][0]))
        best = max(range(LEVELS), key=lambda each: probabilities[each])
        return 100.0 * (LEVELS - 1 - best) + min(99.0, 100 * probabilities[best])

    def _baseline(self, visit: Visit) -> float:
        relevance = 100.0 if self.is_relevant(visit) else 100 * min(0.99, visit.guidance)
        return relevance + (self._dice.randrange(100) if relevance == 100.0 else 0)

    def _train(self, memory: CrawlView) -> bool:
        """Learn the links that led to relevant pages and those that led to these; tell if there were any."""
        model, level = NaiveBayes(LEVELS), dict.fromkeys(self._relevant, 0)
        layer = list(self._relevant)
        for distance in range(1, LEVELS):
            sources = {source for url in layer for source in memory.sources(url)}
            layer = [source for source in sorted(sources) if source not in level]
            level |= dict.fromkeys(layer, distance)
        for url, distance in sorted(level.items()):
            if url in self._led:
                model.learn(link_words(self._led[url]), distance)
        self._model = model if model.knows else self._model
        return model.knows
