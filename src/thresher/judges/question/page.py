"""A page as the default judge reads it: its words and where they stand, and its unit vector."""

import re
from functools import cached_property, lru_cache
from itertools import compress, repeat
from math import exp, sqrt
from operator import add, or_
from urllib.parse import urlsplit

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.core.records import Page, PageRecord, PageWords
from thresher.text.chinese import FIRST_HAN
from thresher.text.languages import PLAIN
from thresher.text.page_record import BITS, FIRST, SIZE, record_of
from thresher.text.tokenize import WordCounts, fold, words
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.question import Phrase

# A page as the default judge sees it, cut once: its words, where they stand, how much of it is a list.
#
# tf(w)   = n_text + 4 if the title has w + 3 if the URL has it
# s(tf)   = tf / (tf + 2 (0.4 + 0.6 L / 400)),  L: the page's length in words


TITLE, URL = 4.0, 3.0  # a word there counts as so many in the text
SATURATION, LENGTH_SHARE = 2.0, 0.6  # as in BM25 (Robertson and Walker 1994)
USUAL_LENGTH = 400  # words of a page
LISTS = 0.7  # the share of a page's text that stands in links, from which on it is a list
BLUR = 0.1  # the width of the step from page to list, as a share
_BULLETS = " \t•·*-–—|>»"


class Fields:
    """The words of a page and where they stand."""

    def __init__(self, page: Page, record: PageRecord | None = None, language: str = PLAIN) -> None:
        """Take a page, its record where it is at hand, and the language that its words are cut by."""
        if record is None or record.words is None:
            record = record_of(page, language)
        self.page, self.language = page, language
        self.words: PageWords = record.words or PageWords()
        self.title, self.url = self.words.title, self.words.url
        self.main_start, self.page_start = self.words.main_start, self.words.page_start
        self.links_share = record.links_share
        self.counts = counted(self.words.counts)
        length = self.counts.length()
        self.half_saturation = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH)
        self.strengths = Strengths(self)

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


class Strengths(dict[str, float]):
    """How strongly a page speaks of each word, from 0 to 1, worked out when it is first asked for."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self._fields = fields

    def __missing__(self, word: str) -> float:
        fields, is_han = self._fields, word >= FIRST_HAN
        count: float = fields.counts.get(word, 0) if word.isascii() else fields.counts[word]
        in_url = word in fields.url or (is_han and has(fields.url, word))
        in_title = word in fields.title or (is_han and has(fields.title, word))
        # the text count already holds the title once
        told = (count + (TITLE - 1) * in_title + URL * in_url) if (count or in_url) else TITLE * in_title
        self[word] = found = told / (told + fields.half_saturation) if told else 0.0
        return found


def counted(words: dict[str, int]) -> WordCounts:
    """Return counted words as those that any word may be asked of; mostly they are."""
    return words if isinstance(words, WordCounts) else WordCounts(words)


def readable(record: PageRecord) -> float:
    """Return near 1 for a page to read, and near 0 for one that is mostly links."""
    return 1 / (1 + exp((record.links_share - LISTS) / BLUR))


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


# Unit vectors of hashed words


HEAVIEST = 120  # words of a page that are kept

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


class Weighed:
    """The words of a page by their weights, and the heaviest of them."""

    def __init__(self, words: PageWords) -> None:
        """Keep the heaviest."""
        codes, values = np.frombuffer(words.codes, np.uint32), np.frombuffer(words.weights, "f4")
        self.length = sqrt(float(values @ values)) or 1.0
        if len(values) > HEAVIEST:
            best = values.argpartition(-HEAVIEST)[-HEAVIEST:]
            codes, values = codes[best], values[best]
        self._codes, self._rows, self._values = codes, (codes >> BITS).astype(np.int64), values

    def vector(self) -> Vector:
        """Return the unit vector of the heaviest words, hashed."""
        return Vector(_places(self._codes), _of_length_one(self._values))

    def direction(self) -> Floats:
        """Return the mean direction of the words; of length 0 if all are unknown."""
        known = self._rows > 0
        total = self._values[known] @ shipped_vectors().directions(self._rows[known] - 1)
        return np.asarray(total / (sqrt(float(total @ total)) or 1.0), "f4")


def whole_vector(record: PageRecord) -> Vector:
    """Return the unit vector of all words of a page, hashed."""
    words = record.words or PageWords()
    codes, values = np.frombuffer(words.codes, np.uint32), np.frombuffer(words.weights, "f4")
    return Vector(_places(codes), _of_length_one(values))


def _of_length_one(values: Floats) -> Floats:
    return np.asarray(values / (sqrt(float(values @ values)) or 1.0), "f4")


def _places(codes: NDArray[np.uint32]) -> Places:
    return np.asarray(codes & (SIZE - 1), np.int64)
