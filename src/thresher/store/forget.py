"""Pages taken out of a crawl for good, on request: rows, archived bytes, and all traces.

The order makes every crash harmless. First the settings say that the pages are not to be asked for again.
Then each archive file that holds some of them is written anew, without them, under a new name; one
transaction lets the database forget them and know the new files; then the old files go. Which those are
stands in the same transaction, so that the next opening of the crawl removes what a crash has left.
"""

import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.files import whole_path
from thresher.core.platform import sync_folder
from thresher.core.records import Candidate, Url
from thresher.core.url import hostname_of, key_of
from thresher.settings.load import read, written
from thresher.store import fixity
from thresher.store.archive import INDEX, remove_discarded
from thresher.store.codecs import pack, unpack
from thresher.store.database import Lock
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels, add_model_labels, read_labels, read_model_labels
from thresher.store.queries import ArchivedResponse
from thresher.store.read import CrawlReader
from thresher.store.schema import write_facts
from thresher.warc.files import WARC, LocalVolume

REVISIT = "warc/revisit"
MADE_ANEW = ("report.html", "search.db", "search.db-wal", "search.db-shm", "search.db-journal")
BY_VISIT = {
    "capture": "visit",
    "link": "source",
    "cited": "source",
    "first_judged": "visit",
    "contrast": "visit",
    "visit": "number",
}
BY_KEY = ("page", "watched", "version", "revisit", "strategy_state")


class DeletionRequest(Struct, frozen=True):
    """What is to be forgotten: pages by their keys, and hosts with everything below them."""

    urls: tuple[Url, ...] = ()
    hosts: tuple[str, ...] = ()

    def has(self, url: Url) -> bool:
        """Tell whether a URL is to be forgotten."""
        return key_of(url) in {key_of(each) for each in self.urls} or self.has_host(hostname_of(url))

    def has_host(self, host: str) -> bool:
        """Tell whether everything of a host is to be forgotten."""
        return any(host == name or host.endswith(f".{name}") for name in self.hosts)

    def patterns(self) -> list[str]:
        """Return what keeps a crawl from asking for them again, as `scope.exclude` has it."""
        pages = [f"^https?://{re.escape(url.partition('://')[2])}$" for url in self.urls]
        return pages + [
            rf"^https?://([^/@]*@)?([^/]*\.)?{re.escape(name)}(:\d+)?(/|$)" for name in self.hosts
        ]


class Forgotten(Struct, frozen=True):
    """What was taken out."""

    pages: int
    visits: int
    responses: int
    copies: int  # responses of other pages that had no bytes of their own but these


class Target(Struct, frozen=True):
    """The rows of a crawl that are to go."""

    visits: frozenset[int]
    keys: frozenset[int]


def forget(folder: CrawlFolder, unwanted: DeletionRequest) -> Forgotten:
    """Take pages out of a crawl that is not being written, and exclude them from it."""
    folder.must_exist()
    folder.resume(_excluding(folder, unwanted)).close()  # whole and up to date, or refused
    lock = Lock(folder.path / "crawl.lock")
    fixity.unseal(folder.database)
    try:
        with closing(sqlite3.connect(folder.database, isolation_level=None)) as connection:
            told = _forget_rows(connection, folder, unwanted)
            remove_discarded(connection, folder.volume)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _forget_files(folder, unwanted)
    finally:
        lock.release()
    folder.resume().close()  # lists what is left in the archive
    return told


def _excluding(folder: CrawlFolder, unwanted: DeletionRequest) -> str:
    """Return what was asked, and that the pages are left out from now on."""
    asked = read(folder.settings)
    exclude = dict.fromkeys([*asked.scope.exclude, *unwanted.patterns()])
    return written(replace(asked, scope=replace(asked.scope, exclude=tuple(exclude))))


def _forget_rows(connection: sqlite3.Connection, folder: CrawlFolder, unwanted: DeletionRequest) -> Forgotten:
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        target = _target(connection, unwanted)
        (pages,) = connection.execute(
            f"SELECT count(*) FROM page WHERE {_among('key')}", _list(target.keys)
        ).fetchone()
        responses, copies = _forget_responses(connection, folder.volume, target)
        _forget_links(connection, unwanted, target)
        _delete(connection, target)
        connection.execute("DELETE FROM learned")  # the words of the pages are part of it
        write_facts(connection, {"relearn": True})
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return Forgotten(pages, len(target.visits), responses, copies)


def _target(connection: sqlite3.Connection, unwanted: DeletionRequest) -> Target:
    """Return the visits that are to go, those to addresses that lead there among them."""
    urls = {key_of(url) for url in unwanted.urls}
    found: dict[int, int] = {
        number: key
        for number, key, url in connection.execute("SELECT number, key, url FROM visit")
        if key in urls or (unwanted.hosts and unwanted.has_host(hostname_of(url)))
    }
    keys = {*urls, *found.values()}
    redirects = connection.execute(
        "SELECT number, key, moved_to FROM visit WHERE moved_to IS NOT NULL"
    ).fetchall()
    for _ in redirects:  # as many in a row at most
        more = {number: key for number, key, to in redirects if number not in found and key_of(to) in keys}
        if not more:
            break
        found |= more
        keys |= set(more.values())
    return Target(frozenset(found), frozenset(keys))


