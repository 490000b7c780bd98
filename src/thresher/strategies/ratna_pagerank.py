"""PageRank seeded with the topic, kept up to date page by page (Ratna et al. 2012, eq. 5 to 8).

s, L       the score of a page; how many pages it links to
M          M[u, v] = 1 / L(v) where page v links to u: x <- M x is eq. (7)

Sweeps     x after k sweeps from x = s, as printed: mass leaks where no link leads on, and runs in circles
LocalPush  x = s + d M x: personalised PageRank but for its scale, since the jump back to the topic, whether
           by (1 - d) or from a page without links, makes all values larger by one factor

A page that comes in changes x only where links lead from it, so the change is pushed along them: k links
far, or as far as it is worth more than `least`; what was not pushed on counts where it is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest

import msgspec
import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Url
from thresher.core.url import key_of

Numbers = NDArray[np.uint32]
Values = NDArray[np.float64]
NONE = np.empty(0, np.uint32)


class Growing:
    """A value or, with a width, a row of values for each of ever more pages; one never set is 0."""

    def __init__(self, width: int | None = None) -> None:
        """Start with room for a few."""
        self._shape = () if width is None else (width,)
        self.values: Values = np.zeros((1_024, *self._shape))

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the values of pages."""
        self.make_room(pages)
        found: Values = self.values[pages]
        return found

    def first(self, size: int) -> Values:
        """Return the values of the first pages; not a copy."""
        self.make_room(NONE, size)
        return self.values[:size]

    def set(self, page: int, value: float) -> None:
        """Set the value of one page."""
        self.make_room(NONE, page)
        self.values[page] = value

    def raise_to(self, pages: Numbers, values: Values) -> None:
        """Let each page have the larger of its value and another."""
        self.make_room(pages)
        np.maximum.at(self.values, pages, values)

    def make_room(self, pages: Numbers, page: int = 0) -> None:
        """Have a value for each of these pages."""
        needed = max(int(pages.max(initial=0)), page) + 1
        if needed > len(self.values):
            grown = np.zeros((needed + needed // 4, *self._shape))
            grown[: len(self.values)] = self.values
            self.values = grown


class Sweeps:
    """x after k sweeps, for several scores of each page at once: those of single words.

    Invariant: each level is M times the one before it, for all links there are.
    """

    def __init__(self, k: int = 1, width: int = 1) -> None:
        """Keep a level for each sweep; the one before them holds the scores of the pages that came in."""
        self._scores: dict[int, Values] = {}
        self._levels = [Growing(width) for _ in range(k)]
        self._links: dict[int, Numbers] = {}

    def add(self, page: int, scores: Values, targets: Numbers) -> None:
        """Take in a page with its scores and the distinct pages it links to."""
        for level in self._levels:
            level.make_room(targets, page)
        self._scores[page] = scores
        if len(self._levels) > 1:  # one sweep goes no further than here
            self._links[page] = targets
        changes = {page: scores}
        for level, following in zip(self._levels, (*self._levels[1:], None), strict=True):
            changes = self._sweep(changes, {page: targets}, level.values)
            if following is not None:
                changes[page] = level.values[page].copy()

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the ranks of pages."""
        return self._levels[-1][pages] if self._levels else self._own(pages.tolist())

    def first(self, size: int) -> Values:
        """Return the ranks of the first pages."""
        return self._levels[-1].first(size) if self._levels else self._own(range(size))

    def _own(self, pages: Iterable[int]) -> Values:
        """Return what pages have without any sweep: their own scores."""
        nothing = np.zeros_like(next(iter(self._scores.values()), np.zeros(1)))
        return np.array([self._scores.get(page, nothing) for page in pages])

    def _sweep(
        self, changes: dict[int, Values], new: dict[int, Numbers], following: Values
    ) -> dict[int, Values]:
        """Move changes along the links into the level that follows, and return what changed there."""
        moved: dict[int, Values] = {}
        for page, change in changes.items():
            targets = new.get(page, self._links.get(page, NONE))
            share = change / max(1, len(targets))
            following[targets] += share
            for target in targets.tolist() if len(self._levels) > 1 else ():
                moved[target] = moved[target] + share if target in moved else share
        return moved


class LocalPush:
    """x = s + d M x within `least`. Invariant: settled + unpushed satisfy it but for d M unpushed."""

    def __init__(self, damping: float = 0.85, least: float = 1e-3) -> None:
        """Push on whatever is worth more than `least`."""
        self._damping, self._least = damping, least
        self._settled, self._unpushed = Growing(), Growing()
        self._links: dict[int, Numbers] = {}
        self.pushed: dict[int, float] = {}  # pages whose targets have risen, and by how much each

    def add(self, page: int, score: float, targets: Numbers, ranked: bool = False) -> None:
        """Take in a page with its score and the distinct pages it links to, unless it is ranked already."""
        self._settled.make_room(targets, page)
        self._unpushed.make_room(targets, page)
        self._links[page] = targets
        if not ranked:
            self._unpushed.values[page] += score
            self._push_from(page)

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the ranks of pages."""
        return self._settled[pages] + self._unpushed[pages]

    def save(self) -> bytes:
        """Return everything but the links."""
        values = (self._settled.values.tobytes(), self._unpushed.values.tobytes())
        return msgspec.msgpack.encode((*values, self.pushed))

    def load(self, saved: bytes) -> None:
        """Take up what was saved."""
        settled, unpushed, self.pushed = _decode_saved(saved)
        self._settled.values = np.frombuffer(settled, np.float64).copy()
        self._unpushed.values = np.frombuffer(unpushed, np.float64).copy()

    def _push_from(self, first: int) -> None:
        """Push a page's mass on, then that of every page where too much has gathered."""
        unpushed, waiting = self._unpushed.values, deque([first])
        while waiting:
            page = waiting.popleft()
            mass, targets = unpushed[page], self._links[page]
            unpushed[page] = 0.0
            self._settled.values[page] += mass
            if not len(targets):
                continue
            share = self._damping * mass / len(targets)
            before = unpushed[targets]
            unpushed[targets] = before + share
            self.pushed[page] = self.pushed.get(page, 0.0) + float(share)
            risen = targets[(abs(before) <= self._least) & (abs(before + share) > self._least)]
            waiting.extend(each for each in risen.tolist() if each in self._links)


_decode_saved = msgspec.msgpack.Decoder(tuple[bytes, bytes, dict[int, float]]).decode


# The graph that a PageRank runs on: pages by number, their scores and links, and what the links say.
#
# What is kept for the next run is a log: an entry for each page, written once. Everything else follows from
# it. Ranks that take long to work out again are saved beside it now and then, each time after a quarter more
# pages.


SAVED = 0  # the key under which ranks are kept
FIRST_SAVED = 1_000  # pages


class GraphEntry(msgspec.Struct, array_like=True, frozen=True):
    """A page with its score, its links and what the words of each say; or where a URL has moved to."""

    number: int  # in the log
    url: Url
    depth: int
    score: float
    targets: bytes  # 64-bit keys
    words: bytes
    moved_to: int | None = None


class _Numbers(dict[int, int]):
    """A number for each key, in the order in which they are first asked for."""

    def __missing__(self, key: int) -> int:
        number = self[key] = len(self)
        return number


@dataclass
class LinkGraph:
    """Priorities of links: the best words that lead to a page, and its rank."""

    ranks: LocalPush
    refresh: int = 64  # pages after which those whose rank has risen are named
    most: int = 8  # of them
    pages: dict[int, tuple[Url, int, float]] = field(default_factory=dict)  # fetched: URL, depth and score
    risen: list[int] = field(default_factory=list)
    _numbers: _Numbers = field(default_factory=_Numbers)
    _words: Growing = field(default_factory=Growing)
    _log: int = 0
    _due: int = FIRST_SAVED  # pages at which the ranks are saved next
    _unsaved: list[tuple[int, bytes]] = field(default_factory=list)

    def add(
        self, url: Url, depth: int, score: float, words: Mapping[Url, float]
    ) -> Iterator[tuple[float, float]]:
        """Take in a page with the pages it links to and what the words of the links say.

        Return the priority of each link before that and after it.
        """
        keys = np.fromiter(map(key_of, words), np.int64, len(words))
        said = np.fromiter(words.values(), np.float64, len(words))
        numbers = self._numbered([key_of(url), *keys.tolist()])
        before = self._prioritised(numbers[1:])
        entry = GraphEntry(self._log, url, depth, score, keys.tobytes(), said.tobytes())
        self._write(key_of(url), entry, numbers)
        return zip(before, self._prioritised(numbers[1:]), strict=True)

    def move(self, url: Url, target: Url) -> None:
        """Let a URL and where it has moved to be one page, unless both were known."""
        if key_of(target) not in self._numbers:
            entry = GraphEntry(self._log, url, 0, 0.0, b"", b"", key_of(target))
            self._write(key_of(url), entry, self._numbered([key_of(url)]))

    def priorities(self, urls: Iterable[Url]) -> list[float]:
        """Return the priority of each link: the best words that led to it, and its rank."""
        return self._prioritised(self._numbered(map(key_of, urls)))

    def words_of(self, url: Url) -> float:
        """Return what the best words that led to a URL say."""
        return float(self._words[self._numbered([key_of(url)])][0])

    def rank_of(self, url: Url) -> float:
        """Return the rank of a URL."""
        return float(self.ranks[self._numbered([key_of(url)])][0])

    def score_of(self, url: Url) -> float | None:
        """Return the score of a page, or None if it was not fetched."""
        page = self.pages.get(self._numbers.get(key_of(url), -1))
        return page[2] if page else None

    def changes(self) -> list[tuple[int, bytes]]:
        """Return the entries written since this was last asked."""
        unsaved, self._unsaved = self._unsaved, []
        return unsaved

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up the log of an earlier run; pages that the saved ranks know of are not ranked again."""
        values = dict(entries)
        known, saved = msgspec.msgpack.decode(values.pop(SAVED, _NOTHING_SAVED))
        log = [(_decode(value), key) for key, value in values.items()]
        for entry, key in sorted(log, key=lambda pair: pair[0].number):
            numbers = self._numbered([key, *np.frombuffer(entry.targets, np.int64).tolist()])
            self._read(entry, numbers, ranked=len(self.pages) < known)
            if saved and len(self.pages) == known:
                self.ranks.load(saved)
                saved = b""

    def _prioritised(self, numbers: Numbers) -> list[float]:
        priorities: list[float] = (self._words[numbers] + self.ranks[numbers]).tolist()
        return priorities

    def _write(self, key: int, entry: GraphEntry, numbers: Numbers) -> None:
        self._unsaved.append((key, _encode(entry)))
        if self._read(entry, numbers) and (ranks := self.ranks.save()):
            self._unsaved.append((SAVED, msgspec.msgpack.encode((len(self.pages), ranks))))

    def _read(self, entry: GraphEntry, numbers: Numbers, ranked: bool = False) -> bool:
        """Take in an entry; its page and its targets have these numbers. Tell whether to save the ranks."""
        self._log = entry.number + 1
        number, targets = int(numbers[0]), numbers[1:]
        if entry.moved_to is not None:
            self._numbers[entry.moved_to] = number
            return False
        self._words.raise_to(targets, np.frombuffer(entry.words, np.float64))
        self.pages[number] = (entry.url, entry.depth, entry.score)
        distinct = dict.fromkeys(targets.tolist())  # two names of one page may have become one
        self.ranks.add(number, entry.score, np.array([*distinct], np.uint32), ranked)
        if len(self.pages) % self.refresh == 0 and not ranked:
            self.risen = self._name_risen()
        due = len(self.pages) == self._due
        self._due += self._due // 4 if due else 0
        return due

    def _name_risen(self) -> list[int]:
        """Return the pages that have pushed most to each of their targets since this was last asked."""
        pushed = self.ranks.pushed
        best = nlargest(self.most, pushed.items(), key=lambda item: (item[1], -item[0]))
        pushed.clear()
        return [number for number, _ in best]

    def _numbered(self, keys: Iterable[int]) -> Numbers:
        return np.array([*map(self._numbers.__getitem__, keys)], np.uint32)


_encode: Callable[[GraphEntry], bytes] = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], GraphEntry] = msgspec.msgpack.Decoder(GraphEntry).decode
_NOTHING_SAVED = msgspec.msgpack.encode((0, b""))
