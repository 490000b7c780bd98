"""Focused crawler with revisit policy (Mali and Meshram 2011), as far as the first visit goes.

Layer 1   T = [(k_j, w_j)], sum of w = 1;  u_k = |UK_k| / |UD| * w_k;  Sim(T, D) = sum of u_k     steps 1 to 3
          Pvalue = FwdLK - BkLK, sorted descending; a broken link has FwdLK = 0, so it comes last
Layer 2   structure strings, text code and image code of a page: parse/fingerprint.py;
          compared in turn at every revisit with revisit.change = paper: freshness/change.py
Layer 3   relevant and new: stored, its URLs go on the list; relevant and changed: replaced; else discarded,
          from the store as well with revisit.repository = paper

tau       a page is relevant when Sim >= tau
FwdLK     the links of a page; before it is fetched, the mean of its host so far, a failed request counting 0
BkLK      how many of the pages fetched so far link to it; the list goes by the counts of now: mali_waiting.py

The sound form lets the judge decide, keeps the links of other pages behind those of relevant ones, and takes
log(1 + FwdLK) + log(1 + BkLK): to be cited speaks for a page, and no count grows without bound.
When to look at a page again is decided by `revisit`. docs/papers/mali.md
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import expm1, log1p

from typing_extensions import override

from thresher.core.enums import Origin
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Page, StrategyTable, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy, StrategyState
from thresher.core.url import folders, host_of
from thresher.judges.baselines import TopicVector
from thresher.strategies.base import links_of
from thresher.strategies.mali_waiting import BEHIND as WAITING
from thresher.strategies.mali_waiting import MaliPriority, PriorityQueue, is_image, is_page

BEHIND = 1e6  # what a link of an irrelevant page stands back in the sound form
LETTERS = 40  # of the structure strings that `why` shows
FIRST = 1e6  # a page is complete with its pictures


@dataclass
class Mali(Strategy):
    """Expand relevant pages only, and visit pages of many links that few pages cite first."""

    needs = Needs(context=False, place=False, codes=True)
    defaults = Defaults(judge="topic_vector", threshold_parameter="tau")
    state_version = 2
    bytes_per_link = 600  # the backward links of every URL are counted, and those that wait are sorted

    tau: float = 0.002
    images: bool = False
    ascend: bool = False
    pages_only: bool = False
    sound: bool = False

    def __post_init__(self) -> None:
        """Make the topic vector and an empty table of link counts."""
        self.topic_vector = TopicVector(self.topic, self.tau)
        self.counts = PriorityQueue()

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Count the links; if the page is relevant offer them, and its pictures if these are asked for."""
        page, given, here = visit.page, visit.candidate.via is None, visit.candidate.url
        self.counts.leave(here)
        self.counts.add(visit)
        relevant = page is not None and self.is_relevant(visit)
        links = list(self._links(visit)) if relevant or given or self.sound else []  # layer 3
        depth = visit.candidate.depth + 1
        pictures = self._pictures(page, depth) if page and self.images and relevant else []
        if self.sound:
            behind = 0.0 if relevant or given else BEHIND
            return [self._weighed(link, depth, behind) for link in links] + pictures
        return self._sorted(visit, links, depth) + pictures

    @override
    def is_relevant(self, visit: Visit) -> bool:
        """Tell whether Sim reaches tau; the sound form lets the judge decide."""
        if self.sound:
            return super().is_relevant(visit)
        return visit.page is not None and self.topic_vector.score(visit.page) >= self.tau

    def pvalue(self, forward: float, backward: int) -> float:
        """Return the P-value of a page from its forward and backward links."""
        return log1p(forward) + log1p(backward) if self.sound else forward - backward

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        paid, backward = candidate.priority, round(candidate.inherited)
        if candidate.via and candidate.via.origin is Origin.IMAGE:
            terms = f"Pvalue {paid:.3f}: a picture of {candidate.via.source}"
        else:
            behind = next((each for each in (WAITING, BEHIND) if paid < each / -2), 0.0)
            value = paid + behind
            forward = expm1(value - log1p(backward)) if self.sound else value + backward
            waited = f" - {behind:g}, behind others" if behind else ""
            equation = "log(1 + {}) + log(1 + {})" if self.sound else "{} - {}"
            named = equation.format(f"FwdLK {forward:.3f}", f"BkLK {backward}")
            terms = f"Pvalue {paid:.3f} = {named}{waited}, on {host_of(candidate.url)}"
        return [*([terms] if candidate.via else []), *self._seen(memory.page(candidate.url))]

    def _seen(self, page: Page | None) -> list[str]:
        """Return what layers 1 and 2 say of a page that was fetched."""
        if page is None:
            return []
        mark = page.fingerprint
        if mark.image_code:
            return [f"codes: Ival {mark.image_code}"]
        strings = " / ".join(letters[:LETTERS] for letters in mark.structure)
        return [
            f"Sim {self.topic_vector.score(page):.4f}, tau {self.tau:g}",
            f"codes: structure {strings}, text code {mark.text_code:.10g}",
        ]

    @override
    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        priorities = sorted(self.counts.listed(), key=lambda priority: -priority.worth)
        rows = tuple(
            (*map("{:.3f}".format, (each.worth, each.forward, each.backward)), each.url)
            for each in priorities
        )
        return (StrategyTable("URL list", ("Pvalue", "FwdLK", "BkLK", "URL"), rows),)

    @override
    def save(self) -> StrategyState:
        return StrategyState(rows=self.counts.changes())

    @override
    def load(self, state: StrategyState) -> None:
        self.counts.restore(state.rows)

    def _links(self, visit: Visit) -> Iterator[Link]:
        for link in links_of(visit):
            if (self.images or not is_image(link.target)) and (not self.pages_only or is_page(link.target)):
                yield link
        if self.ascend:
            here = visit.candidate.url
            yield from (Link(here, folder, origin=Origin.FOLDER) for folder in folders(here))

    def _sorted(self, visit: Visit, links: Sequence[Link], depth: int) -> list[Candidate]:
        """Put links on the list, and return them and whatever else has another place by now."""
        new = self.counts.mention((link.target for link in links), depth)
        priorities = self.counts.again(
            [visit.candidate.url, *(link.target for link in links_of(visit)), *new]
        )
        offers = [
            _prioritised(self.counts.priority(link.target), link)
            for link in {each.target: each for each in links}.values()
            if link.target in new
        ]
        return offers + [_prioritised(priority) for priority in priorities if priority.url not in new]

    def _weighed(self, link: Link, depth: int, behind: float) -> Candidate:
        """Return a link at the priority of the sound form."""
        forward, backward = self.counts.forward(link.target), self.counts.backward(link.target)
        return Candidate(
            link.target, self.pvalue(forward, backward) - behind, link, inherited=backward, depth=depth
        )

    def _pictures(self, page: Page, depth: int) -> list[Candidate]:
        shown = [Link(page.url, Url(image), origin=Origin.IMAGE) for image in page.fingerprint.images]
        return [Candidate(link.target, FIRST, link, depth=depth) for link in shown]


def _prioritised(priority: MaliPriority, link: Link | None = None) -> Candidate:
    """Return a URL at its P-value; without a link it waits already."""
    counted, again = float(priority.backward), link is None
    return Candidate(
        priority.url, priority.value, link, inherited=counted, depth=priority.depth, replaces_priority=again
    )
