"""What the learner knows, as entries that the store keeps: one for each URL that waits, group and example.

Only what changed since the last transaction is written. Numbers go in as they are in memory, to the last bit,
so that a crawl that is resumed goes on as if it had never stopped.
"""

from collections.abc import Iterable
from enum import IntEnum

import msgspec
import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.relevance.learning import Learning
from thresher.strategies.learning.evidence import YIELDS, Evidence
from thresher.strategies.learning.history import History
from thresher.strategies.learning.table import CELLS, Table

Entry = tuple[int, bytes]


class Kind(IntEnum):
    """What an entry is about."""

    ROW = 0
    GONE = 1
    GROUP = 2
    EXAMPLE = 3
    WORDS = 4


def changes(evidence: Evidence, history: History, judge: Learning) -> list[Entry]:
    """Return the entries that are new or changed since this was last asked."""
    return [*_rows(evidence), *_groups(evidence), *_examples(history), *_words(judge)]


def restore(entries: Iterable[Entry], evidence: Evidence, history: History, judge: Learning) -> None:
    """Put the entries of an earlier run back where they came from."""
    for key, value in entries:
        kind, *fields = msgspec.msgpack.decode(value)
        if kind == Kind.ROW:
            _restore_row(evidence.table, *fields)
        elif kind == Kind.GONE:
            evidence.table.forget(key)
        elif kind == Kind.GROUP:
            name, number, group, total, count = fields
            evidence.tallies[name].put(number, group, total, count)
        elif kind == Kind.EXAMPLE:
            place, url, row, groups, label = fields
            history.put(
                place, Url(url), np.frombuffer(row, np.float64), np.frombuffer(groups, np.int32), label
            )
        else:
            name, words = fields
            setattr(judge, name, np.frombuffer(words, np.float64).copy())


def _rows(evidence: Evidence) -> Iterable[Entry]:
    table = evidence.table
    rows = sorted(table.changed)
    for row, cells in zip(rows, table.cells[rows], strict=True):
        url = table.url(row)
        yield key_of(url), _encode((Kind.ROW, row, url, cells.tobytes()))
    gone = _encode((Kind.GONE,))
    yield from ((key, gone) for key in sorted(table.gone))
    table.changed.clear()
    table.gone.clear()


def _restore_row(table: Table, row: int, url: str, cells: bytes) -> None:
    table.place(row, Url(url))
    table.cells[row] = np.frombuffer(cells, CELLS)[0]


def _groups(evidence: Evidence) -> Iterable[Entry]:
    for name in YIELDS:
        tally = evidence.tallies[name]
        for number in sorted(tally.changed):
            fields = (name, number, tally.name(number), tally.sums[number], tally.counts[number])
            yield _key(f"{name} {number}"), _encode((Kind.GROUP, *fields[:3], *map(float, fields[3:])))
        tally.changed.clear()


def _examples(history: History) -> Iterable[Entry]:
    for place in sorted(history.changed):
        url, row, groups, label = history.at(place)
        fields = (Kind.EXAMPLE, place, url, row.tobytes(), groups.tobytes(), label)
        yield _key(f"example {place}"), _encode(fields)
    history.changed.clear()


def _words(judge: Learning) -> Iterable[Entry]:
    for name in sorted(judge.changed):
        words: NDArray[np.float64] = getattr(judge, name)
        yield _key(name), _encode((Kind.WORDS, name, words.tobytes()))
    judge.changed.clear()


def _key(name: str) -> int:
    return xxh3_64_intdigest(name.encode()) - (1 << 63)


_encode = msgspec.msgpack.Encoder().encode
