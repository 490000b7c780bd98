"""The tree frontier of TRES without its network (Kontogiannis et al. 2021 to 2025, arXiv 2112.07620).

A regression tree over what is known of a link before its page is fetched cuts what waits into leaves; of
each leaf one link, drawn at random, stands for all, and the best of these is fetched.

    x(u)   the page it stands on is relevant; share of relevant pages on its path; 1 / distance from the last
           relevant page of its path; keywords in the URL; keywords in the anchor; share of relevant pages of
           its host; the judge's score of its page
    split  the feature and value that lower the variance of rewards most; no leaf under LEAST samples,
           no deeper than DEPTH
    Q(leaf) = mean reward of the links of the leaf that were fetched;  reward 1 if the page was relevant

The splits, their minimal size and one random link a leaf are those of `TreeFrontier` in the authors'
source, which was read; the features those that the paper lists. Holes: Q is learned there by a double
deep Q-network with an LSTM classifier of pages; here a leaf is worth its mean reward, so no reward comes
from later steps. The tree is grown anew at every REFIT pages, there leaf by leaf.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher.core.url import host_of, tokens
from thresher.text.tokenize import words
from thresher.topic.build import terms, word_weights
from thresher_lab.contenders.waiting import WaitingLinks

LEAST, DEPTH, REFIT = 5, 18, 10
Matrix = NDArray[np.float64]
Leaf = tuple[float, int]
Tree = Leaf | tuple[int, float, "Tree", "Tree"]
"""The value and number of a leaf; or a feature, the greatest value of the left side, and both sides."""


@dataclass
class Path:
    """What is known of the pages on the way to a page."""

    pages: int = 0
    relevant: int = 0
    since: int = 100  # pages since the last relevant one


@dataclass
class Tres(Strategy):
    """Follow links like those that brought relevant pages, by a regression tree."""

    needs = Needs(context=False, place=False)
    defaults = Defaults(default_judge_in_lab=True)

    seed: int = 1
    _waiting: WaitingLinks = field(default_factory=WaitingLinks)
    _known: dict[Url, list[float]] = field(default_factory=dict)
    _samples: list[tuple[list[float], float]] = field(default_factory=list)
    _paths: dict[Url, Path] = field(default_factory=dict)
    _hosts: dict[str, list[int]] = field(default_factory=dict)
    _tree: Tree = (0.0, 0)

    def __post_init__(self) -> None:
        """Make the dice, and the words that count as keywords."""
        self._dice, self._words = Random(self.seed), word_weights(terms(self.topic))

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Learn from the page, and offer what waits by the leaves of the tree."""
        relevant = visit.page is not None and self.is_relevant(visit)
        here, via = visit.candidate.url, visit.candidate.via
        path = self._paths.get(via.source, Path()) if via else Path()
        self._paths[here] = Path(path.pages + 1, path.relevant + relevant, 0 if relevant else path.since + 1)
        counted = self._hosts.setdefault(host_of(here), [0, 0])
        self._hosts[host_of(here)] = [counted[0] + relevant, counted[1] + 1]
        if here in self._known:
            self._samples.append((self._known.pop(here), float(relevant)))
        new = self._waiting.meet(visit)
        for link in new:
            self._known[link.target] = self.features(link, visit.guidance, relevant)
        if len(self._samples) % REFIT == 0 and self._samples:
            x, y = np.array([x for x, _ in self._samples]), np.array([y for _, y in self._samples])
            self._tree = grown(x, y)
            return list(self._waiting.offers(list(self._waiting.links), self.priority))
        return list(self._waiting.offers([link.target for link in new], self.priority))

    def features(self, link: Link, score: float, relevant: bool) -> list[float]:
        """Return x(u) of a link of a page with that score."""
        path, (hits, pages) = self._paths[link.source], self._hosts.get(host_of(link.target), [0, 0])
        said = [len(self._words.keys() & {*each}) for each in (tokens(link.target), words(link.anchor))]
        ratio = path.relevant / path.pages
        return [
            float(relevant),
            ratio,
            1 / (1 + path.since),
            *map(float, said),
            (hits + 1) / (pages + 2),
            score,
        ]

    def priority(self, url: Url) -> float:
        """Return the value of its leaf; the links of one leaf stand in random order."""
        return value_of(self._tree, self._known[url])[0] + 1e-6 * self._dice.random()


def grown(x: Matrix, y: Matrix, depth: int = 0, number: int = 1) -> Tree:
    """Return the tree of samples."""
    best: tuple[float, int, float] = (1e-12, -1, 0.0)
    for feature in range(x.shape[1]) if len(y) >= 2 * LEAST and depth < DEPTH else ():
        for value in np.unique(x[:, feature])[:-1]:
            left = x[:, feature] <= value
            if LEAST <= left.sum() <= len(y) - LEAST:
                gain = y.var() - (left.mean() * y[left].var() + (~left).mean() * y[~left].var())
                best = max(best, (float(gain), feature, float(value)))
    _, feature, value = best
    if feature < 0:
        return (float(y.mean()), number)
    left = x[:, feature] <= value
    sides = [grown(x[side], y[side], depth + 1, 2 * number + add) for add, side in enumerate((left, ~left))]
    return (feature, value, sides[0], sides[1])


def value_of(tree: Tree, x: list[float]) -> Leaf:
    """Return the leaf that a sample falls into: its value and number."""
    while len(tree) == 4:
        feature, value, left, right = tree
        tree = left if x[feature] <= value else right
    return tree
