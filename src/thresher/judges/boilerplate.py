"""Boilerplate: lines with the topic's words that a host repeats, such as menus and footers.

    silent       the pages of a host that say the topic's words in repeated lines alone, or nowhere
    boilerplate  the lines on half of the host's pages and on four fifths of the silent ones

A crawl meets the pages of a topic first, so that a trail above them may stand on half of what it has met;
on the silent pages such a line is rare, a menu is not. Told anew at 4, 8, 16 ... pages of a host.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain, compress
from operator import not_

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override
from xxhash import xxh3_64_intdigest

from thresher.core.enums import REVISITS, Outcome
from thresher.core.interfaces import CrawlView, Judge, OnlineJudge
from thresher.core.records import Page, Url, Visit
from thresher.core.url import host_of
from thresher.text.tokenize import fold

SHARE, SILENT = 0.5, 0.8  # of the pages of a host, and of the silent ones
FEWEST = 4  # pages on which a line is repeated
LAST = 2_048  # pages of a host after which nothing is told anew, and no line is counted
MOST = 2_000  # lines of a host that are counted; the rarest are forgotten first
SAVED = 1_000  # pages after which what was counted is kept
READ = 100_000  # characters of a page whose lines are counted
HOSTS = 1_000  # hosts that are remembered, those met latest

STEMMED = 2  # letters at the end of a stem that its word may have others for: studi of studies

NONE: frozenset[int] = frozenset()
Cut = tuple[Page, str]  # a page without some lines, and these
FORGOTTEN = 0  # stands for the rare lines of a page


class HostLines(Struct):
    """How many pages a host has shown, and on how many of them each line stood."""

    pages: int = 0
    boilerplate: frozenset[int] = NONE
    counts: dict[int, int] = {}
    lines: dict[Url, tuple[int, ...]] = {}  # of the pages that have any

    def add(self, url: Url, lines: Sequence[int]) -> list[Url]:
        """Count the lines of a page; return the earlier pages that have other boilerplate now."""
        if self.pages >= LAST:
            return []
        self.pages += 1
        if lines:
            self.lines[url] = tuple(lines)
            for line in lines:
                self.counts[line] = self.counts.get(line, 0) + 1
            if len(self.counts) > MOST:
                self._forget()
        return self._tell(url) if self.pages >= FEWEST and not self.pages & (self.pages - 1) else []

    def _tell(self, url: Url) -> list[Url]:
        """Find the boilerplate anew; return the other pages on which it has changed."""
        now = frozenset(self._found())
        changed, self.boilerplate = now ^ self.boilerplate, now
        pages = [(other, lines) for other, lines in self.lines.items() if other != url] if changed else []
        if self.pages >= LAST:
            self.counts, self.lines = {}, {}
        return [other for other, lines in pages if not changed.isdisjoint(lines)]

    def _found(self) -> Iterable[int]:
        """Yield the lines on enough of all pages and of the silent ones."""
        repeated = {line for line, count in self.counts.items() if count >= FEWEST}
        silent = [*filter(repeated.issuperset, self.lines.values())]
        pages = len(silent) + self.pages - len(self.lines)
        if pages >= FEWEST:
            for line, count in Counter(chain.from_iterable(silent)).items():
                if count >= SILENT * pages and self.counts[line] >= SHARE * self.pages:
                    yield line

    def _forget(self) -> None:
        """Forget the rarest lines, at least half of those that may be counted."""
        least = sorted(self.counts.values())[-MOST // 2]
        self.counts = {line: count for line, count in self.counts.items() if count > least}
        self.lines = {url: self._known(lines) for url, lines in self.lines.items()}

    def _known(self, lines: tuple[int, ...]) -> tuple[int, ...]:
        known = tuple(filter(self.counts.__contains__, lines))
        return known if len(known) == len(lines) else (*known, FORGOTTEN)


class Boilerplate:
    """The boilerplate of the hosts met latest."""

    def __init__(self, words: Iterable[str], memory: CrawlView | None = None) -> None:
        """Take the words of the topic, and the pages met where those judged before are wanted."""
        self._words, self._memory = WordLines(words), memory
        self._hosts: dict[str, HostLines] = {}

    def add(self, page: Page) -> list[tuple[Page, Cut, Cut]]:
        """Count the lines of a page; return the earlier ones with other boilerplate, cut as then and now."""
        if page.noindex:
            return []  # its words are not kept
        host = host_of(page.url)
        self._hosts[host] = known = self._hosts.pop(host, None) or HostLines()
        if len(self._hosts) > HOSTS:
            del self._hosts[next(iter(self._hosts))]
        before = known.boilerplate
        urls = known.add(page.url, [*self._words.of(page)])
        pages = filter(None, map(self._memory.page, urls)) if self._memory is not None else ()
        return [(each, self._cut(each, before), self._cut(each, known.boilerplate)) for each in pages]

    def without(self, page: Page) -> Cut:
        """Return the page without boilerplate, and the lines that it lost; the same page if it has none."""
        known = self._hosts.get(host_of(page.url))
        return self._cut(page, known.boilerplate) if known else (page, "")

    def _cut(self, page: Page, boilerplate: frozenset[int]) -> Cut:
        if not boilerplate:
            return page, ""
        lines = self._words.of(page)
        lost = {lines[key] for key in lines.keys() & boilerplate}
        if not lost:
            return page, ""
        text, gone = self._words.parted(page.text, lost)
        main, _ = self._words.parted(page.main, lost)
        links = tuple([link for link in page.links if not link.anchor or link.anchor not in gone])
        return replace(page, text=text, main=main, links=links, offsets=(), breaks=()), gone

    def packed(self) -> bytes:
        """Return all that was counted as bytes."""
        return msgspec.msgpack.encode(self._hosts)

    def unpack(self, state: bytes) -> None:
        """Take up what `packed` returned."""
        self._hosts = _HOSTS.decode(state)


_HOSTS = msgspec.msgpack.Decoder(dict[str, HostLines])


class WordLines:
    """Finds the lines of pages that may have any of some words."""

    def __init__(self, words: Iterable[str]) -> None:
        """Take the words, as the tokeniser leaves them."""
        sought = {*words}
        self._folded: Callable[[str], str] = str.lower if all(map(str.isascii, sought)) else fold
        self._last: tuple[Page, dict[int, str]] | None = None
        self._beginnings = sorted({self._folded(word)[: max(2, len(word) - STEMMED)] for word in sought})

    def of(self, page: Page) -> dict[int, str]:
        """Return the distinct lines, folded, by their hashes; a few have no more than a word's beginning."""
        if self._last is None or self._last[0] is not page:
            folded, found = self._folded(page.text[:READ]), dict[str, None]()
            for beginning in self._beginnings:
                at = folded.find(beginning)
                while at >= 0:
                    end = folded.find("\n", at)
                    end = end if end >= 0 else len(folded)
                    found[folded[folded.rfind("\n", 0, at) + 1 : end]] = None
                    at = folded.find(beginning, end)
            self._last = (
                page,
                {xxh3_64_intdigest(line.encode("utf-8", "surrogatepass")): line for line in found},
            )
        return self._last[1]

    def parted(self, text: str, lines: Container[str]) -> tuple[str, str]:
        """Return a text without some folded lines, and those it has of them."""
        gone = [*map(lines.__contains__, self._folded(text).split("\n"))]
        every = text.split("\n")
        return "\n".join(compress(every, map(not_, gone))), "\n".join(compress(every, gone))