def _forget_responses(connection: sqlite3.Connection, volume: LocalVolume, target: Target) -> tuple[int, int]:
    """Write anew the archive files that hold responses of the visits; return how many, and of others."""
    kept = list(CrawlReader(connection).kept())
    own = {each.number for each in kept if each.number in target.visits}
    payloads = {
        each.capture.digest for each in kept if each.number not in own and each.capture.mime != REVISIT
    }
    bare = {
        each.number
        for each in kept
        if each.number not in own and each.capture.mime == REVISIT and each.capture.digest not in payloads
    }
    files = {each.capture.file for each in kept if each.number in own | bare}
    for file in sorted(files):
        _without(connection, volume, [each for each in kept if each.capture.file == file], own | bare)
    connection.executemany("UPDATE visit SET record = '' WHERE number = ?", [(number,) for number in bare])
    connection.executemany("DELETE FROM capture WHERE visit = ?", [(number,) for number in bare])
    write_facts(connection, {"discarded": sorted(files), "indexed": 0})
    return len(own), len(bare)


def _without(
    connection: sqlite3.Connection, volume: LocalVolume, kept: Sequence[ArchivedResponse], gone: set[int]
) -> None:
    """Write one file without some of its responses, and let the database know where the others are now."""
    old = kept[0].capture.file
    new = _next_name(volume, old)
    cuts = sorted((each.capture.offset, each.end) for each in kept if each.number in gone)
    (length,) = connection.execute("SELECT length FROM archive WHERE file = ?", (old,)).fetchone()
    with volume.replace(new) as file, volume.open(old) as before:
        for piece in _pieces(before, cuts, length):
            file.write(piece)
        connection.execute("UPDATE archive SET file = ?, length = ? WHERE file = ?", (new, file.tell(), old))
    starts = [start for start, _ in cuts]
    shifts = [0]
    for start, end in cuts:
        shifts.append(shifts[-1] + end - start)
    for each in kept:
        if each.number not in gone:
            offset = each.capture.offset - shifts[bisect_right(starts, each.capture.offset)]
            connection.execute(
                "UPDATE capture SET file = ?, offset = ? WHERE visit = ?", (new, offset, each.number)
            )
            connection.execute(
                "UPDATE visit SET record = ? WHERE number = ?", (f"{new}#{offset}", each.number)
            )


def _pieces(file: BinaryIO, cuts: Sequence[tuple[int, int]], length: int) -> Iterator[bytes]:
    """Yield a file without the parts that are cut out of it."""
    starts = [0, *(end for _, end in cuts)]
    for start, end in zip(starts, [*(start for start, _ in cuts), length], strict=True):
        file.seek(start)
        left = end - start
        while left and (piece := file.read(min(left, 1 << 20))):
            left -= len(piece)
            yield piece


def _next_name(volume: LocalVolume, name: str) -> str:
    """Return the name of a file with a number that no file has."""
    numbers = (number for each in volume.names() if (number := _parted(each)[1]) is not None)
    return f"{_parted(name)[0]}-{max(numbers, default=-1) + 1:05d}{WARC}"


def _parted(name: str) -> tuple[str, int | None]:
    """Return the stem and the number of an archive's file; a file of another name has no number."""
    stem, _, number = name.removesuffix(WARC).rpartition("-")
    if not name.endswith(WARC) or not stem or not number.isdecimal():
        return name.removesuffix(WARC), None
    return stem, int(number)


def _forget_links(connection: sqlite3.Connection, unwanted: DeletionRequest, target: Target) -> None:
    """Take out what waits for the pages, and what they said of the pages they led to."""
    went: list[tuple[int]] = []
    changed: list[tuple[bytes, int]] = []
    for arrival, blob in connection.execute("SELECT arrival, candidate FROM waiting"):
        candidate = unpack(blob)
        if key_of(candidate.url) in target.keys or unwanted.has_host(hostname_of(candidate.url)):
            went.append((arrival,))
        elif _is_from(candidate, target):
            changed.append((pack(replace(candidate, via=None)), arrival))
    connection.executemany("DELETE FROM waiting WHERE arrival = ?", went)
    connection.executemany("UPDATE waiting SET candidate = ? WHERE arrival = ?", changed)
    visits = [
        (pack(replace(candidate, via=None), bare=True), number)
        for number, url, blob in connection.execute("SELECT number, url, candidate FROM visit")
        if _is_from(candidate := unpack(blob, url), target)
    ]
    connection.executemany("UPDATE visit SET candidate = ? WHERE number = ?", visits)


def _is_from(candidate: Candidate, target: Target) -> bool:
    return candidate.via is not None and key_of(candidate.via.source) in target.keys


def _delete(connection: sqlite3.Connection, target: Target) -> None:
    known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table, column in BY_VISIT.items():
        if table in known:
            connection.execute(f"DELETE FROM {table} WHERE {_among(column)}", _list(target.visits))
    for table in BY_KEY:
        if table in known:
            connection.execute(f"DELETE FROM {table} WHERE {_among('key')}", _list(target.keys))


def _among(column: str) -> str:
    return f"{column} IN (SELECT value FROM json_each(?))"


def _list(numbers: Iterable[int]) -> tuple[str]:
    return (str(sorted(numbers)),)


def _forget_files(folder: CrawlFolder, unwanted: DeletionRequest) -> None:
    """Take the pages out of the labels, and remove what is made anew on demand."""
    for name in MADE_ANEW:
        (folder.path / name).unlink(missing_ok=True)
    (folder.archive / INDEX).unlink(missing_ok=True)
    for path in folder.archive.glob("*.warc.gz.tail-*"):  # cut off after a crash: its content is unknown
        path.unlink()
    if folder.labels.exists():
        left = {
            url: said
            for url, said in read_labels(folder.labels, strict=False).items()
            if not unwanted.has(url)
        }
        with whole_path(folder.labels) as path:
            Labels(path).add(left)
    if folder.model_labels.exists():
        kept = [each for each in read_model_labels(folder.model_labels) if not unwanted.has(each.url)]
        with whole_path(folder.model_labels) as path:
            add_model_labels(path, kept)
    sync_folder(folder.path)
