"""The context graph (Diligenti, Coetzee, Lawrence, Giles and Gori 2000, VLDB).

Pages that lead to relevant pages in i links are layer i. One naive Bayes classifier tells the layer of a
page; its links wait in the queue of that layer, and the queue nearest to the targets is served first.

    layer 0        the relevant seeds; layer i + 1: pages that link to layer i, asked before the crawl
    c(p)           argmax_j Pr(layer j | p),  Pr(j | p) ~ prod_t Pr(t | j)^n(t, p)
    queue(links of p) = c(p) if Pr(c(p) | p) >= threshold, else `other`, which comes last

Holes: the text was not at hand; the layers, back-links of seeds from a search engine, naive Bayes on a
reduced vocabulary and the threshold for `other` are as abstracts and surveys tell them. Ours are: LAYERS,
FROM_EACH pages a question, the threshold, equal chances of the layers, the TELLING commonest words of
each layer instead of a TF-IDF choice, and that relevant pages and those that led to them are learned on
the way. Questions and the pages they name are charged like any other request.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from thresher.core.enums import Origin, Request
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher.strategies.base import follow_all, links_of
from thresher_lab.contenders.waiting import Bag, NaiveBayes

LAYERS = 3  # 0, 1 and 2
FROM_EACH = 5
TELLING = 200
FIRST = 2.0  # the priority of what builds the graph


@dataclass
class ContextGraph(Strategy):
    """Follow the links of pages like those that lead to relevant pages in few links."""

    needs = Needs(context=False, place=False, words=True)
    defaults = Defaults(default_judge_in_lab=True)

    threshold: float = 0.5
    _model: NaiveBayes = field(default_factory=lambda: NaiveBayes(LAYERS))
    _learned: set[Url] = field(default_factory=set)
    _bags: dict[Url, Bag] = field(default_factory=dict)

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds, which are layer 0 if they are relevant."""
        return [Candidate(seed, FIRST + 1, hops_left=LAYERS) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Build the graph backward as long as it has room; then offer links at the queue of their page."""
        if visit.candidate.kind is Request.BACKLINKS:
            return self._named(visit)
        if visit.page is None:
            return []
        here, bag = visit.candidate.url, _telling(visit)
        self._bags[here] = bag
        layer = self._layer_of(visit, memory)
        questions = []
        if layer is not None:
            self._learn(here, layer)
            if visit.candidate.hops_left and layer + 1 < LAYERS:
                questions = [_question(here, layer + 1)]
        return [*questions, *follow_all(visit, self.priority(bag))]

    def priority(self, bag: Bag) -> float:
        """Return 1 for links of layer 0, less for each further layer, 0 for `other`."""
        if not self._model.knows:
            return 0.0
        known = [1.0 if pages else 0.0 for pages in self._model.pages]
        fair = [
            p / n if n else 0.0
            for p, n in zip(self._model.probabilities(bag), self._model.pages, strict=True)
        ]
        total = sum(fair) or 1.0
        best = max(range(LAYERS), key=lambda each: fair[each] * known[each])
        return 1 / (1 + best) if fair[best] / total >= self.threshold else 0.0

    def _layer_of(self, visit: Visit, memory: CrawlView) -> int | None:
        """Return the layer of a page: 0 if it is relevant, else what it was asked for as."""
        if not self.is_relevant(visit):
            asked = visit.candidate.via and visit.candidate.via.origin is Origin.BACKLINK
            return LAYERS - visit.candidate.hops_left if asked else None
        for source in list(memory.sources(visit.candidate.url))[:1]:  # the page that led here is layer 1
            if source in self._bags:
                self._learn(source, 1)
        return 0

    def _learn(self, url: Url, layer: int) -> None:
        if url not in self._learned:
            self._learned.add(url)
            self._model.learn(self._bags[url], layer)

    def _named(self, visit: Visit) -> list[Candidate]:
        """Return the pages that are said to link to one, to be read as the next layer."""
        left = LAYERS - visit.candidate.depth
        return [
            Candidate(link.source, FIRST, _back(link), hops_left=left) for link in links_of(visit)[:FROM_EACH]
        ]


def _telling(visit: Visit) -> Bag:
    return dict(Counter(visit.words).most_common(TELLING))


def _question(url: Url, layer: int) -> Candidate:
    return Candidate(url, FIRST, depth=layer, kind=Request.BACKLINKS)


def _back(link: Link) -> Link:
    return Link(link.target, link.source, link.anchor, origin=Origin.BACKLINK)
