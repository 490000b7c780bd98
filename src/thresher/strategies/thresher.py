"""Thresher: learns while it crawls which links are worth following, from what every visit brought.

Each waiting URL has one row of evidence: what its parents are worth, what its anchors, contexts and URL say,
and what links of the same page, section, folder, pattern and host yielded. Every visit is a free example:
the row as it stood, and the label of the page. Until there are enough of them a formula after Shark-Search
sets the prices, then a regression does, fitted anew every few visits. docs/strategy.md
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from thresher.core.doors import Memory
from thresher.core.records import Candidate, Link, Outcome, Url, Visit
from thresher.core.url import host_of, key_of, tokens
from thresher.relevance.combined import Combined
from thresher.strategies.base import BaseStrategy, links_of
from thresher.strategies.learning.regression import Weights, fit
from thresher.strategies.learning.table import COLUMNS, GONE, Rows, Table
from thresher.strategies.learning.texts import TopicTexts
from thresher.strategies.learning.yields import Tally, places_of

Floats = NDArray[np.float64]

YIELDS = ("parent", "section", "domain", "host", "first folder", "second folder", "pattern")
"""The columns after those of the table: what groups have yielded, each beside the group above it."""

AT_FIRST = {
    "best parent": 0.2,
    "handed down": 0.2,
    "anchor words": 0.4,
    "anchor meaning": 0.4,
    "context words": 0.1,
    "context meaning": 0.1,
    "URL words": 0.2,
    "URL meaning": 0.2,
}
"""The price before anything is learned, after Shark-Search."""

SEED_PRICE = 3.0  # above every label
PRIOR_LABEL, PRIOR_VISITS = 0.1, 2.0  # what a page is worth before any was seen, and how sure that is
FOOD = 0.1  # a page with less hands down what it inherited, not its own label


@dataclass
class Thresher(BaseStrategy):
    """Follow the links that what was learned so far predicts most of."""

    bytes_per_link = 400

    warm_up: int = 30
    refit: int = 10
    ridge: float = 100.0
    history: int = 4000
    reprices: int = 2000

    def __post_init__(self) -> None:
        """Know nothing yet but the topic."""
        self._texts = TopicTexts(self.topic)
        self._judge = Combined(self.topic)
        self._table = Table()
        self._tallies = {name: Tally() for name in YIELDS}
        for name in YIELDS[:2]:
            self._tallies[name].number("")  # 0 stands for none
        self._rows: list[Floats] = []
        self._labels: list[float] = []
        self._visits = 0
        self._sum = 0.0
        self._weights: Weights | None = None
        self._seeds: set[int] = set()
        self._at_first = np.array([AT_FIRST.get(name, 0.0) for name in (*COLUMNS, *YIELDS)])

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds before everything else."""
        self._seeds.update(key_of(seed) for seed in seeds)
        return [Candidate(seed, priority=SEED_PRICE) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Take the visit as an example, price the links of its page, and now and then all that wait."""
        url = visit.candidate.url
        row = self._table.find(url)
        if visit.outcome is Outcome.MOVED and visit.onward:
            self._move(url, row, visit.onward.url)
            return []
        if visit.page is None:
            self._table.remove(url)
            return []
        label = self._judge.score(visit.page)
        handed_down = 0.0
        if row is not None and row != GONE:
            handed_down = float(self._table.evidence[row, 2])
            self._take_example(row, label)
        self._table.remove(url)
        offers = self._price_links(visit, label, 0.5 * (label if label > FOOD else handed_down))
        self._visits += 1
        if self._visits >= self.warm_up and self._visits % self.refit == 0:
            offers += self._price_again({offer.url for offer in offers})
        return offers

    def _move(self, url: Url, row: int | None, target: Url) -> None:
        """Let the evidence for a URL stand for the one it was redirected to, unless that has its own."""
        if row is None or row == GONE or self._table.find(target) is not None:
            self._table.remove(url)
        else:
            self._table.rename(row, target)

    def _take_example(self, row: int, label: float) -> None:
        """Keep the row as it stands beside its label, then count the label for every group it belongs to."""
        self._rows.append(self._evidence(np.array([row]))[0])
        self._labels.append(label)
        self._sum += label
        if len(self._rows) > self.history:
            del self._rows[0], self._labels[0]
        table = self._table
        for name, number in zip(YIELDS[2:], table.groups[row].tolist(), strict=True):
            self._tallies[name].add(number, label)
        for name, numbers in (("parent", table.parents[row]), ("section", table.sections[row])):
            for number in sorted(set(numbers.tolist()) - {0}):
                self._tallies[name].add(number, label)

    def _price_links(self, visit: Visit, label: float, handed_down: float) -> list[Candidate]:
        """Add what the page says of its links to their rows, and return those whose price it changes."""
        mentions: dict[int, list[Link]] = {}
        for link in links_of(visit):
            row = self._table.find(link.target)
            if row is None:
                row = self._add(link.target, visit.candidate.depth + 1)
            if row != GONE:
                mentions.setdefault(row, []).append(link)
        if not mentions:
            return []
        rows = np.array(list(mentions), np.int64)
        self._gather(visit, rows, list(mentions.values()), label, handed_down)
        prices = self._prices(self._evidence(rows))
        self._table.told[rows] = prices
        depth = visit.candidate.depth + 1
        return [
            Candidate(links[0].target, price, links[0], inherited=handed_down, depth=depth, reprice=True)
            for links, price in zip(mentions.values(), prices.tolist(), strict=True)
        ]

    def _add(self, url: Url, depth: int) -> int:
        names = zip(YIELDS[2:], places_of(url), strict=True)
        row = self._table.add(url, [self._tallies[name].number(place) for name, place in names], depth)
        words, meaning = self._texts.compare(" ".join(tokens(url)))
        self._table.evidence[row, 7], self._table.evidence[row, 8] = words, meaning
        return row

    def _gather(
        self, visit: Visit, rows: Rows, mentions: Sequence[Sequence[Link]], label: float, handed_down: float
    ) -> None:
        """Add one page's mentions to the rows of what it links to."""
        table, host = self._table, host_of(visit.candidate.url)
        evidence = table.evidence[rows]
        counts = table.mentions[rows]
        evidence[:, 0] = np.where(counts > 0, np.maximum(evidence[:, 0], label), label)
        evidence[:, 1] += (label - evidence[:, 1]) / (counts + 1)
        evidence[:, 2] = np.maximum(evidence[:, 2], handed_down)
        said = np.array([self._said(links) for links in mentions], np.float32)
        evidence[:, 3:7] = np.maximum(evidence[:, 3:7], said)
        evidence[:, 9] = np.log(counts + 1)
        evidence[:, 10] += label / log(3 + len(rows))
        evidence[:, 11] = [host_of(links[0].target) == host for links in mentions]
        if key_of(visit.candidate.url) in self._seeds:
            evidence[:, 12] = 1.0
        table.evidence[rows] = evidence
        section = self._tallies["section"].number
        parent = self._tallies["parent"].number(key_of(visit.candidate.url))
        table.mention(rows, parent, [section((host, links[0].place)) for links in mentions])

    def _said(self, links: Sequence[Link]) -> tuple[float, float, float, float]:
        """Return the best that anchors and contexts of one page say of one URL."""
        anchors = [self._texts.compare(link.anchor) for link in links]
        contexts = [self._texts.compare(link.context) for link in links]
        return (
            max(words for words, _ in anchors),
            max(meaning for _, meaning in anchors),
            max(words for words, _ in contexts),
            max(meaning for _, meaning in contexts),
        )

    def _evidence(self, rows: Rows) -> Floats:
        """Return the rows with the yields of their groups as they stand now."""
        table, tallies = self._table, self._tallies
        overall = (self._sum + PRIOR_LABEL * PRIOR_VISITS) / (len(self._labels) + PRIOR_VISITS)
        groups = table.groups[rows]
        domain = tallies["domain"].means(groups[:, 0], overall)
        host = tallies["host"].means(groups[:, 1], domain)
        first = tallies["first folder"].means(groups[:, 2], host)
        second = tallies["second folder"].means(groups[:, 3], first)
        kind = tallies["pattern"].means(groups[:, 4], host)
        several = np.maximum(1, np.minimum(table.mentions[rows], table.parents.shape[1]))
        parent = (tallies["parent"].means(table.parents[rows], overall) - overall).sum(axis=1) / several
        section = (tallies["section"].means(table.sections[rows], overall) - overall).sum(axis=1) / several
        yields = (parent, section, domain - overall, host - domain, first - host, second - first, kind - host)
        return np.concatenate([table.evidence[rows], np.stack(yields, axis=1)], axis=1, dtype=np.float64)

    def _prices(self, evidence: Floats) -> Floats:
        prices = self._weights.predict(evidence) if self._weights else evidence @ self._at_first
        return np.round(prices, 6)

    def _price_again(self, priced: set[Url]) -> list[Candidate]:
        """Fit the regression anew, and offer what waits at prices that have changed, the best first."""
        rows = self._table.waiting()
        if not len(rows) or not self._rows:
            return []
        evidence = self._evidence(rows)
        sample = evidence[:: max(1, len(rows) // 200)]
        self._weights = fit(np.array(self._rows), np.array(self._labels), sample, self.ridge)
        prices = self._prices(evidence)
        told = self._table.told[rows]
        changed = np.flatnonzero(np.abs(prices - told) > 1e-4)
        order = np.argsort(-np.maximum(prices, told)[changed], kind="stable")[: self.reprices]
        chosen = changed[order]
        self._table.told[rows[chosen]] = prices[chosen]
        return [
            self._again(row, price)
            for row, price in zip(rows[chosen].tolist(), prices[chosen].tolist(), strict=True)
        ]

    def _again(self, row: int, price: float) -> Candidate:
        url = self._table.urls[row]
        assert url is not None, "what waits has a URL"
        return Candidate(url, price, depth=int(self._table.depths[row]), reprice=True)
