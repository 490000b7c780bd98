"""What the learner knows, as entries that the store keeps: one for each URL that waits, group and example.

Only what changed since the last transaction is written. Numbers go in as they are in memory, to the last bit,
so that a crawl that is resumed goes on as if it had never stopped.
"""

from array import array
from collections.abc import Iterable
from enum import IntEnum

import msgspec
import numpy as np
from msgspec import Struct, field

from thresher.core.records import Url
from thresher.strategies.learned.features import TALLIES, LinkFeatures, Requests, SuccessFit
from thresher.strategies.learned.model import EXPERTS, Experts, LinearModel, PriorityModel
from thresher.strategies.learned.rows import GONE, History, Pieces
from thresher.strategies.learned.table import KEPT, RowTable

Entry = tuple[int, bytes]


class EntryKind(IntEnum):
    """What an entry is about."""

    ROW = 0
    GONE = 1
    GROUP = 2
    EXAMPLE = 3
    RANKS = 5
    URLS = 6  # rows.py


ABOUT_URLS = frozenset({EntryKind.ROW, EntryKind.GONE, EntryKind.URLS})


KINDS = (*TALLIES, "example", "ranks")
"""What has numbers of its own, in the order of the keys."""


class Counters(Struct):
    """How far a crawl has come, and what the user said of it."""

    next_fit: int
    pages: int = 0
    asked: int = 0  # pages and failures
    next_update: int = 0  # requests after which one that brings no page has all that waits ranked anew
    seeds: set[int] = field(default_factory=set)
    roots: list[int] = field(default_factory=list)  # the seeds that were fetched
    taught: dict[Url, bool] = field(default_factory=dict)
    guided: bool = False  # whether a guide has said anything


class LearnerState(Struct, array_like=True):
    """What is known of a crawl as a whole, small enough to be written with every transaction."""

    course: Counters
    labels: tuple[float, int]
    seeds_shown: float
    examples: int
    rows: tuple[int, list[int]]
    weights: list[list[float]] | None
    prior: list[float]
    floor: float
    near: float
    experts: list[float]
    met: int
    asked: tuple[float, float]
    requests: Requests
    lesson: SuccessFit | None


def remember(
    course: Counters,
    evidence: LinkFeatures,
    history: History,
    priority_model: PriorityModel,
) -> str:
    """Return what is known of a crawl as a whole."""
    state = LearnerState(
        course,
        (evidence.sum, evidence.visits),
        priority_model.seeds_shown,
        history.count,
        (evidence.table.used, evidence.table.free),
        priority_model.weights.numbers() if priority_model.weights else None,
        priority_model.prior.tolist(),
        priority_model.floor,
        priority_model.near,
        priority_model.experts.weights.tolist(),
        evidence.table.met,
        (evidence.asked, evidence.brought),
        evidence.answers.requests,
        evidence.answers.lesson,
    )
    return msgspec.json.encode(state, order="deterministic").decode()


def recall(state: str, evidence: LinkFeatures, history: History, priority_model: PriorityModel) -> Counters:
    """Put back what an earlier run knew of the crawl as a whole, and return how far it had come."""
    known = msgspec.json.decode(state, type=LearnerState)
    evidence.sum, evidence.visits = known.labels
    priority_model.seeds_shown = known.seeds_shown
    history.count = known.examples
    evidence.table.used, evidence.table.free = known.rows
    priority_model.weights = LinearModel.of(known.weights) if known.weights else None
    priority_model.prior, priority_model.floor = np.array(known.prior), known.floor
    priority_model.near = known.near
    priority_model.experts.weights, evidence.table.met = np.array(known.experts), known.met
    evidence.asked, evidence.brought = known.asked
    evidence.answers.requests, evidence.answers.lesson = known.requests, known.lesson
    priority_model.guided = known.course.guided
    return known.course


def changes(evidence: LinkFeatures, history: History, priority_model: PriorityModel) -> list[Entry]:
    """Return the entries that are new or changed since this was last asked."""
    ranks = _ranks(priority_model.experts)
    return [*_rows(evidence), *_groups(evidence), *_examples(history), *ranks]


