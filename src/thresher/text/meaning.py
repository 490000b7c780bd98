"""What a short text means, in English and Chinese: the sum of the vectors of its pieces.

    v(text) = unit(sum over its pieces of E[piece])

Texts are cut by greedy longest match: English words into pieces of WordPiece (`##` marks one inside a word),
Chinese into words of up to four characters. E was fitted to sentence vectors of MiniLM by
scripts/make_meaning.py; it is read when it is first needed. Notices: meaning.notice.txt.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from thresher.text.vectors import Floats

Pieces = tuple[int, ...]
Rows = NDArray[np.int64]

LONGEST_WORD = 40  # letters: what is longer is no word
LONGEST_CHINESE = 4  # characters of a piece
CUT_RUNS = 1 << 14  # words whose pieces are remembered: most come again
AT_ONCE = 4096  # rows that are compared together, so that they stay in the cache of the processor
SHORTEST = 1e-9  # no direction is divided by less
LAST_LATIN = "\u3fff"  # all that is cut as English lies below
_WORD = re.compile(r"^(?:[a-z]{3,}|[\u4e00-\u9fff]{2,})$", re.MULTILINE)
_RUNS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


class PieceTable:
    """Pieces of words, and a direction for each whose length says how much it tells."""

    def __init__(
        self, pieces: Sequence[str], packed: NDArray[np.int8], scale: Floats, cuts: Sequence[int] = ()
    ) -> None:
        """Take the pieces with a packed row and its scale each, and where the words in Chinese ones stand."""
        self._cuts = cuts
        self.pieces = tuple(pieces)
        self._row = dict(zip(pieces, range(len(pieces)), strict=True))
        self._packed, self._scale = packed, scale
        self._cut_run = lru_cache(CUT_RUNS)(self._cut_anew)

    def vectors(self, rows: Sequence[int] | Rows) -> Floats:
        """Return the directions of some pieces; all of them together take four times the memory."""
        at = np.array(rows, np.int64)
        return np.asarray(self._packed[at] * self._scale[at, None], "f4")

    @cached_property
    def words(self) -> tuple[Rows, Rows]:
        """The rows of the pieces that are words: of English, and of Chinese."""
        words = [self._row[word] for word in _WORD.findall("\n".join(self.pieces))]
        is_chinese = np.array([self.pieces[row] > LAST_LATIN for row in words], bool)
        return np.array(words)[~is_chinese], np.array(words)[is_chinese]

    @cached_property
    def chinese(self) -> Mapping[int, str]:
        """The one word in each Chinese piece, by row, as the segmenter said, which takes 33 MB."""
        cuts = zip(self.words[1].tolist(), self._cuts, strict=False)
        return {row: self.pieces[row][cut >> 4 : cut & 15] for row, cut in cuts if cut}

    def nearness(self, rows: Rows, directions: Sequence[Floats]) -> Floats:
        """Return the cosine of the pieces of these rows with each direction, a column each."""
        found = np.empty((len(rows), len(directions)), "f4")
        for start in range(0, len(rows), AT_ONCE):
            vectors = self.vectors(rows[start : start + AT_ONCE])
            lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), SHORTEST)
            found[start : start + AT_ONCE] = vectors @ np.array(directions, "f4").T / lengths
        return found

    @property
    def width(self) -> int:
        """How many directions a vector has."""
        return int(self._packed.shape[1])

    def cut(self, text: str) -> Pieces:
        """Return the rows of the pieces of a text; what the table cannot spell is left out."""
        rows: list[int] = []
        for run in _RUNS.findall(_plain(text)):
            rows += self._cut_run(run)
        return tuple(rows)

    def vector(self, text: str) -> Floats:
        """Return the direction of a text, of a length of one; zeros where none of it is known."""
        return _unit(self.vectors(self.cut(text)).sum(axis=0))

    def direction(self, weights: Mapping[str, float]) -> Floats:
        """Return the direction of weighted texts together; zeros where none of them is known."""
        total = np.zeros(self.width, "f4")
        for text, weight in weights.items():
            total += weight * self.vector(text)
        return _unit(total)

    def cosines(self, texts: Sequence[str], direction: Floats) -> Floats:
        """Return the cosine of each text with a direction; 0 where none of it is known."""
        cuts = [self.cut(text) for text in texts]
        known = [place for place, cut in enumerate(cuts) if cut]
        found = np.zeros(len(texts), "f4")
        if known:
            starts = np.cumsum([0, *[len(cuts[place]) for place in known[:-1]]])
            rows = self.vectors([row for cut in cuts for row in cut])
            totals = np.add.reduceat(rows, starts, axis=0)
            lengths = np.sqrt(np.add.reduce(totals * totals, axis=1))
            found[known] = np.add.reduce(totals * direction, axis=1) / np.maximum(lengths, SHORTEST)
        return found

    def similarity(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""
        return float(self.vector(one) @ self.vector(other))

    def _cut_anew(self, run: str) -> Pieces:
        return tuple(self._chinese(run)) if run[0] > LAST_LATIN else self._word(run)

    def _word(self, word: str) -> Pieces:
        """Return the pieces of an English word, or none if any of its letters is left over."""
        found, at = list[int](), 0
        while at < len(word) <= LONGEST_WORD:
            head = "##" if at else ""
            for end in range(len(word), at, -1):
                if (row := self._row.get(head + word[at:end])) is not None:
                    break
            else:
                return ()
            found.append(row)
            at = end
        return tuple(found)

    def _chinese(self, run: str) -> Iterator[int]:
        at = 0
        while at < len(run):
            known = (at + n for n in range(LONGEST_CHINESE, 0, -1) if run[at : at + n] in self._row)
            end = next(known, None)
            if end is not None:
                yield self._row[run[at : min(end, len(run))]]
            at = at + 1 if end is None else min(end, len(run))


def _unit(total: Floats) -> Floats:
    return np.asarray(total / max(float(np.linalg.norm(total)), SHORTEST), "f4")


def _plain(text: str) -> str:
    """Return a text in small letters without accents."""
    text = text.lower()
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=1)
def shipped_meaning() -> PieceTable:
    """Return the table that comes with the package, read once."""
    with files("thresher.text").joinpath("meaning.npz").open("rb") as file:
        stored = np.load(file)
        pieces = bytes(stored["pieces"].tobytes()).decode().split("\n")
        cuts = stored["cuts"].tolist()
        return PieceTable(pieces, stored["vectors"], stored["scale"].astype("f4"), cuts)
