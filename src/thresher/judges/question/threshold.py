"""From which probability on the pages of a crawl are called relevant: where the best F1 is to be expected.

    F1 to be expected of the n surest pages = 2 (the sum of their p) / (n + the sum of all p)

The best of these, F, is reached at p = F / 2 (Lipton, Elkan and Naryanaswamy 2014). So a crawl that is sure
of its pages asks more of a page than one in which nothing is sure.
"""

from collections.abc import Sequence

import numpy as np

FEWEST = 20  # pages of which that can be said
LOWEST = 0.1  # nine pages of ten would be wrong


def best_threshold(probabilities: Sequence[float], otherwise: float) -> float:
    """Return the threshold of these pages, or another if they are few."""
    if len(probabilities) < FEWEST:
        return otherwise
    surest = np.sort(np.asarray(probabilities, float))[::-1]
    expected = 2 * np.cumsum(surest) / (np.arange(1, len(surest) + 1) + surest.sum())
    return round(max(LOWEST, float(expected.max()) / 2), 2)  # as people are told of it
