"""The columns beside the table of evidence: which row has which URL, and the visits learned from."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from thresher.core.interfaces import CrawlView
from thresher.core.records import Url
from thresher.core.url import key_of

# Columns that grow; unused capacity takes no memory


Column = TypeVar("Column", bound=np.generic)


def longer(column: NDArray[Column], size: int) -> NDArray[Column]:
    """Return a column with more room."""
    grown = np.zeros(size, column.dtype)
    grown[: len(column)] = column
    return grown


# Row numbers by key: the old keys in a sorted array, 12 bytes each, the recent ones in a dictionary


Keys = NDArray[np.int64]
ShortRows = NDArray[np.int32]

RECENT = 65_536  # keys held in a dictionary before they are sorted in with the others
GONE = -1  # the row of a URL that was asked for, or never will be


class RowIndex:
    """A mapping from the 64-bit key of a URL to its row, or GONE; what is recent overrides what is old."""

    def __init__(self) -> None:
        """Know no key."""
        self._keys: Keys = np.empty(0, np.int64)
        self._rows: ShortRows = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}

    def get(self, key: int) -> int | None:
        """Return the row of a key, if it was met."""
        return self.get_many([key])[0]

    def get_many(self, keys: Sequence[int]) -> list[int | None]:
        """Return the rows of many keys at once."""
        found = [*map(self._recent.get, keys)]
        if len(self._keys) and None in found:
            missing = [place for place, row in enumerate(found) if row is None]
            wanted = np.array([keys[place] for place in missing], np.int64)
            places, known = self._find(wanted)
            rows = self._rows[places].tolist()
            for place, row, is_known in zip(missing, rows, known.tolist(), strict=True):
                if is_known:
                    found[place] = row
        return found

    def __setitem__(self, key: int, row: int) -> None:
        """Give a key a row."""
        self._recent[key] = row
        if len(self._recent) >= RECENT:
            recent, self._recent = self._recent, {}
            self.load(np.fromiter(recent, np.int64), np.fromiter(recent.values(), np.int32))

    def load(self, keys: Keys, rows: ShortRows) -> None:
        """Sort keys in with the old ones, each at most once; one that is there already gets its new row."""
        order = keys.argsort()
        keys, rows = keys[order], rows[order]
        places, known = self._find(keys)
        self._rows[places[known]] = rows[known]
        new = np.searchsorted(self._keys, keys[~known])
        self._keys = np.insert(self._keys, new, keys[~known])
        self._rows = np.insert(self._rows, new, rows[~known])

    def _find(self, wanted: Keys) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return where keys stand among the old ones, and whether they do."""
        if not len(self._keys):
            return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), np.bool_)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return places, self._keys[places] == wanted


# The URLs of rows: the latest are at hand, the others where the store keeps them, some together in a piece.
#
# A URL is needed when its priority is told anew, which happens to few of those that wait; as text it is most
# of what a row takes in memory.


HELD = 100_000  # URLs at hand besides those that are not stored yet
TOGETHER = 64  # URLs kept in one piece
PLACE = -(32 << 40)  # where the keys of pieces begin, away from those of other entries


class UrlBlock(msgspec.Struct, frozen=True, array_like=True, tag=6):
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
        self._new: dict[int, Url] = {}  # they are not stored yet
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

    def of(self, rows: Sequence[int], memory: CrawlView) -> list[Url]:
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
            piece = UrlBlock(np.array(some, np.int32).tobytes(), keys.tobytes(), "\n".join(urls))
            yield PLACE + self.written, _encode(piece)
        self._hold(self._new)
        self._new = {}

    def _read(self, rows: Sequence[int], memory: CrawlView) -> dict[int, Url]:
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
_decode = msgspec.msgpack.Decoder(UrlBlock).decode


# The last few thousand visits that were learned from: rows of evidence with their labels


Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]


class History:
    """A ring of examples: when it is full each new one takes the place of the oldest."""

    def __init__(self, size: int, width: int, groups: int) -> None:
        """Hold up to `size` rows of `width` columns, each with the numbers of its groups."""
        self.size = size
        self.count = 0  # of all that ever came
        self.urls: list[Url] = []
        self.changed: set[int] = set()  # places
        self._rows: Floats = np.zeros((256, width))
        self._labels: Floats = np.zeros(256)
        self._groups: Numbers = np.zeros((256, groups), np.int32)

    def __len__(self) -> int:
        return min(self.count, self.size)

    @property
    def rows(self) -> Floats:
        """The rows of evidence, as they stood when their URLs were visited."""
        return self._rows[: len(self)]

    @property
    def labels(self) -> Floats:
        """What each of the pages turned out to be worth."""
        return self._labels[: len(self)]

    def add(self, url: Url, row: Floats, groups: Numbers, label: float) -> None:
        """Keep one more example."""
        place = self.count % self.size
        self.put(place, url, row, groups, label)
        self.changed.add(place)
        self.count += 1

    def at(self, place: int) -> tuple[Url, Floats, Numbers, float]:
        """Return an example: its URL, its row, the numbers of its groups and its label."""
        return self.urls[place], self._rows[place], self._groups[place], float(self._labels[place])

    def groups(self, places: Sequence[int]) -> Numbers:
        """Return the numbers of the groups of several examples."""
        return self._groups[places]

    def put(self, place: int, url: Url, row: Floats, groups: Numbers, label: float) -> None:
        """Put an example in its place."""
        while place >= len(self._labels):
            for name in ("_rows", "_labels", "_groups"):
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        self.urls.extend([url] * (place + 1 - len(self.urls)))
        self.urls[place] = url
        self._rows[place], self._groups[place], self._labels[place] = row, groups, label

    def correct(self, place: int, label: float) -> None:
        """Give an example another label."""
        self._labels[place] = label
        self.changed.add(place)

    def latest(self, several: int) -> list[int]:
        """Return the places of the last examples, the newest first."""
        return [number % self.size for number in range(self.count - 1, self.count - 1 - several, -1)]