def _bytes(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass")


_KEPT = msgspec.msgpack.Decoder(tuple[int, bytes])  # a digest of the words, and the lines that have any


class WithoutBoilerplate(OnlineJudge):
    """A judge that learns nothing in a crawl but what is boilerplate, and is never shown that."""

    judges = False

    def __init__(self, judge: Judge, words: Iterable[str]) -> None:
        """Take the judge, and the words of its topic."""
        sought = sorted({*words})
        self._judge, self._words = judge, xxh3_64_intdigest(_bytes("\n".join(sought)))
        self._boilerplate = Boilerplate(sought)
        self._unsaved = 0

    @override
    def update(self, visit: Visit) -> Visit:
        page = visit.page
        if page is None or visit.outcome is not Outcome.FETCHED:
            return visit
        if visit.candidate.kind not in REVISITS:
            self._add(page)
        kept, gone = self._boilerplate.without(page)
        return replace(visit, relevance=self._judge.score(kept)) if gone else visit

    @override
    def recall(self, visits: Iterable[Visit], labels: Mapping[Url, bool]) -> None:
        for visit in visits:
            if visit.page is not None:
                self._add(visit.page)

    def _add(self, page: Page) -> None:
        self._boilerplate.add(page)
        self._unsaved += 1

    @override
    def save(self) -> bytes | None:
        if self._unsaved < SAVED:
            return None
        self._unsaved = 0
        return msgspec.msgpack.encode((self._words, self._boilerplate.packed()))

    @override
    def restore(self, state: bytes) -> bool:
        try:
            words, lines = _KEPT.decode(state)
        except msgspec.MsgspecError:
            return False
        if words == self._words:
            self._boilerplate.unpack(lines)
        return words == self._words

    @override
    def hear(self, labels: Mapping[Url, bool], memory: CrawlView) -> None:
        """Labels teach this judge nothing."""

    @override
    def now(self, page: Page, label: bool | None = None) -> float:
        return self._judge.score(self._boilerplate.without(page)[0])

    @override
    def taught(self, page: Page, label: bool | None = None) -> None:
        return None

    def __str__(self) -> str:
        return "which lines its hosts repeat: those are not judged"
