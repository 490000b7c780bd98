"""A page as the default judge reads it: its words and where they stand, and its unit vector."""

import re
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from itertools import compress, repeat
from math import exp, sqrt
from operator import add, or_
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.core.records import Page
from thresher.judges.word_evidence import page_counts
from thresher.text.chinese import FIRST_HAN
from thresher.text.languages import PLAIN
from thresher.text.tokenize import WordCounts, fold, words
from thresher.text.vectors import Floats, Vectors, shipped_vectors
from thresher.topic.question import Phrase

# A page as the default judge sees it, cut once: its words, where they stand, how much of it is a list.
#
# tf(w)   = n_text + 4 if the title has w + 3 if the URL has it
# s(tf)   = tf / (tf + 2 (0.4 + 0.6 L / 400)),  L: the page's length in words


TITLE, URL = 4.0, 3.0  # a word there counts as so many in the text
SATURATION, LENGTH_SHARE = 2.0, 0.6  # as in BM25 (Robertson and Walker 1994)
USUAL_LENGTH = 400  # words of a page
STEMMED = 2  # letters at the end of a stem that its word may have others for: studi of studies
LISTS = 0.7  # the share of a page's text that stands in links, from which on it is a list
BLUR = 0.1  # the width of the step from page to list, as a share
FIRST = 400  # characters of a text that say what a page is about
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|_")
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_BULLETS = " \t•·*-–—|>»"


class Fields:
    """The words of a page and where they stand."""

    def __init__(self, page: Page, counts: WordCounts | None = None, language: str = PLAIN) -> None:
        """Take a page, its counted words where they are at hand, and the language to cut it by."""
        self.page = page
        self.language = language
        self.counts = page_counts(page, language) if counts is None else counts
        length = self.counts.length()
        self._strengths: dict[str, float] = {}
        self.half_saturation = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH)

    @cached_property
    def title(self) -> frozenset[str]:
        """The words of the title, those inside longer ones too."""
        return _words_within(self.page.title, self.language)

    @cached_property
    def url(self) -> frozenset[str]:
        """The words of the URL's path and query."""
        return _words_within(self._address, self.language)

    @cached_property
    def _address(self) -> str:
        """What the URL says after its host."""
        _, _, after = self.page.url.partition("://")
        path, _, query = after.partition("#")[0].partition("?")
        return f"{_ENDING.sub('', unquote(path[path.find('/') :]))} {unquote(query)}"

    @cached_property
    def _spelled(self) -> str:
        """Lower-cased URL tail for a quick substring test; empty where that test is unsafe."""
        plain = self._address.isascii() and "'" not in self._address and self.language == PLAIN
        return self._address.lower() if plain else ""

    def _in_url(self, word: str) -> bool:
        """Tell whether the URL has a word; most URLs fail a substring test, so are never tokenized."""
        if self._spelled and word.isascii() and word[: max(1, len(word) - STEMMED)] not in self._spelled:
            return False
        return has(self.url, word)

    @cached_property
    def main_start(self) -> frozenset[str]:
        """The words of the beginning of the main text."""
        return frozenset(words(self.page.main[:FIRST], self.language))

    @cached_property
    def page_start(self) -> frozenset[str]:
        """The words at the top of the page, where a trail or a menu often says what it belongs to."""
        start = self.page.text[:FIRST]
        return self.main_start if start == self.page.main[:FIRST] else frozenset(words(start, self.language))

    @cached_property
    def anchors_share(self) -> float:
        """The share of the text that stands in links."""
        return share_of_links(self.page)

    @cached_property
    def list_share(self) -> float:
        """The share of the main text in lines that are one link and nothing else: a list."""
        main = self.page.main
        anchors = {link.anchor for link in self.page.links}
        anchors.discard("")
        if not anchors:
            return 0.0
        lines = main.split("\n")
        bare = map(anchors.__contains__, map(str.strip, lines, repeat(_BULLETS)))
        listed = sum(compress(map(len, lines), map(or_, map(anchors.__contains__, lines), bare)))
        return listed / (1 + len(main))

    def saturated(self, count: float) -> float:
        """Return what so many occurrences are worth: more of one word count less and less."""
        return count / (count + self.half_saturation)

    def strength(self, word: str) -> float:
        """Return how strongly the page speaks of a word, from 0 to 1."""
        if (known := self._strengths.get(word)) is not None:
            return known
        count: float = self.counts.get(word, 0) if word.isascii() else self.counts[word]
        in_url, in_title = self._in_url(word), has(self.title, word)
        # the text count already holds the title once
        told = (count + (TITLE - 1) * in_title + URL * in_url) if (count or in_url) else TITLE * in_title
        self._strengths[word] = found = self.saturated(told) if told else 0.0
        return found

    def together(self, phrase: Phrase) -> int:
        """Return how often the words of a phrase stand side by side in this order."""
        if not all(map(self.counts.__getitem__, phrase.words)):
            return 0
        if phrase.words[0] >= FIRST_HAN:
            return self._folded.count(phrase.text) or self._folded.count("".join(phrase.text.split()))
        return self._line.count(f" {'  '.join(phrase.words)} ")

    def letter_by_letter(self, name: str) -> tuple[int, bool, bool, bool, bool]:
        """Return how often a name stands in the text, and whether in title, beginning, top and URL."""
        page, (exact, loose) = self.page, _patterns(name)
        first, top = bool(exact.search(page.main[:FIRST])), bool(exact.search(page.text[:FIRST]))
        named = bool(exact.search(page.title)), first, top
        return len(exact.findall(page.text)), *named, bool(loose.search(urlsplit(page.url).path))

    @cached_property
    def _folded(self) -> str:
        return fold(f"{self.page.title}\n{self.page.text}")

    @cached_property
    def _line(self) -> str:
        """Words in one line, since counting is then done in C; two spaces, so that hits never touch."""
        return f" {'  '.join(words(self.page.text, self.language))} "


