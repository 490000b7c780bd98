"""Jamali's tables: pages that were fetched, with their links to and from seeds counted as they come.

A count changes only where a seed was added, so a rank is never looked for: each new rank is pushed on a heap,
and an old one is skipped when it comes up.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import msgspec

from thresher.core.enums import Outcome
from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Url, Visit
from thresher.core.url import key_of
from thresher.strategies.base import links_of


class Known(msgspec.Struct, array_like=True):
    """A page that was fetched; a seed is one that was promoted."""

    url: Url
    number: int  # in the order of fetching
    depth: int
    given: bool  # by the user
    links_to: int  # how many seeds it links to
    links_from: int  # how many seeds link to it
    similarity: float = 0.0
    promoted: bool = False
    counted: int = 0  # the last promotion whose link to it was counted: one page counts once

    @property
    def links(self) -> int:
        """How many links connect it with seeds."""
        return self.links_to + self.links_from


@dataclass
class Candidates:
    """Seeds and candidates by the key of their URL, and which URL a redirect led to."""

    promotions: int = 0
    given: "deque[int]" = field(default_factory=deque)  # the user's seeds that are not promoted yet
    _known: dict[int, Known] = field(default_factory=dict)
    _moved: dict[int, tuple[Url, Url]] = field(default_factory=dict)  # key of a URL: itself and its target
    _names: dict[int, list[Url]] = field(default_factory=dict)  # key of a target: the URLs that lead there
    _heap: list[tuple[float, int, int]] = field(default_factory=list)
    _risen: set[int] = field(default_factory=set)  # keys whose rank is not on the heap yet
    _changed: set[int] = field(default_factory=set)

    def pages(self) -> Iterator[Known]:
        """Yield every page in the order of fetching."""
        return iter(self._known.values())

    def find(self, url: Url) -> Known | None:
        """Return what is known of a page."""
        return self._known.get(self._resolved(key_of(url)))

    def judge(self, url: Url, similarity: float) -> None:
        """Set what the words of a page are worth."""
        key = key_of(url)
        self._known[key].similarity = similarity
        self._change(key)

    def add(self, visit: Visit, similarity: float) -> None:
        """Take in a page, or where a URL has moved to."""
        candidate = visit.candidate
        if visit.outcome is Outcome.MOVED and visit.onward:
            self._follow(candidate.url, visit.onward.url)
        key = key_of(candidate.url)
        if visit.page is None or key in self._known:
            return
        targets = {self._resolved(key_of(link.target)) for link in links_of(visit)}
        links_to = sum(target in self._known and self._known[target].promoted for target in targets)
        given = candidate.via is None
        page = Known(
            candidate.url, len(self._known), candidate.depth, given, links_to, int(not given), similarity
        )
        page.counted = self.promotions
        self._known[key] = page
        self._change(key)
        if given:
            self.given.append(key)

    def take(self, rank: Callable[[Known], float]) -> Known | None:
        """Return the next to be promoted: the user's seeds in their order, then the best by rank."""
        if self.given:
            return self._known[self.given.popleft()]
        for key in sorted(self._risen):
            page = self._known[key]
            heappush(self._heap, (-rank(page), page.number, key))
        self._risen.clear()
        while self._heap:
            price, _, key = heappop(self._heap)
            page = self._known[key]
            if not page.promoted and -rank(page) == price:
                return page
        return None

    def promote(self, page: Known, rank: float, memory: Memory) -> list[Candidate]:
        """Make a page a seed: its links count from now on; return those to pages that were not fetched."""
        page.promoted = True
        self.promotions += 1
        self._changed.add(key_of(page.url))
        for source in self._sources(page.url, memory):
            self._count_to(source)
        offers = []
        for link in memory.outlinks(page.url):
            target = self._resolved(key_of(link.target))
            if target in self._known:
                self._count_from(target)
            else:
                offers.append(Candidate(link.target, rank, link, depth=page.depth + 1))
        return offers

    def changes(self) -> list[tuple[int, bytes]]:
        """Return the entries that are new or have changed."""
        changed = [(key, _encode(self._known.get(key) or self._moved[key])) for key in sorted(self._changed)]
        self._changed.clear()
        return changed

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up the entries of an earlier run."""
        pages = []
        for key, value in entries:
            entry = msgspec.msgpack.decode(value)
            if len(entry) == 2:
                self._moved[key] = (entry[0], entry[1])
                self._names.setdefault(key_of(entry[1]), []).append(entry[0])
            else:
                pages.append((key, msgspec.convert(entry, Known)))
        for key, page in sorted(pages, key=lambda pair: pair[1].number):
            self._known[key] = page
            if page.given and not page.promoted:
                self.given.append(key)
        self._risen.update(key for key, page in self._known.items() if not page.promoted)

    def _follow(self, url: Url, target: Url) -> None:
        """Remember a redirect; a page that was fetched before has one more link from the last seed."""
        key = key_of(url)
        self._moved[key] = (url, target)
        self._names.setdefault(key_of(target), []).append(url)
        self._changed.add(key)
        if (final := self._resolved(key)) in self._known:
            self._count_from(final)

    def _count_to(self, source: Url) -> None:
        key = key_of(source)
        if key in self._known and not self._known[key].promoted:
            self._known[key].links_to += 1
            self._change(key)

    def _count_from(self, key: int) -> None:
        page = self._known[key]
        if not page.promoted and page.counted < self.promotions:
            page.counted = self.promotions
            page.links_from += 1
            self._change(key)

    def _change(self, key: int) -> None:
        self._changed.add(key)
        self._risen.add(key)

    def _sources(self, url: Url, memory: Memory) -> Sequence[Url]:
        """Return the pages that link to a page under any of its names."""
        names, waiting = {url: None}, [url]
        while waiting:
            fresh = [name for name in self._names.get(key_of(waiting.pop()), ()) if name not in names]
            names.update(dict.fromkeys(fresh))
            waiting += fresh
        return list(dict.fromkeys(source for name in names for source in memory.sources(name)))

    def _resolved(self, key: int) -> int:
        """Return the key of the page a URL leads to, past its redirects."""
        for _ in range(10):
            if key in self._known or key not in self._moved:
                break
            key = key_of(self._moved[key][1])
        return key


_encode = msgspec.msgpack.Encoder().encode
