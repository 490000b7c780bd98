"""Bayesian linear regression over rows of evidence: a few hundred visits decide what counts on this web.

    w = argmin  sum over visits of (y - b - w . z)^2 + ridge * |w - prior|^2,     z = (row - mean) / spread

Mean and spread are those of the visits and of a sample of what waits: visits were chosen, so their spread
is too small. The intercept b is free, because the two have different means.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HARDLY = 1e-3  # a column that varies less has taught nothing


class Weights(Struct, frozen=True):
    """What a row is worth: a sum over its columns, and how far off that was for the visits so far."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercept: float

    def predict(self, rows: Floats) -> Floats:
        """Return the label that each row predicts."""
        return np.asarray(((rows - self.mean) / self.spread) @ self.weights + self.intercept)

    def terms(self, row: Floats) -> Floats:
        """Return what each column of a row adds to its price."""
        return np.asarray((row - self.mean) / self.spread * self.weights)

    def as_prior(self, before: Floats) -> Floats:
        """Return what each column is worth in its own unit; where it hardly varied, as it was before."""
        return np.where(self.spread > HARDLY, self.weights / self.spread, before)

    def numbers(self) -> list[list[float]]:
        """Return everything as plain numbers, which `of` takes."""
        return [self.mean.tolist(), self.spread.tolist(), self.weights.tolist(), [self.intercept]]

    @staticmethod
    def of(numbers: Sequence[Sequence[float]]) -> "Weights":
        """Return the weights of these numbers."""
        mean, spread, weights, intercept = numbers
        return Weights(np.array(mean), np.array(spread), np.array(weights), intercept[0])


def fit(rows: Floats, labels: Floats, waiting: Floats, ridge: float, prior: Floats) -> Weights:
    """Return the weights that the visits teach; `waiting` is a sample of the rows they are meant for.

    The prior is what a column is worth on the webs seen before, in its own unit.
    """
    together = np.concatenate([rows, waiting])
    mean, spread = together.mean(axis=0), together.std(axis=0) + 1e-6
    standard = (rows - mean) / spread
    centre, level = standard.mean(axis=0), float(labels.mean())
    centred = standard - centre
    matrix = centred.T @ centred + ridge * np.eye(rows.shape[1])
    before = prior * spread
    weights = before + np.linalg.solve(matrix, centred.T @ (labels - level - centred @ before))
    return Weights(mean, spread, weights, level - float(centre @ weights))
