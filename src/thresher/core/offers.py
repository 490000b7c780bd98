"""Offers by columns: what the links of a page have in common is kept once for all of them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload

from thresher.core.records import Candidate, Link

PORTION = 1_000  # candidates taken at a time: hardly a page has more links, but a sitemap may have 50,000


class SamePrice(Sequence[Candidate]):
    """Links offered at one price: a candidate is made where somebody looks at one, and few are new."""

    __slots__ = ("depth", "links", "priority")

    def __init__(self, links: Sequence[Link], priority: float, depth: int) -> None:
        """Take the links of a page, what each is worth, and how far they are from a seed."""
        self.links, self.priority, self.depth = links, priority, depth

    def __len__(self) -> int:
        """Return how many links are offered."""
        return len(self.links)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...

    @overload
    def __getitem__(self, place: slice) -> "SamePrice": ...

    def __getitem__(self, place: int | slice) -> "Candidate | SamePrice":
        """Return the candidate of one link, or some of the links at the same price."""
        if isinstance(place, slice):
            return SamePrice(self.links[place], self.priority, self.depth)
        link = self.links[place]
        return Candidate(link.target, self.priority, link, depth=self.depth)

    def __iter__(self) -> Iterator[Candidate]:
        """Make the candidates, one after the other."""
        priority, depth = self.priority, self.depth
        return (Candidate(link.target, priority, link, depth=depth) for link in self.links)


def portions(offers: Iterable[Candidate]) -> Iterator[Sequence[Candidate]]:
    """Yield offers in portions, those at one price unmade."""
    if isinstance(offers, SamePrice):
        yield from (offers[start : start + PORTION] for start in range(0, len(offers), PORTION))
        return
    left = iter(offers)
    while some := list(islice(left, PORTION)):
        yield some


def together(portions: Sequence[Sequence[Candidate]]) -> Sequence[Candidate]:
    """Return portions as one; a single one stays as it is."""
    return portions[0] if len(portions) == 1 else [offer for some in portions for offer in some]
