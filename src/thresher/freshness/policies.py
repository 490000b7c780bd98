"""The policies: how many visits a day each page gets, from what its visits have shown.

fixed         every page alike
proportional  as often as a page changes; the classic mistake, kept to show it
adaptive      an interval for each page that grows while nothing changes and shrinks when something did
binary        most pages fresh at any moment; gives up those that change too fast
harmonic      least harmonic staleness: ours
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.freshness.rates import Evidence, believed_rates

Column = NDArray[np.float64]

STEPS = 200
EXACT = 1e-9  # of the budget


class Allocation(NamedTuple):
    """Visits a day for each page, and what one more is worth."""

    visits: Column
    marginal: float


def harmonic(rates: Column, weights: Column, budget: float) -> Allocation:
    """Return rho = (-lambda + sqrt(lambda^2 + 4 mu lambda / Lambda)) / 2: least harmonic staleness.

    The price of a page with k unseen changes is 1 + 1/2 + ... + 1/k, so no page is ever given up.
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


Codes = NDArray[np.int64]

DEFAULT = "harmonic"
JITTER = 0.1  # of an interval, so that pages seen together drift apart


@dataclass(frozen=True)
class Pages:
    """What a policy may know: what visits have shown, what pages are worth, and which belong together."""

    evidence: Evidence
    weights: Column
    groups: Sequence[Codes] = ()  # host, then section of the host

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.weights)

    @cached_property
    def rates(self) -> Column:
        """The changes a day that the visits make us believe in."""
        return believed_rates(self.evidence, self.groups)


Policy = Callable[[Pages, float], Column]
"""Returns visits a day for each page; the budget is visits a day for all of them."""


def _fixed(pages: Pages, budget: float) -> Column:
    return np.full(len(pages), budget / max(1, len(pages)))


def _proportional(pages: Pages, budget: float) -> Column:
    rates = pages.rates
    return rates * (budget / float(rates.sum()))


def _adaptive(pages: Pages, budget: float) -> Column:
    return 1.0 / pages.evidence.interval


def _binary(pages: Pages, budget: float) -> Column:
    return binary(pages.rates, pages.weights, budget).visits


def _harmonic(pages: Pages, budget: float) -> Column:
    return harmonic(pages.rates, pages.weights, budget).visits


POLICIES: dict[str, Policy] = {
    "harmonic": _harmonic,
    "binary": _binary,
    "adaptive": _adaptive,
    "proportional": _proportional,
    "fixed": _fixed,
}
"""Every policy by its name."""


def jitter(size: int, dice: np.random.Generator) -> Column:
    """Return factors round 1 by which intervals differ."""
    return 1.0 + JITTER * (2 * dice.random(size) - 1)
