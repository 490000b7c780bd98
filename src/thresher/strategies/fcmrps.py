"""FCMRPS (Chen et al. 2009): four predictions of a link's relevance, added up.

R_PC     page content: cos(page, v_t)                                                      eq. (1)
R_AT     anchor text: cos(anchor, v_t), or cos(context, v_t) where that is 0               eqs. (2) to (4)
R_url    URL address: beta * sum over i of w_i * max over q of b_iq                        eqs. (5), (6)
R_LT     link type: gamma_1 if R_AT > 0, gamma_2 if only R_PC > 0, else 0                  eq. (7)
         of siblings only on a content page, half of whose text stands in no link       section 3.6
RS       = w_1 R_PC + w_2 R_AT + w_3 R_url + w_4 R_LT,   w_k = 1/4                         eq. (8)
delta    a page is relevant when R_PC > delta; 0 stands for the judge's threshold, 0.1 for the paper's cosine
D        depth: a link lives D hops after a relevant page, one less after another; without life it is dropped

The weights are shares, so that FCMRPS1, 2, 3, 13 and 124 are made by setting those of the others to 0.
The sound form finds short spellings in URLs as whole tokens only ('sh' is not in 'shop'), and keeps links
without life behind all others instead of running dry. docs/papers/fcmrps.md
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import fsum
from operator import mul

from typing_extensions import override

from thresher.core.enums import Outcome, TopicForm
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Page, StrategyTable, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher.core.url import LinkType, blocks, link_type
from thresher.strategies.base import REMEMBERED, ShortTexts, links_of
from thresher.topic.url_spellings import UrlRelevance, spelling_row

GAMMA = {
    LinkType.DOWNWARD: (0.4, 0.2),
    LinkType.SIBLING: (0.2, 0.1),
    LinkType.CROSSWISE: (0.1, 0.1),  # the paper wants gamma_1 > gamma_2 and breaks its own rule here
    LinkType.OUTWARD: (0.2, 0.01),
    LinkType.UPWARD: (0.2, 0.0),
}

DIGITS = 12  # scores that differ by less are equal: first come, first served


@dataclass
class Fcmrps(Strategy):
    """Follow links by what their page, their words, their URL and their direction predict."""

    needs = Needs(place=False)
    defaults = Defaults(
        judge="cosine", threshold_parameter="delta", topic_form=TopicForm.LABELS, takes_node=True
    )
    bytes_per_link = 0

    page_weight: float = 0.25
    anchor_weight: float = 0.25
    url_weight: float = 0.25
    type_weight: float = 0.25
    depth: int = 3
    delta: float = 0.0
    sound: bool = False

    def __post_init__(self) -> None:
        """Take the topic's table of spellings; a topic without one is spelt as it is called."""
        name = self.topic.name
        rows = self.topic.spellings or (spelling_row([("en" if name.isascii() else "zh", name)]),)
        self.r_at = ShortTexts(self.judge)
        self.r_url = UrlRelevance(rows, "strict" if self.sound else "substring")
        self._r_url = lru_cache(REMEMBERED)(partial(self.r_url.of, tokens_of=blocks))
        given = (self.page_weight, self.anchor_weight, self.url_weight, self.type_weight)
        self.weights = [weight / (fsum(given) or 1.0) for weight in given]

    @override
    def missing(self) -> str:
        if self.topic.path:
            return ""
        return (
            f"Topic {self.topic.name!r} has no path in a taxonomy: its name stands in for the path in URLs. "
            "Name a node with topic.node for the labels above it."
        )

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds with RS = 1 and a full life."""
        return [Candidate(seed, priority=1.0, hops_left=self.depth) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer every link at its RS, as long as there is life."""
        life = self.depth if self.is_relevant(visit) else visit.candidate.hops_left - 1
        if life <= 0 and not self.sound:
            return []
        behind, life = (0.0, life) if life > 0 else (1.0, 0)
        r_pc, depth, rs = visit.guidance, visit.candidate.depth + 1, self.rs
        content = visit.page is not None and is_content(visit.page)
        return [
            Candidate(link.target, rs(link, r_pc, content) - behind, link, life, depth=depth)
            for link in links_of(visit)
        ]

    @override
    def is_relevant(self, visit: Visit) -> bool:
        """Tell whether R_PC passes delta."""
        return visit.guidance > (self.delta or self.judge.threshold)

    def rs(self, link: Link, r_pc: float, content: bool = True) -> float:
        """Return the relevance score of a link on a page of that relevance, eq. (8)."""
        return round(fsum(map(mul, self.weights, self.predictions(link, r_pc, content))), DIGITS)

    def predictions(self, link: Link, r_pc: float, content: bool = True) -> tuple[float, float, float, float]:
        """Return R_PC, R_AT, R_url and R_LT; what has no weight is not worked out and is 0."""
        _, anchor, url, direction = self.weights
        r_at = self.r_at(link) if anchor or direction else 0.0
        r_url = self._r_url(link.target) if url else 0.0
        towards = r_lt(link_type(link.source, link.target), r_at, r_pc, content) if direction else 0.0
        return r_pc, r_at, r_url, towards

    @override
    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        fetched = {visit.candidate.url: visit for visit in crawl.visits() if visit.outcome is Outcome.FETCHED}
        relevant = {url for url, visit in fetched.items() if self.is_relevant(visit)}
        waiting: tuple[list[Row], list[Row]] = ([], [])
        for each in crawl.queue():
            parents = 0 if not each.via or each.via.source in relevant else 1
            waiting[parents].append((f"{each.priority:.3f}", str(each.hops_left), each.url))
        return _figure_2(len(relevant), len(fetched) - len(relevant), *waiting)

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        if not (link := candidate.via):
            return []
        page = memory.page(link.source)
        content = page is None or is_content(page)
        found = self.predictions(link, memory.guidance(link.source) or 0.0, content)
        named = zip(self.weights, ("R_PC", "R_AT", "R_url", "R_LT"), found, strict=True)
        terms = " + ".join(f"{weight:g} x {name} {value:.3f}" for weight, name, value in named if weight)
        without_life = "" if candidate.hops_left else " - 1 without life"
        direction = link_type(link.source, link.target)
        listed = "" if content or direction is not LinkType.SIBLING else ", from a page that only lists"
        return [
            f"RS {candidate.priority:.3f} = {terms}{without_life}",
            f"the link leads {direction.value}{listed}",
        ]


