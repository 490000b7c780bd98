"""Link scores as they are now: PageRank seeded with scores whose idf changes with every page read.

score(q, d) = sum over t of tf(t, d) * idf(t) is linear in idf, and so is PR: the ranks of each word's tf are
kept beside each other, and what a URL is worth now is words(u) + sum over t of idf(t) * PR_t(u).
Since all priorities change with every page, the frontier is told of the best few only: the others wait behind
them, in the order of the priority when they were found (decision 13).
A URL that is passed over again and again is out of scope or of a host that rests: it keeps its last priority.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Page, Url
from thresher.core.url import key_of
from thresher.strategies.ratna_pagerank import Growing, Numbers, Sweeps, Values

TOLD = 16  # URLs whose priorities the frontier is told of
PASSED_OVER = 64  # pages read while a URL was told of and not fetched, after which it is left alone
LARGE = 100_000  # URLs that are ranked at every page; of more, not every time
BEHIND = 1e6  # what all others stand back
DIGITS = 12  # priorities that differ by less are equal


class TermEntry(msgspec.Struct, array_like=True, frozen=True):
    """A page with how often it has each word, its links and what the words of each say.

    Or a URL that brought none, and where it has moved to if it has.
    """

    number: int  # in the log
    url: Url
    depth: int
    frequencies: bytes
    targets: bytes  # 64-bit keys
    words: bytes
    moved_to: int | None = None


@dataclass
class CurrentPriorities:
    """What every URL that was mentioned is worth now, and which of them the frontier knows of."""

    sweeps: Sweeps
    idf: Callable[[], Values]
    pages: dict[int, tuple[Url, int, Values]] = field(default_factory=dict)  # URL, depth, frequencies
    _numbers: dict[int, int] = field(default_factory=dict)
    _keys: list[int] = field(default_factory=list)
    _words: Growing = field(default_factory=Growing)
    _source: Growing = field(default_factory=Growing)  # waiting: 1 + the page that names it; asked: -1
    _urls: dict[int, Url] = field(default_factory=dict)  # of those that wait, as far as they are known
    _told: dict[int, float] = field(default_factory=dict)
    _passed: dict[int, int] = field(default_factory=dict)
    _log: int = 0
    _unsaved: list[tuple[int, bytes]] = field(default_factory=list)

    def add(self, url: Url, depth: int, frequencies: Values, words: Mapping[Url, float]) -> None:
        """Take in a page with the pages it links to and what the words of the links say."""
        keys = np.fromiter(map(key_of, words), np.int64, len(words))
        said = np.fromiter(words.values(), np.float64, len(words))
        entry = TermEntry(self._log, url, depth, frequencies.tobytes(), keys.tobytes(), said.tobytes())
        self._write(key_of(url), entry)
        for target, number in zip(words, self._numbered(keys.tolist()).tolist(), strict=True):
            if self._source.values[number] > 0:
                self._urls.setdefault(number, target)

    def lose(self, url: Url, moved_to: Url | None = None) -> None:
        """Note that a URL brought no page; it and where it has moved to are one, unless both were known."""
        target = key_of(moved_to) if moved_to and key_of(moved_to) not in self._numbers else None
        self._write(key_of(url), TermEntry(self._log, url, 0, b"", b"", b"", target))

    def visited(self, url: Url) -> None:
        """Note that a URL waits no longer, whatever came of it, and what it was preferred to."""
        number = int(self._numbered([key_of(url)])[0])
        priority = self._told.get(number, -np.inf)
        self._leave(number)
        for other, worth in list(self._told.items()):
            if worth > priority:
                self._passed[other] = self._passed.get(other, 0) + 1
                if self._passed[other] >= PASSED_OVER:
                    self._leave(other)

    def priority_of(self, url: Url) -> tuple[float, float]:
        """Return what a URL is worth now, and how much of that is its rank."""
        rank = self.rank_of(url)
        return round(self.words_of(url) + rank, DIGITS), rank

    def words_of(self, url: Url) -> float:
        """Return what the best words that led to a URL say."""
        return float(self._words[self._numbered([key_of(url)])][0])

    def rank_of(self, url: Url) -> float:
        """Return the rank of a URL."""
        return float(self.sweeps[self._numbered([key_of(url)])][0] @ self.idf())

    def score_of(self, url: Url) -> float | None:
        """Return the score of a page as it is now, or None if it was not fetched."""
        page = self.pages.get(self._numbers.get(key_of(url), -1))
        return float(page[2] @ self.idf()) if page else None

    def offers(self, found: Iterable[tuple[Link, int]], memory: CrawlView) -> list[Candidate]:
        """Return new links behind all others, and the best that wait at what they are worth now."""
        ranks, priorities = self._now()
        new = [(self._numbers[key_of(link.target)], link, depth) for link, depth in found]
        offers = [
            self._offer(number, link.target, priorities, ranks, link, depth)
            for number, link, depth in new
            if self._source.values[number] > 0
        ]
        if len(priorities) > LARGE and len(self.pages) % (len(priorities) // LARGE + 1):
            return offers
        before = self._told
        self._told = {number: float(priorities[number]) for number in self._best(priorities)}
        changed = [number for number, priority in self._told.items() if before.get(number) != priority]
        again = [*(each for each in before if each not in self._told), *changed]
        urls = {number: url for number in again if (url := self._url(number, memory))}
        return offers + [
            self._offer(number, url, priorities, ranks, depth=self._depth(number))
            for number, url in urls.items()
        ]

    def told(self) -> dict[int, float]:
        """Return what the frontier was told, by the keys of the URLs."""
        return {self._keys[number]: priority for number, priority in self._told.items()}

    def changes(self) -> list[tuple[int, bytes]]:
        """Return the entries written since this was last asked."""
        unsaved, self._unsaved = self._unsaved, []
        return unsaved

    def restore(self, entries: Iterable[tuple[int, bytes]], told: Mapping[int, float]) -> None:
        """Take up the log of an earlier run, and what the frontier was told last."""
        log = [(_decode(value), key) for key, value in entries]
        for entry, key in sorted(log, key=lambda pair: pair[0].number):
            self._read(key, entry)
        self._told = {self._numbers[key]: priority for key, priority in told.items() if key in self._numbers}

    def _now(self) -> tuple[Values, Values]:
        """Return the rank and the priority of every URL."""
        size = len(self._keys)
        ranks: Values = self.sweeps.first(size) @ self.idf()
        return ranks, np.round(self._words.first(size) + ranks, DIGITS)

    def _best(self, priorities: Values) -> list[int]:
        """Return the best that wait, first come, first served among equals."""
        waiting = np.flatnonzero(self._source.first(len(priorities)) > 0)
        worth = priorities[waiting]
        if len(waiting) > TOLD:
            least = np.partition(worth, len(worth) - TOLD)[len(worth) - TOLD]
            waiting, worth = waiting[worth >= least], worth[worth >= least]
        best: list[int] = waiting[np.lexsort((waiting, -worth))][:TOLD].tolist()
        return best

    def _offer(
        self,
        number: int,
        url: Url,
        priorities: Values,
        ranks: Values,
        link: Link | None = None,
        depth: int = 0,
    ) -> Candidate:
        """Return a URL at what it is worth, behind all others unless the frontier is told of it."""
        told = number in self._told
        priority = float(priorities[number]) - (0.0 if told else BEHIND)
        again = told or link is None
        return Candidate(
            url, priority, link, inherited=float(ranks[number]), depth=depth, replaces_priority=again
        )

    def _url(self, number: int, memory: CrawlView) -> Url | None:
        """Return the URL of a number, which after a resume only the page that names it knows."""
        source = int(self._source.values[number]) - 1
        if number not in self._urls and source >= 0:
            links = {key_of(link.target): link.target for link in memory.outlinks(self.pages[source][0])}
            if found := links.get(self._keys[number]):
                self._urls[number] = found
        return self._urls.get(number)

    def _depth(self, number: int) -> int:
        """Return how deep a URL lies that waits: a link further than the page that named it first."""
        return self.pages[int(self._source.values[number]) - 1][1] + 1

    def _leave(self, number: int) -> None:
        self._source.set(number, -1.0)
        self._urls.pop(number, None)
        self._told.pop(number, None)
        self._passed.pop(number, None)

    def _write(self, key: int, entry: TermEntry) -> None:
        self._unsaved.append((key, _encode(entry)))
        self._read(key, entry)

    def _read(self, key: int, entry: TermEntry) -> None:
        self._log = entry.number + 1
        number = int(self._numbered([key])[0])
        self._leave(number)
        if entry.moved_to is not None:
            self._numbers[entry.moved_to] = number
        if not entry.frequencies:
            return
        targets = self._numbered(np.frombuffer(entry.targets, np.int64).tolist())
        frequencies = np.frombuffer(entry.frequencies, np.float64)
        self.pages[number] = (entry.url, entry.depth, frequencies)
        self._words.raise_to(targets, np.frombuffer(entry.words, np.float64))
        unheard_of = targets[self._source[targets] == 0]
        self._source.values[unheard_of] = number + 1.0
        distinct = dict.fromkeys(targets.tolist())  # two names of one page may have become one
        self.sweeps.add(number, frequencies, np.array([*distinct], np.uint32))

    def _numbered(self, keys: Iterable[int]) -> Numbers:
        numbers = []
        for key in keys:
            if key not in self._numbers:
                self._numbers[key] = len(self._keys)
                self._keys.append(key)
            numbers.append(self._numbers[key])
        return np.array(numbers, np.uint32)


_encode: Callable[[TermEntry], bytes] = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], TermEntry] = msgspec.msgpack.Decoder(TermEntry).decode


# The text that belongs to a link: its sentence and those that it leans on (Ratna et al. 2012).
#
# 1-2. take the sentence that holds the anchor            section 5 (b)
# 3-4. while it begins with It, This or And, take the sentence before it as well
# 5.   take the sentence after it (the paper prints "backward" twice: docs/papers/ratna.md)
#
# A sentence begins with a capital letter and ends with a period. It never leaves its block, or a menu would
# be one sentence.


LEANING = ("it", "this", "and")
MORE_LEANING = (*LEANING, "that", "these", "those", "they", "he", "she", "such")


def cohesive_texts(page: Page, is_worth_reading: Callable[[str], object] = bool) -> Iterator[str]:
    """Yield the cohesive text of each link of a page, in order; its context where its anchor is not seen.

    Of a block that is not worth reading nothing is told. An anchor alone in its block, as in a menu, stands
    in no sentence: nothing is said around it that ATR has not counted.
    """
    blocks = _Blocks(page, is_worth_reading)
    offsets = page.offsets if len(page.offsets) == len(page.links) else _searched(page)
    for link, start in zip(page.links, offsets, strict=True):
        seen = 0 <= start <= len(page.text) - len(link.anchor)  # of some pages no word is kept
        yield blocks.around(start, start + len(link.anchor)) if seen else link.context


class _Blocks:
    """The text of a page block by block; a line break of the author's does not end one."""

    def __init__(self, page: Page, is_worth_reading: Callable[[str], object]) -> None:
        self._text, self._is_worth_reading = page.text, is_worth_reading
        soft = set(page.breaks)
        ends = [at for at, letter in enumerate(page.text) if letter == "\n" and at not in soft]
        self._ends = [*ends, len(page.text)]
        self._known: dict[int, Sentences | None] = {}

    def around(self, start: int, end: int) -> str:
        """Return the sentences round an anchor; none if the block is nothing but the anchor."""
        number = bisect_left(self._ends, start)
        begin = self._ends[number - 1] + 1 if number else 0
        if (start, end) == (begin, self._ends[number]):
            return ""
        block = self._text[begin : self._ends[number]].replace("\n", " ")
        if number not in self._known:
            self._known[number] = Sentences(block) if self._is_worth_reading(block) else None
        sentences = self._known[number]
        return sentences.around(start - begin, end - begin) if sentences else ""


