"""What is worked out of a page once, where it is read: its words, its word vector, the hashes of its text.

    weight(w) = log(1 + how often w occurs) x rarity(w)

Each word has one number for both of its uses: where it is hashed to, and its row in the vector table. The
judge, the filters, the store and the strategy read the record: no text is cut again, no link hashed again.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from msgspec.structs import replace
from xxhash import xxh3_64_intdigest

from thresher.core.records import Page, PageRecord, PageWords, Url
from thresher.core.url import host_of, key_of
from thresher.text.languages import PLAIN
from thresher.text.tokenize import WordCounts, opening, plain_words, word_counts, words
from thresher.text.vectors import Vectors, shipped_vectors

BITS = 15
SIZE = 1 << BITS  # places that words are hashed to
REMEMBERED = 200_000  # words; the common ones come first
FIRST = 400  # characters of a text that say what a page is about
SHORTEST_DIGEST = 64  # bytes of text; below, pages that say the same may still lead elsewhere
SHORTEST_SIMHASH = 400  # bytes of text; below, a few words decide, and pages look alike that are not
COMPARED = 20_000  # characters compared without their numbers
READ = 4_000  # characters of a short page read for words that its host has not used

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|_")
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_WORD = re.compile(r"\b[^\W\d_]{2,}\b")

T = TypeVar("T")


def record_of(page: Page, language: str = PLAIN, with_words: bool = True) -> PageRecord:
    """Return the record of a page; its words are cut as the language of the topic has it."""
    digest, simhash, numberless, said = "", None, None, tuple[int, ...]()
    if has_bytes(page.main, SHORTEST_SIMHASH):
        digest, simhash = page.fingerprint.digest, page.fingerprint.simhash
        numberless = _numberless(page.main)
    else:
        digest = _digest(page) if has_bytes(page.main, SHORTEST_DIGEST) else ""
        said = _said(host_of(page.url), page.text[:READ])
    keys = tuple([key_of(link.target) for link in page.links])
    cut = words_of(page, page_counts(page, language), language) if with_words else None
    return PageRecord(digest, simhash, numberless, said, share_of_links(page), keys, cut)


def words_of(page: Page, counts: dict[str, int], language: str = PLAIN) -> PageWords:
    """Return the words of a page, of which it is known how often each occurs."""
    codes = np.fromiter(map(_codes().__getitem__, counts), np.uint32, len(counts))
    tf = np.log1p(np.fromiter(counts.values(), "f4", len(counts)))
    rows = (codes >> BITS).astype(np.int64) - 1
    weights = tf * shipped_vectors().pulls[rows]  # the last row is that of unknown words
    start, top = page.main[:FIRST], page.text[:FIRST]
    beginning = frozenset(words(start, language))
    return PageWords(
        counts,
        _words_within(page.title, language),
        _words_within(_address(page.url), language),
        beginning,
        beginning if top == start else frozenset(words(top, language)),
        codes.tobytes(),
        weights.tobytes(),
    )


def without_lines(page: Page, record: PageRecord, kept: Page, gone: str, language: str) -> PageRecord:
    """Return the record of what is kept of a page, by what was lost."""
    counts = counts_without(WordCounts(record.words.counts), page, gone) if record.words else None
    counts = page_counts(kept, language) if counts is None else counts
    return replace(record, links_share=share_of_links(kept), words=words_of(kept, counts, language))


def share_of_links(page: Page) -> float:
    """Return the share of a page's text that stands in links."""
    return min(1.0, sum([len(link.anchor) for link in page.links]) / (1 + len(page.text)))


def place_of(word: str) -> int:
    """Return where a word is hashed to."""
    return _codes()[word] % SIZE


def highest_code() -> int:
    """Return a number above that of every word."""
    return SIZE * (len(shipped_vectors().words) + 1)


def page_words(page: Page, language: str = PLAIN) -> list[str]:
    """Return the words that make up a page: its title and everything a reader sees."""
    return _plain(page, language)


def page_counts(page: Page, language: str = PLAIN) -> WordCounts:
    """Return how often any word occurs on a page, cut as the language of the topic has it."""
    return _counted(page, language)


def counts_without(counts: WordCounts, page: Page, gone: str) -> WordCounts | None:
    """Return the words of a page less those of some of its lines; None if not all of it was counted."""
    if opening(page.text) != page.text:
        return None
    left = WordCounts(counts)
    for word, times in word_counts(gone).items():
        left[word] = left.get(word, 0) - times
        if left[word] <= 0:
            del left[word]
    return left


def has_bytes(text: str, least: int) -> bool:
    """Tell whether a text has so many bytes; no character has less than one."""
    return len(text) >= least or len(text.encode()) >= least


def _digest(page: Page) -> str:
    """Return what a short text is known by to the letter; under another title it is another page."""
    return f"{page.fingerprint.digest} {xxh3_64_intdigest(page.title.encode('utf-8', 'surrogatepass')):x}"


def _said(host: str, text: str) -> tuple[int, ...]:
    """Return the words of a text of a host, each as a number."""
    said = dict.fromkeys(_WORD.findall(text))
    return tuple([xxh3_64_intdigest(f"{host} {word}".encode("utf-8", "surrogatepass")) for word in said])


def _numberless(text: str) -> int:
    """Return a hash of a text without its digits."""
    return xxh3_64_intdigest(text[:COMPARED].encode().translate(None, b"0123456789"))


def _address(url: Url) -> str:
    """Return what a URL says after its host."""
    _, _, after = url.partition("://")
    path, _, query = after.partition("#")[0].partition("?")
    return f"{_ENDING.sub('', unquote(path[path.find('/') :]))} {unquote(query)}"


def _words_within(text: str, language: str) -> frozenset[str]:
    """Return the words of a short text, and those inside words: PyQt5 has Qt in it."""
    cut = " ".join(filter(None, _CAMEL.split(text)))
    if cut == text:
        return frozenset(words(text, language))
    if text.isascii():
        return frozenset(words(f"{text} {cut}", language))
    return frozenset(words(text, language)).union(words(cut, language))


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


@cache
def _codes() -> _WordCodes:
    return _WordCodes(shipped_vectors())


class _OfLastPage(Generic[T]):
    """Remembers what was made of the last page: several judges are often asked about the same one."""

    def __init__(self, make: Callable[[str, str], T]) -> None:
        self._make = make
        self._last: tuple[Page, str, T] | None = None

    def __call__(self, page: Page, language: str) -> T:
        if self._last is None or self._last[0] is not page or self._last[1] != language:
            self._last = (page, language, self._make(f"{page.title}\n{opening(page.text)}", language))
        return self._last[2]


_plain = _OfLastPage(plain_words)
_counted = _OfLastPage(word_counts)
