"""Link structure and content together (Jamali et al. 2006): which of the fetched pages to expand next.

Seeds        pages whose links were all downloaded; at first those the user gave
Candidates   pages that were downloaded and may become seeds
v_i, s       the vocabulary of a sub-domain; the set of the words of a page

rank(p)               = (links_to_seed(p) + links_from_seed(p)) * (0.1 + content_similarity(p))    eq. (1)
content_similarity(p) = mean of the k = 2 largest |v_i & s| / |s|                                  eq. (2)

sound: log(1 + links) instead of links, so that the best linked page does not win whatever it says, and
       |v_i & s| / sqrt(|v_i| |s|), because eq. (2) gives a page of one topical word full marks

So links are fetched unseen, and the rank decides whose links: docs/trust/papers/jamali.md has the cost.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log1p
from random import Random

from msgspec.structs import replace

from thresher.core.interfaces import Ledger, Memory
from thresher.core.records import Candidate, Page, Table, Url, Visit
from thresher.judges.baselines import Vocabulary
from thresher.strategies.base import BaseStrategy
from thresher.strategies.jamali.pages import Candidates, Known
from thresher.text.tokenize import opening
from thresher.topic.vocabulary import FEWEST_PAGES, MIN_OCCURRENCE, sub_domains


@dataclass
class Jamali(BaseStrategy):
    """Fetch all links of one page at a time: that with the topic's words and links to and from such pages."""

    own_judge = "vocabulary"
    bytes_per_link = 20  # it remembers pages, not links
    reads_context = False
    reads_place = False

    k: int = 2
    floor: float = 0.1
    min_occurrence: int = MIN_OCCURRENCE
    neighbours: int = 200
    seed: int = 1
    sound: bool = False
    _candidates: Candidates = field(default_factory=Candidates, init=False, repr=False)
    _domain: Vocabulary | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Take the sub-domains of the example pages, if there are any."""
        if self.topic.vocabularies:
            self._take(self.topic.vocabularies)

    def missing(self) -> str:
        """Say where the sub-domains come from when there are no example pages."""
        if self.topic.vocabularies:
            return ""
        return (
            f"Topic {self.topic.name!r} has no example pages: jamali takes its sub-domains from the relevant "
            "pages that the seeds link to, or from the topic's words if they are few."
        )

    def goes_by(self) -> str:
        """Say how many sub-domains the judge has."""
        several = len(self.topic.vocabularies)
        return f"vocabularies of {several} sub-domains" if several else "its words"

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer nothing: a page that was fetched is a candidate, and expanded only when its turn comes."""
        self._candidates.add(visit, self._similarity(visit.page))
        return []

    def more(self, memory: Memory) -> Iterable[Candidate]:
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

    def worth(self, url: Url) -> float | None:
        """Return the rank of a page that was fetched: results go by it."""
        page = self._candidates.find(url)
        return None if page is None else self.rank(page)

    def tables(self, crawl: Ledger) -> Sequence[Table]:
        """Return Seed Pages and Candidate Crawled Pages (Figure 1), the latter by rank."""
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
        return (Table("Seed Pages", ("URL",), seeds), Table("Candidate Crawled Pages", heads, rows))

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the rank of the page whose links were fetched, and that of the page itself."""
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

    def remember(self) -> str:
        """Return the sub-domains that were learned, and how many pages were promoted."""
        learned = [] if self._domain is None else [sorted(each) for each in self._domain.vocabularies]
        return json.dumps([learned, self._candidates.promotions])

    def recall(self, state: str) -> None:
        """Take up the sub-domains of an earlier run."""
        learned, self._candidates.promotions = json.loads(state)
        if learned:
            self._take(learned)

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return the candidates and redirects that are new or have changed."""
        return self._candidates.changes()

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up candidates and redirects of an earlier run."""
        self._candidates.restore(entries)

    def _similarity(self, page: Page | None) -> float:
        return self._domain.score(page) if page and self._domain else 0.0

    def _learn_domain(self, memory: Memory) -> None:
        """Make vocabularies of what the seeds link to, and judge by them what was fetched before."""
        near = [page for known in self._candidates.pages() if (page := memory.page(known.url))]
        relevance = [memory.relevance(page.url) or 0.0 for page in near]
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
        self._domain = Vocabulary(topic, best=self.k, sound=self.sound)
