"""A few Chinese characters cut into words without the segmenter, whose dictionary takes 33 MB and 0.11 s.

Most crawls meet Chinese on one page in a hundred. The segmenter's library has its dictionary packed within:
lines "word frequency tag" in the order of their bytes. Unpacked they take 5 MB, and words that begin alike
stand together. The way through the words of a run is the segmenter's own, to the last bit:

    value(i) = max over the words from i to j of  log(frequency of the word) - log(all frequencies) + value(j)
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from importlib.util import find_spec
from math import log
from pathlib import Path

from xxhash import xxh3_64_intdigest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SEGMENTER = "rjieba"
FEW = 20_000  # characters: to cut more takes longer than to build up the segmenter's dictionary
DICTIONARY = 0xB3C02213C9D222D3  # the digest of the one that we know to be as said above
FREQUENCIES = 60_101_964  # all of its together
_FRAME = b"\x28\xb5\x2f\xfd"  # what is packed by Zstandard begins so
_FRAMES = 32  # looked at before we give up
_MOST = 1 << 23  # bytes of a dictionary; what is larger is another
_LONGEST = 64  # bytes of a line that tell where it stands
_COMMON = re.compile("[\u4e00-\u9fff]+")  # the characters that the segmenter takes for such in every version


class FewCharacters:
    """Cuts runs of characters as the segmenter does, as long as they are few."""

    def __init__(self, dictionary: bytes) -> None:
        """Take the lines of the dictionary."""
        self._lines = b"\n" + dictionary
        self._all = log(FREQUENCIES)
        self._beginning: dict[str, bytes] = {}
        self._left = FEW

    def cut(self, run: str) -> list[str] | None:
        """Return the words of a run of characters; None once there were too many, or if one is uncommon."""
        self._left -= len(run)
        if self._left < 0 or not _COMMON.fullmatch(run):
            return None
        ways = [(0.0, 0)] * (
            len(run) + 1
        )  # from each place on: what it is worth, and where the next word begins
        for place in range(len(run) - 1, -1, -1):
            ways[place] = max(
                (log(frequency) - self._all + ways[end][0], end)
                for end, frequency in self._words_at(run, place)
            )
        words, place = list[str](), 0
        while place < len(run):
            words.append(run[place : ways[place][1]])
            place = ways[place][1]
        return words

    def _words_at(self, run: str, place: int) -> Iterator[tuple[int, int]]:
        """Yield where the words of the dictionary end that begin at a place, and how frequent they are."""
        lines, at, found = self._lines_from(run[place]), 0, False
        for end in range(place + 1, len(run) + 1):
            prefix = b"\n" + run[place:end].encode()
            if (at := lines.find(prefix, at)) < 0:
                break
            after = at + len(prefix)
            if lines[after] == _SPACE:  # the word itself stands before those that go on
                found = True
                yield end, int(lines[after + 1 : lines.index(b" ", after + 1)])
        if not found:
            yield place + 1, 1

    def _lines_from(self, character: str) -> bytes:
        """Return the lines whose words begin with a character."""
        if (known := self._beginning.get(character)) is None:
            start, end = (self._find(each.encode()) for each in (character, chr(ord(character) + 1)))
            known = self._beginning[character] = self._lines[start : end + 1]
        return known

    def _find(self, word: bytes) -> int:
        """Return where the lines begin that do not come before a word."""
        near = bisect_left(range(len(self._lines) - 1), word, key=self._line_after)
        return self._lines.find(b"\n", near)

    def _line_after(self, place: int) -> bytes:
        start = self._lines.find(b"\n", place) + 1
        return self._lines[start : start + _LONGEST]


_SPACE = ord(" ")


def read_few_characters() -> FewCharacters | None:
    """Return who cuts few characters by the segmenter's dictionary, if we know the one that is installed."""
    spec = find_spec(SEGMENTER)
    for folder in spec.submodule_search_locations or () if spec else ():
        for library in sorted(Path(folder).glob(f"{SEGMENTER}.*")):
            if dictionary := next(_dictionaries(library.read_bytes()), None):
                return FewCharacters(dictionary)
    return None


def _dictionaries(library: bytes) -> Iterator[bytes]:
    """Yield what is packed within a library and is the dictionary that we know."""
    at = -1
    for _ in range(_FRAMES):
        if (at := library.find(_FRAME, at + 1)) < 0:
            return
        try:
            found = zstd.ZstdDecompressor().decompress(memoryview(library)[at:], _MOST)
        except zstd.ZstdError:
            continue
        if xxh3_64_intdigest(found) == DICTIONARY:
            yield found