def restore(
    entries: Iterable[Entry],
    evidence: LinkFeatures,
    history: History,
    priority_model: PriorityModel,
) -> None:
    """Put the entries of an earlier run back where they came from."""
    rows = RowsBack(evidence.table)
    for key, value in entries:
        kind = value[1]
        if kind in ABOUT_URLS:
            rows.take(kind, key, value)
            continue
        fields = msgspec.msgpack.decode(value)[1:]
        if kind == EntryKind.GROUP:
            name, number, group, *figures = fields
            evidence.tallies[name].put(number, group, *figures)
        elif kind == EntryKind.EXAMPLE:
            place, url, row, groups, label = fields
            history.put(
                place, Url(url), np.frombuffer(row, np.float64), np.frombuffer(groups, np.int32), label
            )
        else:
            priority_model.experts.ranked = np.frombuffer(fields[0]).reshape(len(EXPERTS), -1)
    rows.finish()


ROW = np.dtype([("head", "V4"), ("kept", KEPT)])  # as MessagePack: an array of the kind and of bytes
AT_ONCE = 1 << 16  # rows put back together


def _rows(evidence: LinkFeatures) -> list[Entry]:
    table = evidence.table
    entries, rows = [*table.urls.changes()], sorted(table.changed)
    kept = np.empty(len(rows), KEPT)
    kept["piece"], kept["cells"] = table.urls.pieces[rows], table.cells[rows]
    cells = kept.view(f"V{KEPT.itemsize}").tolist()
    # the number of a row is its key: rows of a page stand side by side
    entries += [(row, _encode((EntryKind.ROW, each))) for row, each in zip(rows, cells, strict=True)]
    gone = _encode((EntryKind.GONE,))
    entries += [(key, gone) for key in sorted(table.gone)]
    table.changed.clear()
    table.gone.clear()
    return entries


class RowsBack:
    """Puts back what is known of URLs, many at a time: there may be millions."""

    def __init__(self, table: RowTable) -> None:
        """Put it into a table, which has the size it had."""
        table.make_room(table.used)
        self._table = table
        self._rows: list[int] = []
        self._kept: list[bytes] = []
        self._gone = array("q")
        self._pieces = Pieces()

    def take(self, kind: int, key: int, value: bytes) -> None:
        """Take an entry that is about URLs."""
        if kind == EntryKind.ROW:
            self._rows.append(key)
            self._kept.append(value)
            if len(self._rows) == AT_ONCE:
                self._settle()
        elif kind == EntryKind.GONE:
            self._gone.append(key)
        else:
            self._pieces.add(key, value)

    def finish(self) -> None:
        """Put the last rows back, and know again which URLs have which."""
        self._settle()
        keys, rows = self._pieces.still_kept(self._table.urls)
        gone = np.array(self._gone, np.int64)
        self._table.index(
            np.concatenate([keys, gone]), np.concatenate([rows, np.full(len(gone), GONE, np.int32)])
        )

    def _settle(self) -> None:
        kept = np.frombuffer(b"".join(self._kept), ROW)["kept"]
        self._table.settle(np.array(self._rows, np.int64), kept)
        self._rows, self._kept = [], []


def _groups(evidence: LinkFeatures) -> list[Entry]:
    entries = list[Entry]()
    for name in TALLIES:
        tally, first = evidence.tallies[name], _key(name, 0)
        numbers = sorted(tally.changed)
        known = zip(numbers, tally.names(numbers), tally.figures(numbers), strict=True)
        for number, group, figures in known:
            entries.append((first + number, _encode((EntryKind.GROUP, name, number, group, *figures))))
        tally.changed.clear()
    return entries


def _examples(history: History) -> Iterable[Entry]:
    for place in sorted(history.changed):
        url, row, groups, label = history.at(place)
        fields = (EntryKind.EXAMPLE, place, url, row.tobytes(), groups.tobytes(), label)
        yield _key("example", place), _encode(fields)
    history.changed.clear()


def _ranks(experts: Experts) -> Iterable[Entry]:
    if experts.changed:
        yield _key("ranks", 0), _encode((EntryKind.RANKS, experts.ranked.tobytes()))
    experts.changed = False


def _key(name: str, number: int) -> int:
    """Return the key of an entry; those of one kind stand side by side, where they are written together."""
    return number - ((1 + KINDS.index(name)) << 40)


_encode = msgspec.msgpack.Encoder().encode
