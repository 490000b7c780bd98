"""The graph that a PageRank runs on: pages by number, their scores and links, and what the links say.

What is kept for the next run is a log: an entry for each page, written once. Everything else follows from it.
Ranks that take long to work out again are saved beside it now and then, each time after a quarter more pages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest

import msgspec
import numpy as np

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.strategies.ratna.pagerank import Growing, LocalPush, Numbers

SAVED = 0  # the key under which ranks are kept
FIRST_SAVED = 1_000  # pages


class Entry(msgspec.Struct, array_like=True, frozen=True):
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
    """Prices of links: the best words that lead to a page, and its rank."""

    ranks: LocalPush
    refresh: int = 64  # pages after which those whose rank has risen are named
    most: int = 8  # of them
    pages: dict[int, tuple[Url, int, float]] = field(default_factory=dict)  # fetched: URL, depth and score
    risen: list[int] = field(default_factory=list)
    _numbers: _Numbers = field(default_factory=_Numbers)
    _words: Growing = field(default_factory=Growing)
    _log: int = 0
    _due: int = FIRST_SAVED  # pages at which the ranks are saved next
    _news: list[tuple[int, bytes]] = field(default_factory=list)

    def add(
        self, url: Url, depth: int, score: float, words: Mapping[Url, float]
    ) -> Iterator[tuple[float, float]]:
        """Take in a page with the pages it links to and what the words of the links say.

        Return the price of each link before that and after it.
        """
        keys = np.fromiter(map(key_of, words), np.int64, len(words))
        said = np.fromiter(words.values(), np.float64, len(words))
        numbers = self._numbered([key_of(url), *keys.tolist()])
        before = self._priced(numbers[1:])
        entry = Entry(self._log, url, depth, score, keys.tobytes(), said.tobytes())
        self._write(key_of(url), entry, numbers)
        return zip(before, self._priced(numbers[1:]), strict=True)

    def move(self, url: Url, target: Url) -> None:
        """Let a URL and where it has moved to be one page, unless both were known."""
        if key_of(target) not in self._numbers:
            entry = Entry(self._log, url, 0, 0.0, b"", b"", key_of(target))
            self._write(key_of(url), entry, self._numbered([key_of(url)]))

    def prices(self, urls: Iterable[Url]) -> list[float]:
        """Return the price of each link: the best words that led to it, and its rank."""
        return self._priced(self._numbered(map(key_of, urls)))

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
        news, self._news = self._news, []
        return news

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

    def _priced(self, numbers: Numbers) -> list[float]:
        prices: list[float] = (self._words[numbers] + self.ranks[numbers]).tolist()
        return prices

    def _write(self, key: int, entry: Entry, numbers: Numbers) -> None:
        self._news.append((key, _encode(entry)))
        if self._read(entry, numbers) and (ranks := self.ranks.save()):
            self._news.append((SAVED, msgspec.msgpack.encode((len(self.pages), ranks))))

    def _read(self, entry: Entry, numbers: Numbers, ranked: bool = False) -> bool:
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


_encode: Callable[[Entry], bytes] = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], Entry] = msgspec.msgpack.Decoder(Entry).decode
_NOTHING_SAVED = msgspec.msgpack.encode((0, b""))
