"""What labels tell of a list of pages: how right it is, and where its threshold belongs.

    interval    = (k + z^2/2  -+  z sqrt(k (n - k) / n + z^2/4)) / (n + z^2)                    Wilson 1927
    right       = (PRIOR p + k) / (PRIOR + n)           the mean of a beta posterior; the prior is the judge's
    threshold   = sigmoid(logit(threshold) - (logit(right) - logit(p)))

n labels say k times yes; p is the mean probability of their pages. For the threshold only those labels count
whose pages stand near it: the odds within NEAR times its own. So labels of the surest mistakes, which a user
finds first, do not move it, and PRIOR lets a few labels move it little: "no" to one page at a threshold of
.30 moves it to .31, to five to .37, to twenty to .51.
"""

from collections.abc import Sequence
from math import exp, log, sqrt

from msgspec import Struct

from thresher.judges.question.feedback import logit

Z = 1.96  # 95 %
NEAR = 4.0  # times the odds of the threshold, either way
PRIOR = 20.0  # labels that the judge's own probability is worth
LOWEST, HIGHEST = 0.1, 0.9  # the threshold is moved no further


class Share(Struct, frozen=True):
    """How many of some pages are right, and between which shares all of their kind are (Wilson, 95 %)."""

    right: int
    asked: int
    low: float
    high: float


def share_of(right: int, asked: int, every: int) -> Share:
    """Return a share of pages drawn at random from so many; of all of them it is known exactly."""
    if asked >= every > 0:
        return Share(right, asked, right / asked, right / asked)
    if not asked:
        return Share(0, 0, 0.0, 1.0)
    middle, whole = right + Z * Z / 2, asked + Z * Z
    reach = Z * sqrt(right * (asked - right) / asked + Z * Z / 4)
    return Share(right, asked, max(0.0, middle - reach) / whole, min(whole, middle + reach) / whole)


def near(threshold: float) -> tuple[float, float]:
    """Return between which probabilities a page stands near a threshold."""
    return _sigmoid(logit(threshold) - log(NEAR)), _sigmoid(logit(threshold) + log(NEAR))


def moved_by(labels: Sequence[tuple[float, bool]], threshold: float) -> float:
    """Return the threshold as labels move it; each is the probability of a page and what the user says."""
    low, high = near(threshold)
    counted = [(p, wanted) for p, wanted in labels if low <= p <= high]
    if not counted:
        return threshold
    said = sum(p for p, _ in counted) / len(counted)
    right = (PRIOR * said + sum(wanted for _, wanted in counted)) / (PRIOR + len(counted))
    moved = _sigmoid(logit(threshold) - (logit(right) - logit(said)))
    return round(min(max(LOWEST, moved), HIGHEST), 2)


def _sigmoid(z: float) -> float:
    return 1 / (1 + exp(-z))
