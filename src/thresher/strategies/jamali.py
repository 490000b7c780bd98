"""Link structure and content together (Jamali et al. 2006): which of the fetched pages to expand next.

Seeds        pages whose links were all downloaded; at first those the user gave
Candidates   pages that were downloaded and may become seeds
v_i, s       the vocabulary of a sub-domain; the set of the words of a page

rank(p)               = (links_to_seed(p) + links_from_seed(p)) * (0.1 + content_similarity(p))    eq. (1)
content_similarity(p) = mean of the k = 2 largest |v_i & s| / |s|                                  eq. (2)

sound: log(1 + links) instead of links, so that the best linked page does not win whatever it says, and
       |v_i & s| / sqrt(|v_i| |s|), because eq. (2) gives a page of one topical word full marks

So links are fetched unseen, and the rank decides whose links: docs/papers/jamali.md has the cost.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import log1p
from random import Random

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import Outcome
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Page, StrategyTable, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy, StrategyState
from thresher.core.url import key_of
from thresher.judges.baselines import VocabularyJudge
from thresher.strategies.base import links_of
from thresher.text.tokenize import opening
from thresher.topic.vocabulary import FEWEST_PAGES, MIN_OCCURRENCE, sub_domains

# Jamali's tables: pages that were fetched, with their links to and from seeds counted as they come.
#
# A count changes only where a seed was added, so a rank is never looked for: each new rank is pushed on a
# heap, and an old one is skipped when it comes up.


class Known(msgspec.Struct, array_like=True):
    """A page that was fetched; a seed is one that was promoted."""

    url: Url
    number: int  # in the order of fetching
    depth: int
    given: bool  # by the user
    links_to: int  # how many seeds it links to
    links_from: int  # how many seeds link to it
    similarity: float = 0.0
    promoted: bool = False
    counted: int = 0  # the last promotion whose link to it was counted: one page counts once

    @property
    def links(self) -> int:
        """How many links connect it with seeds."""
        return self.links_to + self.links_from


@dataclass
class Candidates:
    """Seeds and candidates by the key of their URL, and which URL a redirect led to."""

    promotions: int = 0
    given: "deque[int]" = field(default_factory=deque)  # the user's seeds that are not promoted yet
    _known: dict[int, Known] = field(default_factory=dict)
    _moved: dict[int, tuple[Url, Url]] = field(default_factory=dict)  # key of a URL: itself and its target
    _names: dict[int, list[Url]] = field(default_factory=dict)  # key of a target: the URLs that lead there
    _heap: list[tuple[float, int, int]] = field(default_factory=list)
    _risen: set[int] = field(default_factory=set)  # keys whose rank is not on the heap yet
    _changed: set[int] = field(default_factory=set)

    def pages(self) -> Iterator[Known]:
        """Yield every page in the order of fetching."""
        return iter(self._known.values())

    def find(self, url: Url) -> Known | None:
        """Return what is known of a page."""
        return self._known.get(self._resolved(key_of(url)))

    def judge(self, url: Url, similarity: float) -> None:
        """Set what the words of a page are worth."""
        key = key_of(url)
        self._known[key].similarity = similarity
        self._change(key)

    def add(self, visit: Visit, similarity: float) -> None:
        """Take in a page, or where a URL has moved to."""
        candidate = visit.candidate
        if visit.outcome is Outcome.MOVED and visit.redirect:
            self._follow(candidate.url, visit.redirect.url)
        key = key_of(candidate.url)
        if visit.page is None or key in self._known:
            return
        targets = {self._resolved(key_of(link.target)) for link in links_of(visit)}
        links_to = sum(target in self._known and self._known[target].promoted for target in targets)
        given = candidate.via is None
        page = Known(
            candidate.url, len(self._known), candidate.depth, given, links_to, int(not given), similarity
        )
        page.counted = self.promotions
        self._known[key] = page
        self._change(key)
        if given:
            self.given.append(key)

    def take(self, rank: Callable[[Known], float]) -> Known | None:
        """Return the next to be promoted: the user's seeds in their order, then the best by rank."""
        if self.given:
            return self._known[self.given.popleft()]
        for key in sorted(self._risen):
            page = self._known[key]
            heappush(self._heap, (-rank(page), page.number, key))
        self._risen.clear()
        while self._heap:
            priority, _, key = heappop(self._heap)
            page = self._known[key]
            if not page.promoted and -rank(page) == priority:
                return page
        return None

    def promote(self, page: Known, rank: float, memory: CrawlView) -> list[Candidate]:
        """Make a page a seed: its links count from now on; return those to pages that were not fetched."""
        page.promoted = True
        self.promotions += 1
        self._changed.add(key_of(page.url))
        for source in self._sources(page.url, memory):
            self._count_to(source)
        offers = []
        for link in memory.outlinks(page.url):
            target = self._resolved(key_of(link.target))
            if target in self._known:
                self._count_from(target)
            else:
                offers.append(Candidate(link.target, rank, link, depth=page.depth + 1))
        return offers

    def changes(self) -> list[tuple[int, bytes]]:
        """Return the entries that are new or have changed."""
        changed = [(key, _encode(self._known.get(key) or self._moved[key])) for key in sorted(self._changed)]
        self._changed.clear()
        return changed

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up the entries of an earlier run."""
        pages = []
        for key, value in entries:
            entry = msgspec.msgpack.decode(value)
            if len(entry) == 2:
                self._moved[key] = (entry[0], entry[1])
                self._names.setdefault(key_of(entry[1]), []).append(entry[0])
            else:
                pages.append((key, msgspec.convert(entry, Known)))
        for key, page in sorted(pages, key=lambda pair: pair[1].number):
            self._known[key] = page
            if page.given and not page.promoted:
                self.given.append(key)
        self._risen.update(key for key, page in self._known.items() if not page.promoted)

    def _follow(self, url: Url, target: Url) -> None:
        """Remember a redirect; a page that was fetched before has one more link from the last seed."""
        key = key_of(url)
        self._moved[key] = (url, target)
        self._names.setdefault(key_of(target), []).append(url)
        self._changed.add(key)
        if (final := self._resolved(key)) in self._known:
            self._count_from(final)

    def _count_to(self, source: Url) -> None:
        key = key_of(source)
        if key in self._known and not self._known[key].promoted:
            self._known[key].links_to += 1
            self._change(key)

    def _count_from(self, key: int) -> None:
        page = self._known[key]
        if not page.promoted and page.counted < self.promotions:
            page.counted = self.promotions
            page.links_from += 1
            self._change(key)

    def _change(self, key: int) -> None:
        self._changed.add(key)
        self._risen.add(key)

    def _sources(self, url: Url, memory: CrawlView) -> Sequence[Url]:
        """Return the pages that link to a page under any of its names."""
        names, waiting = {url: None}, [url]
        while waiting:
            fresh = [name for name in self._names.get(key_of(waiting.pop()), ()) if name not in names]
            names.update(dict.fromkeys(fresh))
            waiting += fresh
        return list(dict.fromkeys(source for name in names for source in memory.sources(name)))

    def _resolved(self, key: int) -> int:
        """Return the key of the page a URL leads to, past its redirects."""
        for _ in range(10):
            if key in self._known or key not in self._moved:
                break
            key = key_of(self._moved[key][1])
        return key


_encode = msgspec.msgpack.Encoder().encode


@dataclass
class Jamali(Strategy):
    """Fetch all links of one page at a time: that with the topic's words and links to and from such pages."""

    needs = Needs(context=False, place=False)
    defaults = Defaults(judge="vocabulary")
    bytes_per_link = 20  # it remembers pages, not links

    k: int = 2
    floor: float = 0.1
    min_occurrence: int = MIN_OCCURRENCE
    neighbours: int = 200
    seed: int = 1
    sound: bool = False
    _candidates: Candidates = field(default_factory=Candidates, init=False, repr=False)
    _domain: VocabularyJudge | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Take the sub-domains of the example pages, if there are any."""
        if self.topic.vocabularies:
            self._take(self.topic.vocabularies)

    @override
    def missing(self) -> str:
        if self.topic.vocabularies:
            return ""
        return (
            f"Topic {self.topic.name!r} has no example pages: jamali takes its sub-domains from the relevant "
            "pages that the seeds link to, or from the topic's words if they are few."
        )

    @override
    def goes_by(self) -> str:
        several = len(self.topic.vocabularies)
        return f"vocabularies of {several} sub-domains" if several else "its words"

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer nothing: a page that was fetched is a candidate, and expanded only when its turn comes."""
        self._candidates.add(visit, self._similarity(visit.page))
        return []

    @override
    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        """Promote the best candidate and offer its links, or those of the next if it has none to offer."""
        candidates, offers = self._candidates, list[Candidate]()
        while not offers:
            if not candidates.given and self._domain is None:
                self._learn_domain(memory)
            if (best := candidates.take(self.rank)) is None:
                return []
            offers = candidates.promote(best, self.rank(best), memory)
        return offers

    def rank(self, page: Known) -> float:
        """Return eq. (1)."""
        links = log1p(page.links) if self.sound else page.links
        return links * (self.floor + page.similarity)

    @override
    def result_score(self, url: Url) -> float | None:
        page = self._candidates.find(url)
        return None if page is None else self.rank(page)

    @override
    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        pages = sorted(self._candidates.pages(), key=self.rank, reverse=True)
        seeds = tuple((page.url,) for page in self._candidates.pages() if page.promoted)
        rows = tuple(
            (
                f"{self.rank(page):.3f}",
                str(page.links_to),
                str(page.links_from),
                f"{page.similarity:.3f}",
                page.url,
            )
            for page in pages
            if not page.promoted
        )
        heads = ("Rank", "links_to_seed", "links_from_seed", "similarity", "URL")
        return (
            StrategyTable("Seed Pages", ("URL",), seeds),
            StrategyTable("Candidate Crawled Pages", heads, rows),
        )

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        parent = candidate.via and self._candidates.find(candidate.via.source)
        lines = [f"promoted: {parent.url} at rank {candidate.priority:.3f}"] if parent else []
        if page := self._candidates.find(candidate.url):
            links = f"{page.links} links" if not self.sound else f"log(1 + {page.links} links)"
            worth = f"({self.floor:g} + similarity {page.similarity:.3f})"
            lines += [
                f"its own rank {self.rank(page):.3f} = {links} x {worth}",
                f"links = {page.links_to} to pages promoted + {page.links_from} from them",
            ]
        return lines

    @override
    def save(self) -> StrategyState:
        learned = [] if self._domain is None else [sorted(each) for each in self._domain.vocabularies]
        head = json.dumps([learned, self._candidates.promotions])
        return StrategyState(head, self._candidates.changes())

    @override
    def load(self, state: StrategyState) -> None:
        learned, self._candidates.promotions = json.loads(state.head)
        if learned:
            self._take(learned)
        self._candidates.restore(state.rows)

    def _similarity(self, page: Page | None) -> float:
        return self._domain.score(page) if page and self._domain else 0.0

    def _learn_domain(self, memory: CrawlView) -> None:
        """Make vocabularies of what the seeds link to, and judge by them what was fetched before."""
        near = [page for known in self._candidates.pages() if (page := memory.page(known.url))]
        relevance = [memory.guidance(page.url) or 0.0 for page in near]
        texts = [
            f"{page.title}\n{opening(page.text)}"
            for page, score in zip(near, relevance, strict=True)
            if score >= self.judge.threshold
        ]
        if len(texts) > self.neighbours:
            texts = Random(self.seed).sample(texts, self.neighbours)  # the paper draws pages at random
        enough = len(texts) >= FEWEST_PAGES
        self._take(sub_domains(texts, self.min_occurrence) if enough else ())
        for page in near:
            self._candidates.judge(page.url, self._similarity(page))

    def _take(self, vocabularies: Iterable[Iterable[str]]) -> None:
        topic = replace(self.topic, vocabularies=tuple(map(tuple, vocabularies)))
        self._domain = VocabularyJudge(topic, best=self.k, sound=self.sound)
