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

import numpy as np
from numpy.typing import NDArray

from thresher.revisit.allocation import binary, harmonic
from thresher.revisit.evidence import Evidence
from thresher.revisit.rates import believed_rates

Column = NDArray[np.float64]
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
