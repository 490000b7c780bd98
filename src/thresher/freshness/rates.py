"""How often pages change, from visits at any moments that say only whether a page had changed.

    n, X        visits to a page, and those that found it changed
    tau         days between two visits
    lambda      changes a day, taken for a Poisson process
    Gamma(a, b) what is believed of lambda: its mean is a / b

Cho & Garcia-Molina, "Estimating frequency of change", ACM TOIT 3 (2003); the Gamma-Poisson form is the
usual conjugate pair, its censored observations (changed: once or more) filled in by expectation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise

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


Codes = NDArray[np.int64]

FASTEST = 100.0  # changes a day beyond which nothing can be told apart
FIRST = (0.6, 6.0)  # belief before the first visit: a tenth of a change a day, give or take much
PARENT = 4.0  # pages that the group above counts for in a group of its own
ROUNDS = 6  # of expectation and maximisation; more change the third digit
STEPS = 3  # towards the mean of a belief in each round


def believed_rates(evidence: Evidence, groups: Sequence[Codes] = ()) -> Column:
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


def _posterior(evidence: Evidence, shape: Column, rate: Column, mean: Column) -> Column:
    """Return the mean belief: unseen changes are filled in as expected under the mean at hand."""
    total = rate + evidence.days
    gap = evidence.changed_days / np.maximum(evidence.changes, 1e-9)
    for _ in range(STEPS):
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