Row = tuple[str, ...]


def _figure_2(rcus: int, icus: int, rucus: list[Row], iucus: list[Row]) -> Sequence[StrategyTable]:
    """Return Figure 2: what is known of, crawled and not, and whether it or its parent is relevant."""
    uncrawled = len(rucus) + len(iucus)
    sizes = {
        "KUS, known URLs": rcus + icus + uncrawled,
        "CUS, crawled": rcus + icus,
        "RCUS, crawled and relevant": rcus,
        "ICUS, crawled and irrelevant": icus,
        "UCUS, not crawled": uncrawled,
        "RUCUS, links of relevant pages": len(rucus),
        "IUCUS, links of irrelevant pages": len(iucus),
    }
    heads = ("RS", "life", "URL")
    return (
        StrategyTable(
            "Sets of Figure 2", ("URLs", "set"), tuple((str(size), name) for name, size in sizes.items())
        ),
        StrategyTable("RUCUS", heads, tuple(rucus)),
        StrategyTable("IUCUS", heads, tuple(iucus)),
    )


def is_content(page: Page) -> bool:
    """Tell whether a page has text of its own: half of it or more stands in no link. Else it is a list."""
    return 2 * sum(len(link.anchor) for link in page.links) <= len(page.text)


def r_lt(direction: LinkType, r_at: float, r_pc: float, content: bool = True) -> float:
    """Return the relevance of a link's direction, eq. (7); R_AT > 0 with R_PC = 0 is left open there.

    The rule for siblings holds if the page is a content page; for others the paper has no rule.
    """
    if direction is LinkType.SIBLING and not content:
        return 0.0
    worded, silent = GAMMA[direction]
    if r_at > 0:
        return worded
    return silent if r_pc > 0 else 0.0
