"""Word vectors: English and Chinese in one space, where near means alike, whatever the language.

The table is made by scripts/make_vectors.py; its notices stand in vectors.notice.txt. Its words are those of
`text.words`: stems for English, simplified words for Chinese, each language in order of frequency.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import repeat
from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

UNKNOWN_RARITY = 8.0  # a word the table lacks is rarer than most of those it has
_COMMON = 20  # words up to this rank hardly tell texts apart
_AT_ONCE = 4096  # rows brought to a length of one at a time, so that they stay in the cache of the processor


class Vectors:
    """A direction for each word, how rare it is, and how near it is to everything."""

    def __init__(
        self, words: list[str], english: int, table: Floats | NDArray[np.int8], scale: Floats | float = 1.0
    ) -> None:
        """Take the words, the first `english` of them English, with one row of the table each."""
        self.words = words
        self.english = english
        self._table, self._scale = table, scale
        self._row = dict(zip(words, range(len(words)), strict=True))
        ranks = np.arange(len(words)) - np.where(np.arange(len(words)) < english, 0, english)
        self._rarities = array("d", np.append(1.0 + np.log1p(ranks / _COMMON), UNKNOWN_RARITY).tobytes())
        self.pulls = np.array(self._rarities, "f4")
        """The rarity of the word of each row, and last that of any unknown one."""

    def directions(self, rows: Sequence[int] | NDArray[np.integer]) -> Floats:
        """Return the directions of the words of some rows; all together take four times the memory."""
        found = self._table[rows] * self._scale
        found /= np.sqrt(np.add.reduce(found * found, axis=1, keepdims=True))
        return np.asarray(found, "f4")

    def row(self, word: str) -> int:
        """Return the row of a word, or -1 if the table lacks it."""
        return self._row.get(word, -1)

    @property
    def width(self) -> int:
        """How many dimensions the space has."""
        return int(self._table.shape[1])

    def __contains__(self, word: str) -> bool:
        """Tell whether the table has a word."""
        return word in self._row

    def rarity(self, word: str) -> float:
        """Return how much a word tells, by its rank: from 1 for the commonest to about 8 for the rarest."""
        return float(self._rarities[self._row.get(word, -1)])

    def rarities(self, words: Iterable[str]) -> Iterator[float]:
        """Return how much each of many words tells."""
        return map(self._rarities.__getitem__, map(self._row.get, words, repeat(-1)))

    def direction(self, weights: Mapping[str, float]) -> Floats | None:
        """Return the mean direction of weighted words, rare ones pulling harder; None if all are unknown."""
        total = self._sum(weights)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length, "f4") if length else None

    def similarity(self, left: Iterable[str], right: Iterable[str]) -> float:
        """Return how alike two lists of words are, from 0 to 1; an unknown word is like itself alone."""
        one, other = Counter(left), Counter(right)
        length = sqrt(self._squared(one) * self._squared(other))
        if not length:
            return 0.0
        shared = fsum(one[word] * other[word] for word in one if word not in self._row and word in other)
        return min(
            1.0, max(0.0, (float(self._sum(one) @ self._sum(other)) + shared * UNKNOWN_RARITY**2) / length)
        )

    def _sum(self, weights: Mapping[str, float]) -> Floats:
        known = [
            (self._row[word], weight * self.rarity(word))
            for word, weight in weights.items()
            if word in self._row
        ]
        rows = self.directions([row for row, _ in known])
        return np.asarray(np.array([weight for _, weight in known], "f4") @ rows, "f4")

    def _squared(self, counts: Mapping[str, int]) -> float:
        unknown = fsum(count * count for word, count in counts.items() if word not in self._row)
        known = self._sum(counts)
        return float(known @ known) + unknown * UNKNOWN_RARITY**2


@lru_cache(maxsize=1)
def shipped_vectors() -> Vectors:
    """Return the table that comes with the package, read once."""
    words = _shipped_words().decode().split("\n")
    _shipped_words.cache_clear()
    with files("thresher.text").joinpath("vectors.npz").open("rb") as file:
        stored = np.load(file)
        return Vectors(words, int(stored["english"]), stored["vectors"], stored["scale"])


def shipped_has_all(words: Iterable[str]) -> bool:
    """Tell whether the shipped table has all words, and leave it packed: not every judge needs its 12 MB."""
    if shipped_vectors.cache_info().currsize:
        return all(word in shipped_vectors() for word in words)
    lines = b"\n%s\n" % _shipped_words()
    return all(f"\n{word}\n".encode("utf-8", "surrogatepass") in lines for word in words)


@lru_cache(maxsize=1)
def _shipped_words() -> bytes:
    """Return the words of the shipped table, a line each."""
    with files("thresher.text").joinpath("vectors.npz").open("rb") as file:
        return bytes(np.load(file)["words"].tobytes())


def similarity(left: Iterable[str], right: Iterable[str]) -> float:
    """Return how alike two lists of words are by the shipped table, in either language or across."""
    return shipped_vectors().similarity(left, right)
