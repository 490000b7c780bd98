"""A budget of visits a day, divided among pages: what each is worth, and where the last visit pays as much.

    mu      weight of a page
    lambda  changes a day
    rho     visits a day; they sum to the budget
    Lambda  what one more visit a day is worth, the same for every page that gets one

Azar et al., "Tractable near-optimal policies for crawling", PNAS 115 (2018), for binary freshness;
Kolobov et al., "Staying up to date with online content changes", NeurIPS 2019, for harmonic staleness.
"""

from collections.abc import Callable
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
