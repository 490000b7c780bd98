"""What groups of links have yielded: of a host, a folder, a page, a section of pages.

    yield(group) = (sum of labels + a * prior) / (visits + a)

A group that was seldom visited is taken for what stands above it: a folder for its host, a host for its
domain, a domain for the whole crawl.
"""

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url
from thresher.core.url import host_of, registered_domain

Numbers = NDArray[np.signedinteger]
Floats = NDArray[np.float64]

STRENGTH = 4.0  # visits that the prior of a group counts for


class Tally:
    """Groups by their number, with the sum of the labels found in each and how many there were."""

    def __init__(self) -> None:
        """Start with room for some groups; more is made as they come."""
        self._numbers: dict[str | int, int] = {}
        self._names: list[str | int] = []
        self.changed: set[int] = set()
        self.sums: Floats = np.zeros(1024)
        self.counts: Floats = np.zeros(1024)

    def number(self, name: str | int) -> int:
        """Return the number of a group, a new one if nobody has met it."""
        known = self._numbers.get(name)
        if known is None:
            known = len(self._names)
            self.put(known, name, 0.0, 0.0)
            self.changed.add(known)
        return known

    def name(self, number: int) -> str | int:
        """Return what a group is called."""
        return self._names[number]

    def put(self, number: int, name: str | int, total: float, count: float) -> None:
        """Set what is known of a group."""
        while number >= len(self._names):
            self._names.append("")
        while number >= len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        self._numbers[name], self._names[number] = number, name
        self.sums[number], self.counts[number] = total, count

    def add(self, number: int, label: float, visits: int = 1) -> None:
        """Count one visit to a group, or none but a correction."""
        self.sums[number] += label
        self.counts[number] += visits
        self.changed.add(number)

    def means(self, numbers: Numbers, prior: Floats | float) -> Floats:
        """Return the yield of groups, drawn towards their priors."""
        total, visits = self.sums.take(numbers), self.counts.take(numbers)
        total += STRENGTH * prior
        visits += STRENGTH
        total /= visits
        return total


def places_of(url: Url) -> tuple[str, str, str]:
    """Return the groups a URL belongs to: domain, host, first folder; what is in no folder has its host's."""
    host = host_of(url)
    folder, slash, _ = url[len(host) + 1 :].partition("?")[0].partition("/")
    return registered_domain(url), host, f"{host}/{folder}" if slash else host
