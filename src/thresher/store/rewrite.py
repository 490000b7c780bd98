"""A database of the form before this one, written anew beside the old file, whose place it takes at once.

Whenever it is cut off, the folder holds the old database or the new one, whole. What was begun and not
finished has a name of its own and goes when somebody begins again.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from thresher.core import files
from thresher.core.files import whole_path
from thresher.core.platform import sync_folder
from thresher.core.records import Candidate, Page
from thresher.store import schema
from thresher.store.codecs import pack, pack_keys, pack_page
from thresher.store.schema import write_facts

FORMER = 5  # the version of that form
IF_THERE = {"mind": schema.STATE, "first_judged": schema.FIRST_JUDGED, "version": schema.WATCH_TABLES}
"""Tables that a crawl may lack, and what makes them and those that come with them."""
SOME = 500  # rows between two points at which a test may pull the plug

Row = tuple[Any, ...]

_decode_candidate = msgspec.json.Decoder(Candidate).decode
_decode_page = msgspec.msgpack.Decoder(Page).decode


def rewrite(database: Path) -> None:
    """Put a database in today's form in the place of the former one, which nobody else may be writing."""
    for left in database.parent.glob(f".{database.name}.*"):
        left.unlink()
    with closing(sqlite3.connect(database, isolation_level=None)) as old, whole_path(database) as new:
        _settle(old)
        _write(old, new)
        shutil.copymode(database, new)
        _onto_disk(new)
        files.reached(files.BEFORE_SWAP)
    sync_folder(database.parent)
    files.reached(files.AFTER_SWAP)


def _settle(old: sqlite3.Connection) -> None:
    """Let the file be all there is of the database: a log beside it would be taken for the new one's."""
    (mode,) = old.execute("PRAGMA journal_mode = DELETE").fetchone()
    if mode != "delete":
        raise sqlite3.OperationalError("somebody is reading it")
    old.execute("BEGIN IMMEDIATE")


def _write(old: sqlite3.Connection, new: Path) -> None:
    with closing(sqlite3.connect(new, isolation_level=None)) as target:
        target.execute("PRAGMA journal_mode = OFF")  # what is cut off is begun anew
        target.execute("PRAGMA synchronous = OFF")
        schema.create(target)
        known = _tables(old)
        for table, made_by in IF_THERE.items():
            if table in known:
                target.executescript(made_by)
        target.execute("BEGIN")
        for table in sorted(_tables(target) & known):
            _insert(target, table, _rows(old, target, table))
        write_facts(target, {"links_sorted": 0})
        target.execute("COMMIT")


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _rows(old: sqlite3.Connection, target: sqlite3.Connection, table: str) -> Iterable[Row]:
    """Return the rows of a table as they are kept now, in the order of the columns."""
    if table == "page":
        columns = "id, key, visit, relevance, title, language, length(text), page, text"
        return map(_page, old.execute(f"SELECT {columns} FROM page ORDER BY id"))
    if table == "link":
        links = old.execute("SELECT source, target FROM link ORDER BY source, rowid")
        return ((visit, _keys(group)) for visit, group in groupby(links, itemgetter(0)))
    names = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
    rows = old.execute(f"SELECT {', '.join(names)} FROM {table}")
    return _visits(rows, names.index("candidate")) if table == "visit" else rows


def _visits(rows: Iterable[Row], at: int) -> Iterator[Row]:
    for row in rows:
        yield (*row[:at], pack(_decode_candidate(row[at]), bare=True), *row[at + 1 :])


def _page(row: Row) -> Row:
    *told, blob, text = row
    return (*told, pack_page(replace(_decode_page(blob), text=text)))


def _keys(links: Iterable[tuple[int, int]]) -> bytes:
    return pack_keys(list(dict.fromkeys(target for _, target in links)))


def _insert(target: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    row = iter(rows)
    if (first := next(row, None)) is None:
        return
    insert = f"INSERT INTO {table} VALUES ({','.join('?' * len(first))})"
    target.execute(insert, first)
    target.executemany(insert, _observed(row))


def _observed(rows: Iterator[Row]) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number % SOME == 0:
            files.reached(files.IN_REWRITE)
        yield row


def _onto_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
