"""Revisit policies on a simulated web: how fresh each keeps it, against one that knows the true rates."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.experiments.changing_web import ChangingWeb
from thresher.freshness.policies import POLICIES, Evidence, Pages, Policy, harmonic, jitter

Column = NDArray[np.float64]
Codes = NDArray[np.int64]

CLAIRVOYANT = "clairvoyant"
STEPS = 20  # of a day: each spends its part of the budget, then the web is looked at
MEASURED = (40.0, 60.0)  # days whose mean counts: before, policies are still learning
HARMONIC = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, 5001))])


class Kept(Struct, frozen=True):
    """How well one policy kept a web, as means over the days that count, weighted by relevance."""

    policy: str
    budget: float  # visits a page and day
    staleness: float  # 1 + 1/2 + ... + 1/k at k unseen changes
    freshness: float  # share of pages as they are
    age: float  # days since the first unseen change
    wasted: float  # share of visits that found nothing new
    by_day: tuple[float, ...]  # staleness of each day


def keep(web: ChangingWeb, name: str, budget: float, seed: int = 1) -> Kept:
    """Let a policy spend its budget on a web for all its days."""
    return _Keeping(web, name, budget, seed).run()


def keep_all(web: ChangingWeb, budgets: Sequence[float], seed: int = 1) -> list[Kept]:
    """Let every policy, and the one that knows the rates, keep a web at every budget."""
    return [keep(web, name, budget, seed) for budget in budgets for name in (CLAIRVOYANT, *POLICIES)]


class _Keeping:
    """One policy at work. Only the clairvoyant is made from the web's rates."""

    def __init__(self, web: ChangingWeb, name: str, budget: float, seed: int) -> None:
        self.web, self.name, self.budget = web, name, budget
        self.dice = np.random.default_rng(seed)
        self.evidence = Evidence.none(len(web))
        self.policy: Policy = _clairvoyant(web) if name == CLAIRVOYANT else POLICIES[name]
        self.seen = np.zeros(len(web))  # the day of the last visit: all pages were crawled on day 0
        self.known = np.zeros(len(web), np.int64)  # changes until then
        self.factors = self.dice.random(len(web))  # the first intervals end at any moment
        self.credit = 0.0
        self.visits = self.found = 0
        self.rows: list[tuple[float, float, float, float]] = []

    def run(self) -> Kept:
        ends = np.arange(1, int(self.web.days * STEPS) + 1) / STEPS
        for step, changes in enumerate(self.web.changes_by(ends)):
            if step % STEPS == 0:
                pages = Pages(self.evidence, self.web.weights, (self.web.hosts, self.web.sections))
                self.rates = self.policy(pages, self.budget * len(self.web))
            self._visit(ends[step], changes)
            self._measure(ends[step], changes)
        return self._sum_up()

    def _visit(self, day: float, changes: Codes) -> None:
        """Visit those whose interval has run furthest, as many as the budget allows."""
        self.credit += self.budget * len(self.web) / STEPS
        count, self.credit = int(self.credit), self.credit % 1.0
        phase = (day - self.seen) * self.rates / self.factors
        pages = np.argpartition(-phase, count)[:count]
        changed = changes[pages] > self.known[pages]
        self.evidence.add(pages, day - self.seen[pages], changed)
        self.seen[pages], self.known[pages] = day, changes[pages]
        self.factors[pages] = jitter(count, self.dice)
        if day > MEASURED[0]:
            self.visits += count
            self.found += int(changed.sum())

    def _measure(self, day: float, changes: Codes) -> None:
        unseen = changes - self.known
        age = np.where(unseen > 0, day - np.minimum(self.web.day_of(self.known), day), 0.0)
        weights = self.web.weights / self.web.weights.sum()
        price = HARMONIC[np.minimum(unseen, len(HARMONIC) - 1)]
        self.rows.append((day, float(weights @ price), float(weights @ (unseen == 0)), float(weights @ age)))

    def _sum_up(self) -> Kept:
        rows = np.array(self.rows)
        counted = rows[(rows[:, 0] > MEASURED[0]) & (rows[:, 0] <= MEASURED[1])]
        staleness, fresh, age = counted[:, 1:].mean(axis=0)
        by_day = rows[:, 1].reshape(-1, STEPS).mean(axis=1)
        wasted = 1 - self.found / max(1, self.visits)
        return Kept(self.name, self.budget, staleness, fresh, age, wasted, tuple(by_day.tolist()))


def _clairvoyant(web: ChangingWeb) -> Policy:
    """Return the harmonic allocation of the true mean rates: it knows rates, not times."""
    best: dict[float, Column] = {}

    def visits(pages: Pages, budget: float) -> Column:
        if budget not in best:
            best[budget] = harmonic(web.rates, pages.weights, budget).visits
        return best[budget]

    return visits
