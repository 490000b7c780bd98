"""A price in words: what each piece of evidence raises or lowers it by."""

import numpy as np
from numpy.typing import NDArray

from thresher.strategies.learning.evidence import NAMES
from thresher.strategies.learning.regression import Weights

WORTH_SAYING = 5e-3  # a term of a price below this is not

IN_WORDS = {
    "parents": "how topical the pages are that mention it",
    "anchor words": "words of the topic in its anchors, or beside them on a seed",
    "anchor meaning": "how near its anchors are to the topic in meaning",
    "URL words": "words of the topic in its URL",
    "URL meaning": "how near its URL is to the topic in meaning",
    "same host": "whether its own host mentions it",
    "page": "what other links of the same page brought, beside usual ones",
    "section": "what links at the same place of such pages brought, beside usual ones",
    "host": "what its host brought, beside the others",
    "folder": "what its folder brought, beside its host",
}
"""What the numbers of a row say, for whoever does not know the model."""


def terms(evidence: NDArray[np.float64], weights: Weights | None, prior: NDArray[np.float64]) -> list[str]:
    """Return the price of a row and its terms beside a usual link, the weightiest first."""
    if weights is None:
        parts, base = evidence * prior, 0.0
    else:
        parts, base = weights.terms(evidence), weights.intercept
    order = np.argsort(-np.abs(parts), kind="stable")
    return [
        f"price {base + float(parts.sum()):.3f} = {base:.3f} for a usual link, and:",
        *(
            f"{parts[place]:+.3f} {NAMES[place]} {evidence[place]:.3f}: {IN_WORDS[NAMES[place]]}"
            for place in order.tolist()
            if abs(parts[place]) >= WORTH_SAYING
        ),
    ]
