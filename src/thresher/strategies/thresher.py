"""Thresher: learns while it crawls which links are worth following, from what every visit brought.

Each waiting URL has one row of evidence: what its parents are worth, what its anchors and its URL say, and
what links of the same page, section, folder, pattern and host have yielded. Every visit is a free example:
the row as it stood, and the label that the page earned. A regression over them sets the prices, fitted anew
every few visits; it starts from what the evidence was worth on other webs. docs/strategy.md
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from thresher.core.doors import Memory
from thresher.core.records import Candidate, Lesson, Outcome, Page, Question, Url, Visit
from thresher.core.url import key_of
from thresher.relevance.learning import Learning, Reading
from thresher.strategies.base import BaseStrategy, links_of
from thresher.strategies.learning import keeping, reflecting
from thresher.strategies.learning.evidence import INHERITED, NAMES, WIDTH_OF_GROUPS, Evidence
from thresher.strategies.learning.explaining import terms
from thresher.strategies.learning.history import History
from thresher.strategies.learning.regression import Weights, fit
from thresher.strategies.learning.table import GONE, Rows

Floats = NDArray[np.float64]

PRIOR = {
    "mean parent": 0.05,
    "handed down": 0.05,
    "anchor words": 0.25,
    "anchor meaning": 0.1,
    "URL words": 0.2,
    "URL meaning": 0.1,
    "parent": 0.5,
    "section": 0.5,
    "domain": 0.5,
    "host": 0.5,
    "first folder": 0.25,
    "second folder": 0.25,
    "pattern": 0.25,
}
"""What the evidence was worth on other webs, rounded: the price until this web has taught better."""

SEED_PRICE = 3.0  # above every label
NEXT_PRICE = 2.5  # above every price, below a seed's
TURN = 5  # every so many visits, as long as the seeds are explored
FOOD, DECAY = 0.1, 0.5  # a page with less food hands down what it inherited, and each hop takes half
JUDGED_AGAIN = 300  # pages, when the user has labelled some
AT_ONCE = 1 << 14  # rows whose evidence is spread out in memory at the same time
SAMPLE = 200  # rows of what waits that standardise the regression
WORTH_TELLING = 1e-4  # a change of price below this is not
SHARE_OF_VISITS = 50  # the more was learned, the less one visit changes: fit again after 2 % more


@dataclass
class Thresher(BaseStrategy):
    """Follow the links that promise most by what the crawl has learned so far."""

    bytes_per_link = 500

    warm_up: int = 10
    refit: int = 10
    ridge: float = 300.0
    history: int = 4000
    reprices: int = 500
    explore: int = 60

    def __post_init__(self) -> None:
        """Know nothing yet but the topic."""
        self._judge = Learning(self.topic)
        self._evidence = Evidence(self.topic)
        self._history = History(self.history, len(NAMES), WIDTH_OF_GROUPS)
        self._pages = 0
        self._next_fit = self.warm_up
        self._weights: Weights | None = None
        self._seeds: set[int] = set()
        self._roots: list[int] = []  # the seeds that were fetched
        self._taught: dict[Url, bool] = {}
        self._prior = np.array([PRIOR.get(name, 0.0) for name in NAMES])

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds before everything else."""
        self._seeds.update(key_of(seed) for seed in seeds)
        return [Candidate(seed, priority=SEED_PRICE) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Take the visit as an example, price the links of its page, and now and then all that wait."""
        if visit.page is None:
            self._give_up(visit)
            return []
        table, url = self._evidence.table, visit.candidate.url
        row = table.find(url)
        reading, inherited = self._read(visit.page, url), 0.0
        if row is not None and row != GONE:
            inherited = float(table.cells["evidence"][row, INHERITED])
            self._take_example(url, row, self._label(url, reading))
        table.remove(url)
        self._judge.pass_by(reading)
        self._pages += 1
        topical = reading.topical  # a list may lead to what is wanted without being it
        offers = self._price_links(visit, topical, DECAY * (topical if topical > FOOD else inherited))
        if self._pages >= self._next_fit:
            self._next_fit = self._pages + max(self.refit, self._pages // SHARE_OF_VISITS)
            offers += self._price_again()
        if self._pages % TURN == 0 and self._pages < self.explore:
            offers += self._explore(self._pages // TURN)
        return offers

    def _explore(self, turn: int) -> list[Candidate]:
        """Offer the best link of one of the seeds, each in turn, before all others.

        The user chose the seeds: where their links lead is worth a look, whatever the words say.
        """
        table, rows = self._evidence.table, self._evidence.table.waiting()
        roots = [self._evidence.tallies["parent"].number(key) for key in self._roots]
        for place in range(len(roots)):
            root = roots[(turn + place) % len(roots)]
            near = rows[(table.cells["parents"][rows] == root).any(axis=1)]
            if len(near):
                best = near[[int(np.argmax(table.cells["told"][near]))]]
                return self._offers(best, np.array([NEXT_PRICE]))
        return []

    def missing(self) -> str:
        """Say when there is little to go by but the name of the topic."""
        if self.topic.description or self.topic.examples or len(self.topic.keywords) > 1:
            return ""
        return (
            f"All that is known of the topic is {self.topic.name!r}: keywords, a description or example "
            "pages would help, and so will 'thresher label' once some pages are fetched."
        )

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the terms of a price, the weightiest first, in the model's own numbers."""
        table, url = self._evidence.table, candidate.url
        row = table.find(url)
        if row is not None and row != GONE:
            return terms(self._evidence.matrix(np.array([row]))[0], self._weights, self._prior)
        if url in self._history.urls:
            _, evidence, _, label = self._history.at(self._history.urls.index(url))
            return [*terms(evidence, self._weights, self._prior), f"it brought {label:.3f}"]
        return []

    def lessons(self) -> Sequence[Lesson]:
        """Return what hosts, folders and sections have brought, the greatest gain first."""
        return reflecting.lessons(self._evidence)

    def questions(self) -> Sequence[Question]:
        """Return the pages learned from without a label of the user's, the most helpful one first."""
        return reflecting.questions(self._evidence, self._history, self._taught)

    def teach(self, labels: Mapping[Url, bool], memory: Memory) -> Iterable[Candidate]:
        """Take up what the user says of fetched pages, judge the latest ones again, and price what waits."""
        news = {url: wanted for url, wanted in labels.items() if self._taught.get(url) is not wanted}
        pages = {url: page for url in news if (page := memory.page(url))}
        if not pages:
            return []
        self._judge.correct([*map(self._judge.read, pages.values())], [news[url] for url in pages])
        self._taught |= {url: news[url] for url in pages}
        for place in self._history.latest(min(len(self._history), JUDGED_AGAIN)):
            self._judge_again(place, memory)
        return self._price_again()

    def _judge_again(self, place: int, memory: Memory) -> None:
        """Judge a page that was learned from once more, and correct what was counted for its groups."""
        url, _, groups, before = self._history.at(place)
        page = memory.page(url)
        if page is None:
            return
        label = self._label(url, self._judge.read(page))
        self._history.correct(place, label)
        self._evidence.count(groups, label - before, visits=0)

    def _label(self, url: Url, reading: Reading) -> float:
        """Return what a page is worth: as the user says, else as the judge does."""
        return float(self._taught[url]) if url in self._taught else self._judge.score(reading)

    def inherit(self, earlier: object) -> bool:
        """Start from the weights, the judge and the labels of an earlier crawl, but not from its URLs."""
        if not isinstance(earlier, Thresher) or not earlier._pages:
            return False
        self._judge.inherit(earlier._judge)
        self._taught = dict(earlier._taught)
        self._weights, self._prior = earlier._weights, earlier._prior
        if self._weights:
            self._prior = self._weights.as_prior(earlier._prior)
        return True

    def _give_up(self, visit: Visit) -> None:
        """Let go of a URL that brought no page; where it moved to takes over its evidence."""
        table, url = self._evidence.table, visit.candidate.url
        row = table.find(url)
        if visit.outcome is Outcome.MOVED and visit.onward:
            target = visit.onward.url
            if key_of(url) in self._seeds:
                self._seeds.add(key_of(target))
            if row is not None and row != GONE and table.find(target) is None:
                table.rename(row, target)
        table.remove(url)

    def _read(self, page: Page, url: Url) -> Reading:
        """Return the page as the judge sees it; a seed is an example."""
        reading = self._judge.read(page)
        if key_of(url) in self._seeds:
            self._judge.show(reading)
            self._roots.append(key_of(url))
        return reading

    def _take_example(self, url: Url, row: int, label: float) -> None:
        """Keep the row as it stands beside its label, then count the label for its groups."""
        groups = self._evidence.groups(row)
        self._history.add(url, self._evidence.matrix(np.array([row]))[0], groups, label)
        self._evidence.count(groups, label)

    def _price_links(self, visit: Visit, topical: float, inherited: float) -> list[Candidate]:
        """Add what the page says of its links to their rows, and offer them at their prices."""
        depth = visit.candidate.depth + 1
        mentions = self._evidence.mentions(links_of(visit), depth)
        if not mentions:
            return []
        seed = key_of(visit.candidate.url) in self._seeds
        first = self._evidence.gather(visit, mentions, topical, inherited, seed)
        rows = np.fromiter(first, np.int64, len(first))
        prices = self._prices(self._evidence.matrix(rows))
        self._evidence.table.tell(rows, prices)
        return [
            Candidate(link.target, price, link, inherited=inherited, depth=depth, reprice=True)
            for link, price in zip(first.values(), prices.tolist(), strict=True)
        ]

    def _prices(self, matrix: Floats) -> Floats:
        prices = self._weights.predict(matrix) if self._weights else matrix @ self._prior
        return np.round(prices, 6)

    def _price_again(self) -> list[Candidate]:
        """Fit the regression anew, and offer what waits at prices that have changed, the best first."""
        table, rows = self._evidence.table, self._evidence.table.waiting()
        if not len(rows) or not self._history:
            return []
        sample = self._evidence.matrix(rows[:: max(1, len(rows) // SAMPLE)])
        self._weights = fit(self._history.rows, self._history.labels, sample, self.ridge, self._prior)
        parts = (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
        prices = np.concatenate([self._prices(self._evidence.matrix(part)) for part in parts])
        told = table.cells["told"][rows]
        changed = np.flatnonzero(np.abs(prices - told) > WORTH_TELLING)
        best = np.argsort(-np.maximum(prices, told)[changed], kind="stable")[: self.reprices]
        chosen = changed[best]
        return self._offers(rows[chosen], prices[chosen])

    def _offers(self, rows: Rows, prices: Floats) -> list[Candidate]:
        """Tell the frontier of other prices for what waits."""
        table = self._evidence.table
        table.tell(rows, prices)
        depths = table.cells["depth"][rows].tolist()
        return [
            Candidate(table.url(row), price, depth=depth, reprice=True)
            for row, price, depth in zip(rows.tolist(), prices.tolist(), depths, strict=True)
        ]

    def remember(self) -> str:
        """Return what is known of the crawl as a whole."""
        state = _State(
            self._pages,
            self._next_fit,
            sorted(self._seeds),
            self._roots,
            (self._evidence.sum, self._evidence.visits),
            (self._judge.shown, self._judge.passed, self._judge.seen),
            self._taught,
            self._history.count,
            (self._evidence.table.used, self._evidence.table.free),
            self._weights.numbers() if self._weights else None,
            self._prior.tolist(),
        )
        return msgspec.json.encode(state).decode()

    def recall(self, state: str) -> None:
        """Take up what an earlier run knew of the crawl as a whole."""
        known = msgspec.json.decode(state, type=_State)
        self._pages, self._next_fit = known.pages, known.next_fit
        self._seeds, self._roots = set(known.seeds), known.roots
        self._evidence.sum, self._evidence.visits = known.labels
        self._judge.shown, self._judge.passed, self._judge.seen = known.judge
        self._taught = known.taught
        self._history.count = known.examples
        self._evidence.table.used, self._evidence.table.free = known.rows
        self._weights = Weights.of(known.weights) if known.weights else None
        if known.prior:
            self._prior = np.array(known.prior)

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return what is new of links, groups, examples and words."""
        return keeping.changes(self._evidence, self._history, self._judge)

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up what an earlier run knew of links, groups, examples and words."""
        keeping.restore(entries, self._evidence, self._history, self._judge)


class _State(msgspec.Struct, array_like=True):
    """What is known of a crawl as a whole, small enough to be written with every transaction."""

    pages: int
    next_fit: int
    seeds: list[int]
    roots: list[int]
    labels: tuple[float, int]
    judge: tuple[float, float, int]
    taught: dict[Url, bool]
    examples: int
    rows: tuple[int, list[int]]
    weights: list[list[float]] | None
    prior: list[float] = []
