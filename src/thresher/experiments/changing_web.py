"""A simulated web with known change rates, of which a policy sees only what its visits find."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Codes = NDArray[np.int64]
Process = Literal["poisson", "bursty"]

MEDIAN = 0.08  # changes a day of the middle host
HOST_SPREAD, SECTION_SPREAD, PAGE_SPREAD = 1.2, 0.8, 0.6  # standard deviations of the log rate
FASTEST = 24.0  # changes a day
PARETO = 1.5  # exponent of the pauses of a bursty page: a mean, but no variance
BURN_IN = 400.0  # days before the first, so that bursty pages are in mid-life


@dataclass(frozen=True)
class ChangingWeb:
    """Pages with hosts, sections and weights. `rates` and `moments` are the simulator's own secret."""

    hosts: Codes
    sections: Codes
    weights: Column
    rates: Column
    moments: Column  # the days of all changes, page by page
    begins: Codes  # where the changes of each page begin, and at last where they end
    days: float

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.weights)

    def changes_by(self, ends: Column) -> Iterator[Codes]:
        """Yield how often each page has changed until each of some days, which must be in order."""
        pages = np.repeat(np.arange(len(self)), np.diff(self.begins))
        order = np.argsort(self.moments, kind="stable")
        pages, places = pages[order], np.searchsorted(self.moments[order], ends, side="right")
        count = np.zeros(len(self), np.int64)
        for start, end in pairwise([0, *places.tolist()]):
            count += np.bincount(pages[start:end], minlength=len(self))
            yield count

    def day_of(self, number: Codes) -> Column:
        """Return the day of one change of each page, counted from zero; infinite where there is none."""
        place = self.begins[:-1] + number
        there = place < self.begins[1:]
        return np.where(there, self.moments[np.where(there, place, 0)], np.inf)


def make_web(seed: int, pages: int = 10_000, days: float = 60.0, process: Process = "poisson") -> ChangingWeb:
    """Return a web drawn anew from the seed: hosts, sections, rates, weights and every change."""
    dice = np.random.default_rng(seed)
    hosts = _skewed(dice, pages, max(1, pages // 50))
    sections = _compact(hosts * 8 + dice.integers(0, 4, pages))
    logs = np.log(MEDIAN) + dice.normal(0, HOST_SPREAD, hosts.max() + 1)[hosts]
    logs += dice.normal(0, SECTION_SPREAD, sections.max() + 1)[sections]
    rates = np.minimum(FASTEST, np.exp(logs + dice.normal(0, PAGE_SPREAD, pages)))
    weights = dice.beta(0.8, 2.0, pages) + 0.02
    moments = _moments(dice, rates, days, process)
    begins = np.cumsum([0, *map(len, moments)])
    return ChangingWeb(hosts, sections, weights, rates, np.concatenate(moments), begins, days)


def _skewed(dice: np.random.Generator, pages: int, hosts: int) -> Codes:
    """Give most pages to few hosts, as webs do."""
    shares = 1.0 / np.arange(1, hosts + 1) ** 0.8
    return _compact(dice.choice(hosts, pages, p=shares / shares.sum()))


def _compact(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _moments(dice: np.random.Generator, rates: Column, days: float, process: Process) -> list[Column]:
    """Return the changes of every page in their order."""
    draw = _poisson if process == "poisson" else _bursty
    return [draw(dice, rate, days) for rate in rates.tolist()]


def _poisson(dice: np.random.Generator, rate: float, days: float) -> Column:
    return np.sort(dice.random(dice.poisson(rate * days)) * days)


def _bursty(dice: np.random.Generator, rate: float, days: float) -> Column:
    """Return changes with Pareto pauses between them: many at once, then long nothing."""
    span, scale = BURN_IN + days, (PARETO - 1) / rate
    pauses: list[Column] = []
    total = 0.0
    while total < span:
        some = scale * dice.pareto(PARETO, 16 + int(span * rate))
        pauses.append(some)
        total += float(some.sum())
    moments = np.cumsum(np.concatenate(pauses)) - BURN_IN
    return moments[(moments >= 0) & (moments < days)]
