"""The classic baselines: breadth-first, best-first, Fish-Search and Shark-Search."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.strategy import Needs, Strategy
from thresher.strategies.base import ShortTexts, follow, follow_all, links_of


@dataclass
class BreadthFirst(Strategy):
    """Follow links in the order in which they were found, whatever they are about.

    Breadth-First: every link costs the same, so the frontier's first come, first served is the order.
    """

    bytes_per_link = 0
    needs = Needs(context=False, place=False)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at one priority."""
        return follow_all(visit, 0.0)


@dataclass
class BestFirst(Strategy):
    """Follow the links of the most relevant pages first.

    Best-First: a link is worth what its page is worth (the baseline of Chen et al. 2009, section 4).

    priority(child) = R_PC(parent) = cos(TF(parent), v_t);   the best of its parents counts
    """

    bytes_per_link = 0
    needs = Needs(context=False, place=False)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at the relevance of the page it was found on."""
        return follow_all(visit, visit.guidance)


@dataclass
class FishSearch(Strategy):
    """Follow the first links of each page, more of them where it is relevant; give up after D without.

    Fish-Search (De Bra and Post 1994, as Hersovici et al. 1998 restate it): fish that find food breed.

    w, alpha   width, and how many times as wide a relevant page breeds
    D          depth: how many irrelevant pages in a row a school survives

    score(child) = 1    for the first alpha * w links of a relevant page
                 = 0.5  for the first w links of an irrelevant one
                 = 0    for the rest
    life(child)  = D if the page is relevant, else life(page) - 1;   a page without life is not expanded

    Of two mentions the higher score and the longer life count, which is the frontier's rule for all.
    Relevance is a yes or no: the paper asks for a keyword, so here a page is food when its relevance passes
    `food`, and with a judge that counts the topic's words 0 means that one of them is there.
    """

    bytes_per_link = 0
    needs = Needs(context=False, place=False)

    width: int = 10
    alpha: float = 1.5
    depth: int = 3
    food: float = 0.0

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        return [Candidate(seed, priority=1.0, hops_left=self.depth) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer the links by their place on the page, as long as the school lives."""
        if visit.candidate.hops_left <= 0:
            return []
        fed = visit.guidance > self.food
        life = self.depth if fed else visit.candidate.hops_left - 1
        targets = dict.fromkeys(link.target for link in links_of(visit))
        scores = {target: self.score(place, fed) for place, target in enumerate(targets)}
        return [follow(visit, link, scores[link.target], life=life) for link in links_of(visit)]

    def score(self, place: int, fed: bool) -> float:
        """Return the score of the link at a place on the page, counted from 0."""
        if fed:
            return 1.0 if place < int(self.alpha * self.width) else 0.0
        return 0.5 if place < self.width else 0.0


@dataclass
class SharkSearch(Strategy):
    """Follow links whose own words fit the topic, and those of relevant pages and their descendants.

    Shark-Search (Hersovici et al. 1998): a link is worth its own words, and a little of its ancestors' worth.

    delta, beta, gamma   decay of what is handed down; weight of the anchor; weight of what was handed down

    inherited(child)   = delta * sim(q, page)          if sim(q, page) > 0
                       = delta * inherited(page)       otherwise
    anchor             = sim(q, anchor text)
    context            = 1 if anchor > 0 else sim(q, words around the anchor)
    neighbourhood      = beta * anchor + (1 - beta) * context
    potential(child)   = gamma * inherited(child) + (1 - gamma) * neighbourhood

    The rule of life is that of Fish-Search, with D = 3: a page of any similarity gives full life.
    """

    bytes_per_link = 0
    needs = Needs(place=False)

    delta: float = 0.5
    beta: float = 0.8
    gamma: float = 0.2
    depth: int = 3

    def __post_init__(self) -> None:
        """Remember what the same menus say."""
        self._similarity = ShortTexts(self.judge).similarity

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        return [Candidate(seed, priority=1.0, hops_left=self.depth) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at its potential, as long as there is life."""
        if visit.candidate.hops_left <= 0:
            return []
        life = self.depth if visit.guidance > 0 else visit.candidate.hops_left - 1
        inherited = self.inherited(visit.guidance, visit.candidate.inherited)
        return [
            follow(visit, link, self._priority(link, inherited), life=life, inherited=inherited)
            for link in links_of(visit)
        ]

    def inherited(self, similarity: float, handed_down: float) -> float:
        """Return what a page hands down to its links."""
        return self.delta * (similarity if similarity > 0 else handed_down)

    def potential(self, inherited: float, anchor: float, context: float) -> float:
        """Return the worth of a link from what it inherits and from its own words."""
        context = 1.0 if anchor > 0 else context
        neighbourhood = self.beta * anchor + (1 - self.beta) * context
        return self.gamma * inherited + (1 - self.gamma) * neighbourhood

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        if not candidate.via:
            return []
        anchor, context = self._words(candidate.via)
        context = 1.0 if anchor > 0 else context
        inherited = f"{self.gamma:g} x inherited {candidate.inherited:.3f}"
        neighbourhood = f"({self.beta:g} x anchor {anchor:.3f} + {1 - self.beta:g} x context {context:.3f})"
        return [f"potential {candidate.priority:.3f} = {inherited} + {1 - self.gamma:g} x {neighbourhood}"]

    def _priority(self, link: Link, inherited: float) -> float:
        return self.potential(inherited, *self._words(link))

    def _words(self, link: Link) -> tuple[float, float]:
        """Return what anchor and context say; the context is not asked where the anchor fits."""
        anchor = self._similarity(link.anchor)
        return anchor, 0.0 if anchor > 0 else self._similarity(link.context)


@dataclass
class SharkSimple(Strategy):
    """Follow links by four parts of their own words to one part of their page's relevance.

    Shark-Search as Chen et al. 2009 (section 5.2.1) compare with it: page and anchor, no decay and no
    context.

    RS(child) = 0.2 * R_PC(page) + 0.8 * R_AT(link),  R_AT = sim of the anchor, or of the words around it if 0
    life(child) = D if the page is relevant, else life(page) - 1;   a link without life is not followed
    """

    bytes_per_link = 0
    needs = Needs(place=False)

    page_weight: float = 0.2
    anchor_weight: float = 0.8
    depth: int = 3

    def __post_init__(self) -> None:
        """Remember what the same menus say."""
        self._words = ShortTexts(self.judge)

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        return [Candidate(seed, priority=1.0, hops_left=self.depth) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at its priority, as long as there is life."""
        life = self.depth if self.is_relevant(visit) else visit.candidate.hops_left - 1
        if life <= 0:
            return []
        return [follow(visit, link, self.priority(visit.guidance, self._words(link)), life=life)
                for link in links_of(visit)]  # fmt: skip

    def priority(self, page: float, words: float) -> float:
        """Return the relevance score of a link from its page's relevance and from that of its words."""
        return self.page_weight * page + self.anchor_weight * words

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        if not candidate.via:
            return []
        page, words = memory.guidance(candidate.via.source) or 0.0, self._words(candidate.via)
        terms = f"{self.page_weight:g} x R_PC {page:.3f} + {self.anchor_weight:g} x R_AT {words:.3f}"
        return [f"RS {candidate.priority:.3f} = {terms}"]
