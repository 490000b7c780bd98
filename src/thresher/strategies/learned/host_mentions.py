"""How much every host that waits is mentioned, brought up to date by the rows that changed since last asked.

Of millions of rows few change between two questions. The sums are added to and taken from in any order, so
the last digits are not to be trusted: the answer is the rows of all hosts near the greatest sum.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.strategies.learned.columns import longer

if TYPE_CHECKING:
    from thresher.strategies.learned.table import Table

Rows = NDArray[np.int64]

NEAR = 1e-6  # by how much two sums must differ to be told apart, as a share of the greater
WEIGHTS = np.concatenate([[0.0], np.log1p(np.arange((1 << 16) - 1))])  # of what was counted: mentions + 1


class HostMentions:
    """What was counted of each row, and the sums of each host."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self.touched: set[int] = set()  # rows that came, left or were mentioned again
        self._known = 0  # rows up to this one were counted at least once
        self._hosts: NDArray[np.int32] = np.zeros(0, np.int32)  # by row
        self._counted: NDArray[np.uint16] = np.zeros(0, np.uint16)  # mentions + 1 by row; 0: it does not wait
        self._sums: NDArray[np.float64] = np.zeros(0)  # by host
        self._rows: NDArray[np.int32] = np.zeros(0, np.int32)  # that wait, by host

    def greatest(self, table: "Table", may: NDArray[np.bool_]) -> Rows:
        """Return the rows that wait of the hosts mentioned most, as near as sums tell, among some."""
        self._refresh(table)
        several = min(len(may), len(self._sums))
        may = may[:several] & (self._rows[:several] > 0)
        if not may.any():
            return np.empty(0, np.int64)
        sums = np.where(may, self._sums[:several], -np.inf)
        near = sums >= sums.max() - NEAR * (1 + sums.max())
        return np.flatnonzero(near[self._hosts[: table.used]] & (self._counted[: table.used] > 0))

    def _refresh(self, table: "Table") -> None:
        """Count anew the rows that were touched, and those that were never counted."""
        if len(self._hosts) < table.used:
            self._hosts = longer(self._hosts, len(table.cells))
            self._counted = longer(self._counted, len(table.cells))
        old = np.fromiter(self.touched, np.int64, len(self.touched))
        rows = np.concatenate([old[old < self._known], np.arange(self._known, table.used)])
        self._known, self.touched = table.used, set()
        self._count(rows, -1)
        self._hosts[rows], self._counted[rows] = table.mentions_of(rows)
        self._count(rows, 1)

    def _count(self, rows: Rows, sign: int) -> None:
        """Add what rows count to the sums of their hosts, or take it from them."""
        rows = rows[self._counted[rows] > 0]
        hosts = self._hosts[rows]
        if (several := int(hosts.max(initial=-1)) + 1) > len(self._sums):
            self._sums, self._rows = longer(self._sums, 2 * several), longer(self._rows, 2 * several)
        np.add.at(self._sums, hosts, sign * WEIGHTS[self._counted[rows]])
        np.add.at(self._rows, hosts, sign)
