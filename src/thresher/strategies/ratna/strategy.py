"""TF-IDF, the words of a link and topic-seeded PageRank together (Ratna et al. 2012).

T                       the topic's keywords, which are the query q
score(q, d)             sum over t in q of tf(t, d) * idf(t)                     eq. (1) to (4)
ATR, CTR                |T & rel(anchor)| / |T|, and the same of the link's cohesive text
PR(d) = score(q, d), then PR(u) = sum over v that link to u of PR(v) / L(v)      eq. (6) and (7), k sweeps
Rel_Score(d)            = PR(d) + score(q, d)                                    eq. (8), for the results
link score(u)           = ATR + CTR + PR(u): the paper names the terms, the sum is ours

The best of the start pages by their score are the seeds. rel(): a word, and the topic for its other names.
sound: idf from a background, so that no word counts against a page, and personalised PageRank.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from thresher.core.protocols import Memory
from thresher.core.records import LOOKS, Candidate, Link, Outcome, Page, Url, Visit
from thresher.judges.tfidf import Collection, TfIdf
from thresher.judges.word_evidence import page_counts
from thresher.strategies.base import BaseStrategy
from thresher.strategies.ratna.graph import LinkGraph
from thresher.strategies.ratna.link_text import cohesive_texts
from thresher.strategies.ratna.pagerank import LocalPush, Sweeps
from thresher.text.tokenize import words
from thresher.topic.build import terms, word_weights

REMEMBERED = 16_384  # short texts: menus come again on every page


@dataclass
class Ratna(BaseStrategy):
    """Follow links by their anchor, the sentences round it and the rank that relevant pages lend them."""

    own_judge = "tfidf"
    reads_place = False
    reads_offsets = True

    best: int = 10
    k: int = 1
    threshold: float = 0.0
    damping: float = 0.85
    sound: bool = False

    def __post_init__(self) -> None:
        """Start with an empty graph and no page read."""
        own = word_weights(terms(replace(self.topic, description="")))
        self._topic = frozenset(own)
        self._related = {word: frozenset({word}) for word in own}
        names = frozenset(word for label in self.topic.labels.values() for word in words(label)) & self._topic
        for phrase in self.topic.lexicon:
            for word in words(phrase):
                self._related.setdefault(word, names)
        self._collection = Collection(own)
        self._background = TfIdf(self.topic)
        self._graph = LinkGraph(LocalPush(self.damping) if self.sound else Sweeps(self.k))
        self._starts: list[Url] | None = []  # start pages, until the best are chosen
        self._short = lru_cache(REMEMBERED)(self.relevancy)
        self._may_say = lru_cache(REMEMBERED)(self._says_something)

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer the links of a page at their scores; those of start pages when all have been read."""
        if visit.outcome is Outcome.MOVED and visit.onward:
            self._graph.move(visit.candidate.url, visit.onward.url)
        if visit.page is None or visit.outcome is not Outcome.FETCHED or visit.candidate.kind in LOOKS:
            return []
        self._collection.add(page_counts(visit.page))
        if self._starts is not None and visit.candidate.via is None:
            self._starts.append(visit.page.url)
            return []
        offers = self._expand(visit.page, visit.candidate.depth, self.score(visit.page))
        return [*offers, *self._refreshed(memory)]

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Choose the best start pages and offer their links."""
        pages = [page for url in self._starts or () if (page := memory.page(url))]
        self._starts = None
        scored = sorted(((self.score(page), page) for page in pages), key=lambda pair: -pair[0])
        return [offer for score, page in scored[: self.best] for offer in self._expand(page, 0, score)]

    def score(self, page: Page) -> float:
        """Return eq. (4) among the pages read so far; the sound form has a background instead."""
        return self._background.score(page) if self.sound else self._collection.score(page_counts(page))

    def relevancy(self, text: str) -> float:
        """Return |T & rel(text)| / |T|: ATR of an anchor, CTR of a cohesive text."""
        if not (known := self._related.keys() & words(text)):
            return 0.0
        return len(frozenset[str]().union(*map(self._related.__getitem__, known))) / len(self._topic)

    def worth(self, url: Url) -> float | None:
        """Return Rel_Score of a page that was fetched, if it exceeds the threshold."""
        score = self._graph.score_of(url)
        found = None if score is None else score + self._graph.rank_of(url)
        return found if found is None or found > self.threshold else None

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the link score with its terms, the rank as it is by now."""
        link, page = candidate.via, memory.page(candidate.via.source) if candidate.via else None
        if not link or not page:
            return []
        texts = dict(zip(page.links, cohesive_texts(page.text, page.links), strict=True))
        anchor, around = self.relevancy(link.anchor), self.relevancy(texts.get(link, link.context))
        rank = self._graph.rank_of(candidate.url)
        total = anchor + around + rank
        return [f"link score {total:.3f} = ATR {anchor:.3f} + CTR {around:.3f} + PR {rank:.3f}"]

    def remember(self) -> str:
        """Return how many pages were read and have each word, and the start pages that wait."""
        return json.dumps([self._collection.documents, self._collection.with_word, self._starts])

    def recall(self, state: str) -> None:
        """Take up the counts of an earlier run."""
        self._collection.documents, self._collection.with_word, self._starts = json.loads(state)

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return the pages that have come into the graph."""
        return self._graph.changes()

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Build the graph of an earlier run."""
        self._graph.restore(entries)

    def _expand(self, page: Page, depth: int, score: float) -> list[Candidate]:
        """Take a page into the graph, and return its links at what they are worth now."""
        links: dict[Url, tuple[Link, float]] = {}
        for link, worth in zip(page.links, self._said(page), strict=True):
            if link.target not in links or worth > links[link.target][1]:
                links[link.target] = (link, worth)
        prices = self._graph.add(page.url, depth, score, {url: worth for url, (_, worth) in links.items()})
        return [
            Candidate(url, price, link, depth=depth + 1, reprice=price < old)
            for (url, (link, _)), (old, price) in zip(links.items(), prices, strict=True)
        ]

    def _said(self, page: Page) -> list[float]:
        """Return ATR + CTR of each link of a page."""
        anchors = [self._short(link.anchor) for link in page.links]
        if self._related.keys().isdisjoint(page_counts(page)):
            return anchors  # no sentence says more
        texts = list(cohesive_texts(page.text, page.links, self._may_say))
        said = {text: self._short(text) for text in dict.fromkeys(texts)}
        return [anchor + said[text] for anchor, text in zip(anchors, texts, strict=True)]

    def _says_something(self, text: str) -> bool:
        return not text.isascii() or not self._related.keys().isdisjoint(words(text))

    def _refreshed(self, memory: Memory) -> list[Candidate]:
        """Return the links of pages whose rank has risen most since the last time, at their new prices."""
        risen, self._graph.risen = self._graph.risen, []
        offers = []
        for number in risen:
            url, depth, _ = self._graph.pages[number]
            links: dict[Url, Link] = {link.target: link for link in memory.outlinks(url)}
            for link, price in zip(links.values(), self._graph.prices(links), strict=True):
                if self._graph.score_of(link.target) is None:
                    offers.append(Candidate(link.target, price, link, depth=depth + 1, reprice=True))
        return offers
