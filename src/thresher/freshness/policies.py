"""Revisit policies: how often each page changes, and how many visits a day it gets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# How often pages change, from visits at any moments that say only whether a page had changed.
#
#     n, X        visits to a page, and those that found it changed
#     tau         days between two visits
#     lambda      changes a day, taken for a Poisson process
#     Gamma(a, b) what is believed of lambda: its mean is a / b
#
# Cho & Garcia-Molina, "Estimating frequency of change", ACM TOIT 3 (2003); the Gamma-Poisson form is the
# usual conjugate pair, its censored observations (changed: once or more) filled in by expectation.


Column = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

FIRST_INTERVAL = 7.0  # days, of the adaptive policy
GROWTH, SHRINKAGE = 1.4, 0.6  # of its interval, at an unchanged and at a changed page: Nutch's 0.4 and 0.4
SHORTEST, LONGEST = 0.04, 365.0  # days


@dataclass
class ChangeHistory:
    """One row for each page; intervals are days."""

    revisits: Column
    changes: Column
    changed_days: Column  # the lengths of the intervals after which a page had changed
    days: Column  # the lengths of all intervals
    interval: Column = field(default_factory=lambda: np.empty(0))  # of the adaptive policy

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.revisits)

    @classmethod
    def none(cls, size: int) -> "ChangeHistory":
        """Return the evidence before the first visit."""
        revisits, changes, changed_days, days = np.zeros((4, size))
        return cls(revisits, changes, changed_days, days, np.full(size, FIRST_INTERVAL))

    def add(self, pages: Indices, gaps: Column, changed: Flags) -> None:
        """Take in one visit to each of some pages: the days before it, and whether it found a change."""
        self.revisits[pages] += 1
        self.changes[pages] += changed
        self.changed_days[pages] += np.where(changed, gaps, 0.0)
        self.days[pages] += gaps
        factor = np.where(changed, SHRINKAGE, GROWTH)
        self.interval[pages] = np.clip(self.interval[pages] * factor, SHORTEST, LONGEST)

    def of(self, pages: Indices) -> "ChangeHistory":
        """Return the evidence of some pages."""
        return ChangeHistory(*(getattr(self, each.name)[pages] for each in fields(self)))


Codes = NDArray[np.int64]

FASTEST = 100.0  # changes a day beyond which nothing can be told apart
FIRST = (0.6, 6.0)  # belief before the first visit: a tenth of a change a day, give or take much
PARENT = 4.0  # pages that the group above counts for in a group of its own
ROUNDS = 6  # of expectation and maximisation; more change the third digit
BELIEF_STEPS = 3  # towards the mean of a belief in each round


def believed_rates(evidence: ChangeHistory, groups: Sequence[Codes] = ()) -> Column:
    """Return changes a day of every page, by its own visits and by what its groups are like.

    `groups` runs from the widest to the narrowest (host, then section of the host), as codes from zero.
    """
    size = len(evidence)
    kind = evidence.days.dtype  # single precision will do for millions of pages
    shape, rate = np.full(size, FIRST[0], kind), np.full(size, FIRST[1], kind)
    mean = _posterior(evidence, shape, rate, shape / rate)
    levels = [np.zeros(size, np.int64), *groups]
    for _ in range(ROUNDS):
        shape, rate = _beliefs(levels, mean, mean * (rate + evidence.days))
        mean = _posterior(evidence, shape, rate, mean)
    strength = mean * (rate + evidence.days)
    return np.minimum(FASTEST, mean * strength / (strength + 0.25))  # the square of the mean root: see docs


def _posterior(evidence: ChangeHistory, shape: Column, rate: Column, mean: Column) -> Column:
    """Return the mean belief: unseen changes are filled in as expected under the mean at hand."""
    total = rate + evidence.days
    gap = evidence.changed_days / np.maximum(evidence.changes, 1e-9)
    for _ in range(BELIEF_STEPS):
        hidden = np.maximum(1e-9, mean * gap)
        mean = (shape + evidence.changes * hidden / -np.expm1(-hidden)) / total
    return np.minimum(mean, FASTEST)


def _beliefs(levels: Sequence[Codes], mean: Column, strength: Column) -> tuple[Column, Column]:
    """Return shape and rate of what each page's narrowest group is believed to be like."""
    logs = _digamma(strength) + np.log(mean / strength)
    centre, log_centre = np.array([mean.mean()]), np.array([logs.mean()])
    for above, codes in pairwise(levels):
        count = np.bincount(codes)
        parent = np.zeros(len(count), np.int64)
        parent[codes] = above
        share = PARENT / (count + PARENT)
        average = np.bincount(codes, mean) / np.maximum(1, count)
        log_average = np.bincount(codes, logs) / np.maximum(1, count)
        centre = share * centre[parent] + (1 - share) * average
        log_centre = share * log_centre[parent] + (1 - share) * log_average
    shape = _shape(np.log(centre) - log_centre)
    narrowest = levels[-1]
    kind = mean.dtype
    return shape.astype(kind)[narrowest], (shape / centre).astype(kind)[narrowest]


def _shape(gap: Column) -> Column:
    """Return the shape of the Gamma whose log mean and mean log lie that far apart (Minka's start)."""
    gap = np.clip(gap, 0.02, 20.0)
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    return np.clip(shape, 0.2, 30.0)


def _digamma(value: Column) -> Column:
    """Return the derivative of the log of the Gamma function, to a thousandth."""
    more = value + 2
    return np.log(more) - 1 / (2 * more) - 1 / (12 * more**2) - 1 / value - 1 / (value + 1)


