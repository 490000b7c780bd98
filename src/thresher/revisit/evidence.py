"""What the visits to many pages have shown, in columns: all that the estimators need to remember."""

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

FIRST_INTERVAL = 7.0  # days, of the adaptive policy
GROWTH, SHRINKAGE = 1.4, 0.6  # of its interval, at an unchanged and at a changed page: Nutch's 0.4 and 0.4
SHORTEST, LONGEST = 0.04, 365.0  # days


@dataclass
class Evidence:
    """One row for each page; intervals are days."""

    looks: Column
    changes: Column
    changed_days: Column  # the lengths of the intervals after which a page had changed
    days: Column  # the lengths of all intervals
    interval: Column = field(default_factory=lambda: np.empty(0))  # of the adaptive policy

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.looks)

    @classmethod
    def none(cls, size: int) -> "Evidence":
        """Return the evidence before the first visit."""
        looks, changes, changed_days, days = np.zeros((4, size))
        return cls(looks, changes, changed_days, days, np.full(size, FIRST_INTERVAL))

    def add(self, pages: Indices, gaps: Column, changed: Flags) -> None:
        """Take in one visit to each of some pages: the days before it, and whether it found a change."""
        self.looks[pages] += 1
        self.changes[pages] += changed
        self.changed_days[pages] += np.where(changed, gaps, 0.0)
        self.days[pages] += gaps
        factor = np.where(changed, SHRINKAGE, GROWTH)
        self.interval[pages] = np.clip(self.interval[pages] * factor, SHORTEST, LONGEST)

    def of(self, pages: Indices) -> "Evidence":
        """Return the evidence of some pages."""
        return Evidence(*(getattr(self, each.name)[pages] for each in fields(self)))
