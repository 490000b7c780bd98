"""The URLs of rows: the latest are at hand, the others where the store keeps them, some together in a piece.

A URL is needed when its price is told anew, which happens to few of all that wait; as text it would be most
of what a row takes in memory.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
import numpy as np
from numpy.typing import NDArray

from thresher.core.interfaces import Memory
from thresher.core.records import Url
from thresher.core.url import key_of

HELD = 100_000  # URLs at hand besides those that nobody has kept yet
TOGETHER = 64  # URLs kept in one piece
PLACE = -(32 << 40)  # where the keys of pieces begin, away from those of other entries


class Piece(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """Some URLs as the store keeps them: their rows, their keys, and the URLs on a line each."""

    rows: bytes
    keys: bytes
    lines: str

    def urls(self) -> dict[int, Url]:
        """Return the URLs by their rows."""
        rows = np.frombuffer(self.rows, np.int32).tolist()
        return dict(zip(rows, map(Url, self.lines.split("\n")), strict=True))


class RowUrls:
    """The URL of every row."""

    def __init__(self) -> None:
        """Know no URL."""
        self._new: dict[int, Url] = {}  # nobody has kept them yet
        self._held: dict[int, Url] = {}  # kept, the latest last
        self.pieces: NDArray[np.int32] = np.zeros(1024, np.int32)  # by row: where its URL is kept
        self.written = 0  # pieces

    def put(self, row: int, url: Url) -> None:
        """Give a row its URL."""
        self._held.pop(row, None)
        self._new[row] = url

    def drop(self, row: int) -> None:
        """Let go of the URL of a row that waits no more."""
        self._held.pop(row, None)
        self._new.pop(row, None)

    def of(self, rows: Sequence[int], memory: Memory) -> list[Url]:
        """Return the URLs of rows."""
        found = {row: url for row in rows if (url := self._new.get(row) or self._held.get(row))}
        if missing := [row for row in rows if row not in found]:
            read = self._read(missing, memory)
            self._hold(read)
            found |= read
        return [found[row] for row in rows]

    def changes(self) -> Iterator[tuple[int, bytes]]:
        """Yield what is new in pieces, as entries, and count on it that the store keeps them."""
        rows = iter(sorted(self._new))
        while some := [*islice(rows, TOGETHER)]:
            self.written += 1
            self.pieces[some] = self.written
            urls = [self._new[row] for row in some]
            keys = np.array([*map(key_of, urls)], np.int64)
            piece = Piece(np.array(some, np.int32).tobytes(), keys.tobytes(), "\n".join(urls))
            yield PLACE + self.written, _encode(piece)
        self._hold(self._new)
        self._new = {}

    def _read(self, rows: Sequence[int], memory: Memory) -> dict[int, Url]:
        """Return URLs that the store has."""
        pieces = self.pieces[np.array(rows)]
        kept = memory.entries_at([PLACE + number for number in np.unique(pieces).tolist()])
        urls = {key - PLACE: _decode(value).urls() for key, value in kept.items()}
        return {row: urls[piece][row] for row, piece in zip(rows, pieces.tolist(), strict=True)}

    def _hold(self, urls: dict[int, Url]) -> None:
        """Keep URLs at hand, and let go of those that were not asked for longest."""
        self._held |= urls
        for row in [*islice(self._held, max(0, len(self._held) - HELD))]:
            del self._held[row]


class Pieces:
    """The pieces of an earlier run, while it is put back: only those of rows that still have it count."""

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers, self._rows, self._keys = list[int](), list[bytes](), list[bytes]()

    def add(self, key: int, value: bytes) -> None:
        """Take up a piece, but for its URLs: they are kept already."""
        piece = _decode(value)
        self._numbers.append(key - PLACE)
        self._rows.append(piece.rows)
        self._keys.append(piece.keys)

    def still_kept(self, urls: RowUrls) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return keys and rows whose URLs are in the piece that the row names, once all rows are back."""
        rows = np.frombuffer(b"".join(self._rows), np.int32)
        keys = np.frombuffer(b"".join(self._keys), np.int64)
        numbers = np.repeat(np.array(self._numbers, np.int32), [len(each) // 4 for each in self._rows])
        urls.written = max(self._numbers, default=0)
        still = np.flatnonzero(rows < len(urls.pieces))
        still = still[urls.pieces[rows[still]] == numbers[still]]
        return keys[still], rows[still]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Piece).decode
