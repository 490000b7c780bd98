"""Which pages are looked at next: those whose interval has run furthest, and those a trusted hint names."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thresher.revisit.evidence import Evidence
from thresher.revisit.policies import DEFAULT, JITTER, POLICIES, Pages
from thresher.revisit.watched import DAY, Standing

Column = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST = 0.01  # weight of a page that is not relevant at all: it may become so
GIVEN_UP = 0.05  # of its weight keeps a page that vanished, broke or moved
STILL = 0.25  # of its visits keeps a page of which a trusted sitemap says that nothing changed
LEAST_SHARE = 0.1  # of the budget goes to looks, and to discovery if there is any to make


@dataclass
class WatchTable:
    """All pages under watch, in columns; moments are seconds since the epoch."""

    keys: Integers
    hosts: Integers  # any numbers that tell hosts apart
    sections: Integers
    last: Column
    evidence: Evidence
    relevance: Column
    brought: Column
    hinted: Column
    standing: Integers
    trusted: Integers = field(default_factory=lambda: np.empty(0, np.int64))  # hosts whose dates are right

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.keys)

    def weights(self) -> Column:
        """Return what a fresh copy of each page is worth: its relevance, and what it leads to."""
        worth = np.maximum(LEAST, self.relevance + self.brought / (self.evidence.looks + 1))
        return np.where(self.standing == Standing.ALIVE, worth, GIVEN_UP * worth)


@dataclass(frozen=True)
class Chosen:
    """The pages to look at, most urgent first, and what each look is expected to find."""

    rows: Integers
    values: Column


def choose(
    table: WatchTable, now: float, budget: float, ahead: float, count: int, policy: str = DEFAULT
) -> Chosen:
    """Return as many pages as may be looked at in the seconds ahead, for a budget of visits a day.

    A page seen in the future, because a clock was wrong, counts as seen now: nothing is lost, and nothing
    comes due all at once.
    """
    groups = tuple(np.unique(codes, return_inverse=True)[1] for codes in (table.hosts, table.sections))
    pages = Pages(table.evidence, table.weights(), groups)
    age = (np.maximum(0.0, now - table.last) + ahead) / DAY
    visits = _hinted(table, POLICIES[policy](pages, budget))
    phase = np.where(_announced(table), np.inf, age * visits / _spread(table))
    count = min(count, len(table))
    rows = np.argpartition(-phase, count - 1)[:count] if count else np.empty(0, np.int64)
    rows = rows[np.lexsort((table.keys[rows], -phase[rows]))]
    values = pages.weights[rows] * -np.expm1(-pages.rates[rows] * age[rows])
    return Chosen(rows, values)


def split(values: Column, count: int, discovery: float, waiting: int) -> int:
    """Return how many of the requests go to looks: those that find more than a new page is expected to."""
    if not waiting:
        return count
    least = max(1, round(LEAST_SHARE * count))
    worth = int(np.count_nonzero(values[:count] > discovery))
    return min(max(least, worth), max(least, count - min(waiting, least)))


def _announced(table: WatchTable) -> NDArray[np.bool_]:
    """Tell which pages have changed by the word of a host whose word was right before."""
    return np.isin(table.hosts, table.trusted) & (table.hinted > table.last)


def _hinted(table: WatchTable, visits: Column) -> Column:
    still = np.isin(table.hosts, table.trusted) & (table.hinted > 0) & (table.hinted <= table.last)
    return np.where(still, STILL * visits, visits)


def _spread(table: WatchTable) -> Column:
    """Return the factor of each page's interval: the first ends at any moment, later ones nearly alike.

    It follows from page and look alone, so that planning anew does not shuffle what was planned.
    """
    mixed = table.keys.view(np.uint64) + table.evidence.looks.astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    chance = (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53
    spread: Column = np.where(
        table.evidence.looks == 0, np.maximum(chance, 1e-3), 1.0 + JITTER * (2 * chance - 1)
    )
    return spread