def _searched(page: Page) -> list[int]:
    """Return where anchors seem to stand in a page that was parsed without their places."""
    found, at = [], 0
    for link in page.links:
        start = page.text.find(link.anchor, at) if link.anchor else -1
        at = start + len(link.anchor) if start >= 0 else at
        found.append(start)
    return found


class Sentences:
    """A block of text, cut into its sentences."""

    def __init__(self, block: str, leaning: Sequence[str] = LEANING) -> None:
        """Find where the sentences begin."""
        self._block, self._leaning = block, leaning
        self._cuts = [0, *(cut.end() for cut in _BETWEEN.finditer(block, 0, len(block.rstrip()))), len(block)]
        self._known: dict[tuple[int, int], str] = {}

    def around(self, start: int, end: int) -> str:
        """Return the sentences that belong to what stands between two places."""
        first, last = bisect_right(self._cuts, start) - 1, bisect_left(self._cuts, end) - 1
        first, last = min(first, len(self._cuts) - 2), max(first, last)
        while first and _first_word(self._block[self._cuts[first] : self._cuts[first + 1]]) in self._leaning:
            first -= 1
        last = min(last + 1, len(self._cuts) - 2)
        if (first, last) not in self._known:
            self._known[first, last] = self._block[self._cuts[first] : self._cuts[last + 1]].strip()
        return self._known[first, last]


def _first_word(sentence: str) -> str:
    found = _WORD.search(sentence)
    return found[0].lower() if found else ""


_BETWEEN = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?(?:[A-Z]|[^\x00-\x7f]))|[。！？]+")
_WORD = re.compile(r"\w+")