# The policies: how many visits a day each page gets, from what its visits have shown.
#
# fixed         every page alike
# proportional  as often as a page changes; the classic mistake, kept to show it
# adaptive      an interval for each page that grows while nothing changes and shrinks when something did
# binary        most pages fresh at any moment, if visits are at random; gives up those that change too fast
# regular       the same, if visits are evenly spaced (Cho and Garcia-Molina 2003)
# harmonic      least harmonic staleness: ours


STEPS = 200
EXACT = 1e-9  # of the budget


class Allocation(NamedTuple):
    """Visits a day for each page, and what one more is worth."""

    visits: Column
    marginal: float


def harmonic(rates: Column, weights: Column, budget: float) -> Allocation:
    """Return rho = (-lambda + sqrt(lambda^2 + 4 mu lambda / Lambda)) / 2: least harmonic staleness.

    The cost of a page with k unseen changes is 1 + 1/2 + ... + 1/k, so no page is ever given up.
    """

    def visits(marginal: float) -> Column:
        worth = weights * rates / marginal
        return 2 * worth / np.maximum(rates + np.sqrt(rates**2 + 4 * worth), 1e-30)

    return _spend(visits, budget)


def binary(rates: Column, weights: Column, budget: float) -> Allocation:
    """Return rho = max(0, sqrt(mu lambda / Lambda) - lambda): most pages fresh; the fastest are given up."""

    def visits(marginal: float) -> Column:
        return np.maximum(0.0, np.sqrt(weights * rates / marginal) - rates)

    return _spend(visits, budget)


def regular(rates: Column, weights: Column, budget: float) -> Allocation:
    """Return rho with mu g(lambda / rho) / lambda = Lambda, g(r) = 1 - (1 + r) e^-r: most pages fresh.

    Visits are evenly spaced, so a page is fresh (1 - e^-r) / r of the time. Pages of which even the first
    visit is worth less than Lambda get none.
    """

    def visits(marginal: float) -> Column:
        wanted = marginal * rates / np.maximum(weights, 1e-300)
        changes = np.interp(wanted, _G, _CHANGES)  # between two visits
        found: Column = np.where(wanted < _G[-1], rates / changes, 0.0)
        return found

    return _spend(visits, budget)


_CHANGES: Column = np.geomspace(1e-7, 40.0, 20_000)
_G: Column = -np.expm1(-_CHANGES) - _CHANGES * np.exp(-_CHANGES)


def freshness(rates: Column, visits: Column) -> Column:
    """Return the share of time each page is fresh under visits at random moments: rho / (rho + lambda)."""
    return visits / np.maximum(visits + rates, 1e-300)


def staleness(rates: Column, visits: Column) -> Column:
    """Return the mean harmonic staleness under visits at random moments: ln(1 + lambda / rho)."""
    return np.log1p(rates / np.maximum(visits, 1e-300))


def _spend(visits: Callable[[float], Column], budget: float) -> Allocation:
    """Find the marginal worth at which the visits sum to the budget; they fall as it rises.

    On logarithmic scales that curve is nearly straight: the next guess lies where a straight line through
    the two best meets the budget, and now and then in the middle.
    """
    low, high = log(1e-18), log(1e18)
    above, below = _excess(visits, low, budget), _excess(visits, high, budget)
    for step in range(STEPS):
        straight = low + (high - low) * above / max(above - below, 1e-300)
        middle = straight if step % 3 and low < straight < high else (low + high) / 2
        excess = _excess(visits, middle, budget)
        if abs(excess) < EXACT:
            break
        if excess > 0:
            low, above = middle, excess
        else:
            high, below = middle, excess
    found = visits(exp(middle))
    return Allocation(found * (budget / max(float(found.sum()), 1e-300)), exp(middle))


def _excess(visits: Callable[[float], Column], marginal: float, budget: float) -> float:
    """Return by how much the visits exceed the budget, as a logarithm."""
    return log(max(float(visits(exp(marginal)).sum(dtype=np.float64)), 1e-300) / budget)


DEFAULT = "harmonic"
JITTER = 0.1  # of an interval, so that pages seen together drift apart


@dataclass(frozen=True)
class PageHistories:
    """What a policy may know: what visits have shown, what pages are worth, and which belong together."""

    evidence: ChangeHistory
    weights: Column
    groups: Sequence[Codes] = ()  # host, then section of the host

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.weights)

    @cached_property
    def rates(self) -> Column:
        """The changes a day that the visits make us believe in."""
        return believed_rates(self.evidence, self.groups)


Policy = Callable[[PageHistories, float], Column]
"""Returns visits a day for each page; the budget is visits a day for all of them."""


def _fixed(pages: PageHistories, budget: float) -> Column:
    return np.full(len(pages), budget / max(1, len(pages)))


def _proportional(pages: PageHistories, budget: float) -> Column:
    rates = pages.rates
    return rates * (budget / float(rates.sum()))


def _adaptive(pages: PageHistories, budget: float) -> Column:
    return 1.0 / pages.evidence.interval


def _binary(pages: PageHistories, budget: float) -> Column:
    return binary(pages.rates, pages.weights, budget).visits


def _regular(pages: PageHistories, budget: float) -> Column:
    return regular(pages.rates, pages.weights, budget).visits


def _harmonic(pages: PageHistories, budget: float) -> Column:
    return harmonic(pages.rates, pages.weights, budget).visits


POLICIES: dict[str, Policy] = {
    "harmonic": _harmonic,
    "binary": _binary,
    "regular": _regular,
    "adaptive": _adaptive,
    "proportional": _proportional,
    "fixed": _fixed,
}
"""Every policy by its name."""


def jitter(size: int, dice: "np.random.Generator") -> Column:
    """Return factors round 1 by which intervals differ."""
    return 1.0 + JITTER * (2 * dice.random(size) - 1)
