"""What the learner knows, as entries that the store keeps: one for each URL that waits, group and example.

Only what changed since the last transaction is written. Numbers go in as they are in memory, to the last bit,
so that a crawl that is resumed goes on as if it had never stopped.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from thresher.core.records import Url
from thresher.relevance.learning import Learning
from thresher.strategies.learning.evidence import YIELDS, Evidence
from thresher.strategies.learning.history import History
from thresher.strategies.learning.table import Table

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
            _restore_row(evidence, fields)
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
    for row in sorted(table.changed):
        fields = (
            row,
            table.url(row),
            int(table.depths[row]),
            int(table.mentions[row]),
            float(table.told[row]),
            *(column[row].tobytes() for column in _columns(table)),
        )
        yield table.key(row), _encode((Kind.ROW, *fields))
    gone = _encode((Kind.GONE,))
    yield from ((key, gone) for key in sorted(table.gone))
    table.changed.clear()
    table.gone.clear()


def _restore_row(evidence: Evidence, fields: list[Any]) -> None:
    table = evidence.table
    row, url, depth, mentions, told, *columns = fields
    table.place(row, Url(url))
    table.depths[row], table.mentions[row], table.told[row] = depth, mentions, told
    for column, stored in zip(_columns(table), columns, strict=True):
        column[row] = np.frombuffer(stored, column.dtype)


def _columns(table: Table) -> tuple[NDArray[Any], ...]:
    return table.evidence, table.groups, table.parents, table.sections


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
