"""Classifiers of pages as guides (Pant and Srinivasan 2005, Learning to crawl, TOIS 23(4)).

The crawl is a best-first search; a link is worth what a classifier says of the page it stands on.

    priority(u) = Pr(+ | p),  p links to u; of several pages the best
naive Bayes     Pr(+ | p) ~ Pr(+) prod_t Pr(t | +)^n(t, p), counts with one added
linear SVM      Pr(+ | p) = 1 / (1 + exp(-(w x + b))),  x the TF-IDF of p, of length 1;
                w, b least for  C sum_i max(0, 1 - y_i (w x_i + b)) + |w|^2 / 2, by subgradients (Pegasos)

Holes: the text was not at hand beyond its abstract, which names the schemes, the best-first search and the
skewed posteriors of naive Bayes. There the classifiers learn before the crawl from pages of a directory and
from seeds; here there is no such set, so they learn from the pages of the crawl as its judge labels them, and
again at every REFIT pages. Before both labels were seen a link is worth the judge's score of its page, which
is best-first. The form of the counts, C and the steps are ours.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, fsum, log, sqrt

from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher.strategies.base import follow_all
from thresher_lab.contenders.waiting import Bag, NaiveBayes

REFIT = 25  # pages
EPOCHS = 10
REGULAR = 0.01  # lambda of Pegasos: 1 / (C n)


@dataclass
class ClassifierGuide(Strategy):
    """Follow the links of the pages that a classifier calls relevant."""

    needs = Needs(context=False, place=False, words=True)
    defaults = Defaults(default_judge_in_lab=True)

    _pages: list[tuple[Bag, bool]] = field(default_factory=list)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Learn from the page, and offer its links at what the classifier says of it."""
        if visit.page is None:
            return []
        bag = Counter(visit.words)
        self._pages.append((bag, self.is_relevant(visit)))
        self.learn(*self._pages[-1])
        return follow_all(visit, self.posterior(bag) if self.knows() else visit.guidance)

    def knows(self) -> bool:
        """Tell whether pages of both kinds were seen."""
        return len({label for _, label in self._pages}) > 1

    def learn(self, bag: Bag, label: bool) -> None:
        """Take in a page."""
        raise NotImplementedError

    def posterior(self, bag: Bag) -> float:
        """Return Pr(+ | p)."""
        raise NotImplementedError


@dataclass
class NaiveBayesGuide(ClassifierGuide):
    """Follow the links of the pages that naive Bayes calls relevant."""

    model: NaiveBayes = field(default_factory=NaiveBayes)

    @override
    def learn(self, bag: Bag, label: bool) -> None:
        self.model.learn(bag, int(label))

    @override
    def posterior(self, bag: Bag) -> float:
        return self.model.probabilities(bag)[1]


@dataclass
class SvmGuide(ClassifierGuide):
    """Follow the links of the pages that a linear support vector machine calls relevant."""

    weights: dict[str, float] = field(default_factory=dict)
    bias: float = 0.0
    _frequency: Counter[str] = field(default_factory=Counter)

    @override
    def learn(self, bag: Bag, label: bool) -> None:
        self._frequency.update(bag.keys())
        if self.knows() and (not self.weights or len(self._pages) % REFIT == 0):
            self._fit()

    @override
    def posterior(self, bag: Bag) -> float:
        margin = self._margin(self._vector(bag))
        return 1 / (1 + exp(-max(-30.0, min(30.0, margin))))

    def _margin(self, vector: Mapping[str, float]) -> float:
        return fsum(self.weights.get(word, 0.0) * value for word, value in vector.items()) + self.bias

    def _vector(self, bag: Bag) -> dict[str, float]:
        """Return TF-IDF of length 1."""
        size = len(self._pages) + 1
        raw = {word: n * log(size / (self._frequency[word] or 1)) for word, n in bag.items()}
        length = sqrt(fsum(value * value for value in raw.values())) or 1.0
        return {word: value / length for word, value in raw.items()}

    def _fit(self) -> None:
        """Take subgradient steps over the pages in their order, a label weighing as much as the other."""
        vectors = [(self._vector(bag), 1.0 if label else -1.0) for bag, label in self._pages]
        positive = sum(sign > 0 for _, sign in vectors)
        share = {1.0: 0.5 / positive, -1.0: 0.5 / (len(vectors) - positive)}
        self.weights, self.bias, step = {}, 0.0, 0
        scale = 1.0  # weights are scale * kept
        for _ in range(EPOCHS):
            for vector, sign in vectors:
                step += 1
                rate = 1 / (REGULAR * (step + len(vectors)))
                short = sign * (scale * self._margin_of(vector) + self.bias) < 1
                scale *= 1 - rate * REGULAR
                if short:
                    push = rate * sign * share[sign] * len(vectors)
                    self.bias += push * REGULAR
                    for word, value in vector.items():
                        self.weights[word] = self.weights.get(word, 0.0) + push * value / scale
        self.weights = {word: scale * value for word, value in self.weights.items()}

    def _margin_of(self, vector: Mapping[str, float]) -> float:
        return fsum(self.weights.get(word, 0.0) * value for word, value in vector.items())
