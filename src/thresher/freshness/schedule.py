"""Which pages are looked at next: those whose interval has run furthest, and those a trusted hint names."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thresher.freshness.page_state import DAY, Availability
from thresher.freshness.policies import DEFAULT, JITTER, POLICIES, ChangeHistory, PageHistories

Column = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST = 0.01  # weight of a page that is not relevant at all: it may become so
GIVEN_UP = 0.05  # of its weight keeps a page that vanished, broke or moved
STILL = 0.25  # of its visits keeps a page of which a trusted sitemap says that nothing changed
PVALUE = "pvalue"  # every page alike, in the order of its P-value (Mali and Meshram 2011)
ORDERS = (*POLICIES, PVALUE)
BROKEN = 1e9  # what a broken link stands back: it comes last
LEAST_SHARE = 0.1  # of the budget goes to revisits, and to discovery if there is any to make


@dataclass
class WatchTable:
    """All pages under watch, in columns; moments are seconds since the epoch."""

    key: Integers
    host: Integers  # counted from zero
    section: Integers
    last: Column
    evidence: ChangeHistory
    relevance: Column
    brought: Column
    hinted: Column
    standing: Integers
    pvalue: Column = field(default_factory=lambda: np.empty(0))  # only where the order goes by it
    trusted: Integers = field(default_factory=lambda: np.empty(0, np.int64))  # hosts whose dates are right

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.key)

    def weights(self) -> Column:
        """Return what a fresh copy of each page is worth: its relevance, and what it leads to."""
        worth = np.maximum(LEAST, self.relevance + self.brought / (self.evidence.revisits + 1))
        return np.where(self.standing == Availability.ALIVE, worth, GIVEN_UP * worth)


@dataclass(frozen=True)
class Chosen:
    """The pages to look at, most urgent first, and what each revisit is expected to find."""

    rows: Integers
    values: Column


def choose(
    table: WatchTable, now: float, budget: float, ahead: float, count: int, policy: str = DEFAULT
) -> Chosen:
    """Return as many pages as may be looked at in the seconds ahead, for a budget of visits a day.

    A page seen in the future, because a clock was wrong, counts as seen now: nothing is lost, and nothing
    comes due all at once.
    """
    pages = PageHistories(table.evidence, table.weights(), (table.host, table.section))
    count = min(count, len(table))
    if not count:
        return Chosen(np.empty(0, np.int64), np.empty(0))
    wait = (
        _by_pvalue(table, now, budget)
        if policy == PVALUE
        else _by_policy(table, pages, now, budget, ahead, policy)
    )
    rows = np.argpartition(wait, count - 1)[:count]
    rows = rows[np.lexsort((table.key[rows], wait[rows]))]
    age = _age(table.last[rows], now, ahead)
    return Chosen(rows, pages.weights[rows] * -np.expm1(-pages.rates[rows] * age))


def _by_policy(
    table: WatchTable, pages: PageHistories, now: float, budget: float, ahead: float, policy: str
) -> Column:
    """Return what orders the revisits by how far intervals have run: the least come first."""
    wait = -_hinted(table, POLICIES[policy](pages, budget))
    wait *= _age(table.last, now, ahead)
    wait /= _spread(table)
    wait[_announced(table)] = -np.inf
    return wait


def _by_pvalue(table: WatchTable, now: float, budget: float) -> Column:
    """Return what orders the revisits by P-value: all pages once, broken links last, then all again."""
    seen = _age(table.last, now, 0.0) < len(table) / budget
    broken = table.standing != Availability.ALIVE
    wait: Column = np.where(broken, BROKEN, 0.0) + np.where(seen, 2 * BROKEN, 0.0) - table.pvalue
    return wait


def split(values: Column, count: int, discovery: float, waiting: int) -> int:
    """Return how many of the requests go to revisits: those that find more than a new page is expected to."""
    if not waiting:
        return count
    least = max(1, round(LEAST_SHARE * count))
    worth = int(np.count_nonzero(values[:count] > discovery))
    return min(max(least, worth), max(least, count - min(waiting, least)))


def _age(last: Column, now: float, ahead: float) -> Column:
    """Return the days since a revisit, by the end of the time ahead."""
    age = now - last
    np.maximum(age, 0.0, out=age)
    age += ahead
    age /= DAY
    return age


def _announced(table: WatchTable) -> NDArray[np.bool_]:
    """Tell which pages have changed by the word of a host whose word was right before."""
    return np.isin(table.host, table.trusted) & (table.hinted > table.last)


def _hinted(table: WatchTable, visits: Column) -> Column:
    still = np.isin(table.host, table.trusted) & (table.hinted > 0) & (table.hinted <= table.last)
    return np.where(still, STILL * visits, visits)


def _spread(table: WatchTable) -> Column:
    """Return the factor of each page's interval: the first ends at any moment, later ones nearly alike.

    It follows from page and revisit alone, so that planning anew does not shuffle what was planned.
    """
    mixed = table.evidence.revisits.astype(np.uint64)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed += table.key.view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    chance = (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53
    spread: Column = np.where(
        table.evidence.revisits == 0, np.maximum(chance, 1e-3), 1.0 + JITTER * (2 * chance - 1)
    )
    return spread
