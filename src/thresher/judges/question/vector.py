"""Pages as short vectors: what feedback learns from, and the direction in which a page points in meaning."""

from collections.abc import Mapping
from math import sqrt
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.text.tokenize import Counts
from thresher.text.vectors import Floats, Vectors, shipped_vectors

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
    def apart(self) -> bool:
        """Whether no two of its words share a place."""
        return len(set(self.places.tolist())) == len(self.places)


NOTHING = Vector(np.zeros(0, np.int64), np.zeros(0, "f4"))


class _Packed(dict[str, int]):
    """Remembers the place and the row of each word in one number: one look-up for everything."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def __missing__(self, word: str) -> int:
        place = crc32(word.encode("utf-8", "surrogatepass")) % SIZE
        found = place + SIZE * (self._vectors.row(word) + 1)
        if len(self) < REMEMBERED:
            self[word] = found
        return found


class LookedUp(Struct, frozen=True):
    """The words of a page, found once for all who weigh them: where each is hashed to, its row, its count."""

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
        packed = np.fromiter(map(_packed().__getitem__, counts), np.int64, len(counts))
        times = np.fromiter(counts.values(), np.float64, len(counts))
        known = _LATEST[id(counts)] = LookedUp(counts, packed, times)
    return known


class Weighed:
    """The heaviest words of a page."""

    def __init__(self, counts: Counts) -> None:
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
        """Return what feedback learns from."""
        length = sqrt(float(self._values @ self._values)) or 1.0
        return Vector(self._packed & (SIZE - 1), self._values / length)

    def direction(self) -> Floats:
        """Return the mean direction of the words; of length 0 if all are unknown."""
        known = self._rows > 0
        total = self._values[known] @ shipped_vectors().table[self._rows[known] - 1]
        return np.asarray(total / (sqrt(float(total @ total)) or 1.0), "f4")


def place_of(word: str) -> int:
    """Return where a word is hashed to."""
    return _packed()[word] % SIZE


_LATEST: dict[int, LookedUp] = {}
_PACKED: list[_Packed] = []


def _packed() -> _Packed:
    if not _PACKED:
        _PACKED.append(_Packed(shipped_vectors()))
    return _PACKED[0]