def share_of_links(page: Page) -> float:
    """Return the share of a page's text that stands in links."""
    return min(1.0, sum([len(link.anchor) for link in page.links]) / (1 + len(page.text)))


def readable(page: Page) -> float:
    """Return near 1 for a page to read, and near 0 for one that is mostly links."""
    return 1 / (1 + exp((share_of_links(page) - LISTS) / BLUR))


def has(field: frozenset[str], word: str) -> bool:
    """Tell whether a word is in a set; a long CJK word counts if all its character pairs are."""
    if word in field or len(word) < 3 or word < FIRST_HAN:
        return word in field
    return all(pair in field for pair in map(add, word, word[1:]))


def stands_in(name: str, text: str) -> bool:
    """Tell whether a name stands in a text, capitals and all."""
    return bool(_patterns(name)[0].search(text))


@lru_cache
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return how a name is found in texts, capitals and all, and in URLs, which have none."""
    before = r"(?<![\w.#+])" if name[0].isalnum() else ""
    exact = re.compile(rf"{before}{re.escape(name)}(?![\w#+])")
    plain = re.escape(name.strip(".#@"))
    return exact, re.compile(rf"(?<![^\W\d_]){plain}(?![^\W\d_])", re.IGNORECASE)


def _words_within(text: str, language: str) -> frozenset[str]:
    """Return the words of a short text, and those inside words: PyQt5 has Qt in it."""
    cut = " ".join(filter(None, _CAMEL.split(text)))
    if cut == text:
        return frozenset(words(text, language))
    if text.isascii():
        return frozenset(words(f"{text} {cut}", language))
    return frozenset(words(text, language)).union(words(cut, language))


# Unit vectors of hashed words


BITS = 15
SIZE = 1 << BITS  # places that words are hashed to
HEAVIEST = 120  # words of a page that are kept
REMEMBERED = 200_000  # words; the common ones come first
LATEST = 16  # pages whose words are kept: in a crawl others are read before a page is folded

Places = NDArray[np.int64]


class Vector(Struct, frozen=True):
    """The heaviest words of a page by log tf x rarity, hashed, brought to a length of one."""

    places: Places
    values: Floats

    @property
    def has_no_collisions(self) -> bool:
        """Whether no two of its words share a place."""
        return len(set(self.places.tolist())) == len(self.places)


NOTHING = Vector(np.zeros(0, np.int64), np.zeros(0, "f4"))


class _WordCodes(dict[str, int]):
    """The place and the row of each word packed into one number: one look-up for both."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def __missing__(self, word: str) -> int:
        place = crc32(word.encode("utf-8", "surrogatepass")) % SIZE
        found = place + SIZE * (self._vectors.row(word) + 1)
        if len(self) < REMEMBERED:
            self[word] = found
        return found


class LookedUp(Struct, frozen=True):
    """The words of a page, looked up once for all uses: where each is hashed to, its row, its count."""

    counts: Mapping[str, int]
    packed: Places
    times: NDArray[np.float64]

    @property
    def places(self) -> Places:
        """Where each word is hashed to."""
        return self.packed & (SIZE - 1)

    @property
    def rows(self) -> Places:
        """The row of each word in the vector table; -1, the last of all, if it lacks the word."""
        return (self.packed >> BITS) - 1


def looked_up(counts: Mapping[str, int]) -> LookedUp:
    """Return counted words with what is known of them; those of the latest pages are not found again."""
    known = _LATEST.get(id(counts))
    if known is None or known.counts is not counts:
        if len(_LATEST) >= LATEST:
            del _LATEST[next(iter(_LATEST))]
        packed = np.fromiter(map(_codes().__getitem__, counts), np.int64, len(counts))
        times = np.fromiter(counts.values(), np.float64, len(counts))
        known = _LATEST[id(counts)] = LookedUp(counts, packed, times)
    return known


class Weighed:
    """The heaviest words of a page."""

    def __init__(self, counts: WordCounts) -> None:
        """Weigh every word and keep the heaviest."""
        known = looked_up(counts)
        packed, rows = known.packed, known.packed >> BITS
        tf = np.log1p(known.times.astype("f4"))
        values = tf * shipped_vectors().pulls[rows - 1]  # the row before the first is that of unknown words
        self.length = sqrt(float(values @ values)) or 1.0
        if len(values) > HEAVIEST:
            best = values.argpartition(-HEAVIEST)[-HEAVIEST:]
            packed, rows, values = packed[best], rows[best], values[best]
        self._packed, self._rows, self._values = packed, rows, values

    def vector(self) -> Vector:
        """Return the unit vector of the hashed words."""
        length = sqrt(float(self._values @ self._values)) or 1.0
        return Vector(self._packed & (SIZE - 1), self._values / length)

    def direction(self) -> Floats:
        """Return the mean direction of the words; of length 0 if all are unknown."""
        known = self._rows > 0
        total = self._values[known] @ shipped_vectors().table[self._rows[known] - 1]
        return np.asarray(total / (sqrt(float(total @ total)) or 1.0), "f4")


def place_of(word: str) -> int:
    """Return where a word is hashed to."""
    return _codes()[word] % SIZE


_LATEST: dict[int, LookedUp] = {}


@cache
def _codes() -> _WordCodes:
    return _WordCodes(shipped_vectors())
