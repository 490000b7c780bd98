"""The index beside a crawl: opened, thrown away if it is damaged or another crawl's, and caught up."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from math import isnan
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from msgspec import Struct

from thresher.core.errors import CrawlRunning, StoreFailed
from thresher.search.indexer import TABLES, VERSION, fold_heads, fold_visits, fold_words, recount
from thresher.store.database import Lock
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

T = TypeVar("T")

GROUP = 500  # pages or visits that share one transaction


class IndexLag(Struct, frozen=True):
    """How far an index is behind its crawl."""

    visits: int
    indexed: int
    words: int = 0  # pages that are listed, and cannot be found by their words yet
    is_busy: bool = False  # another process is at it


def index_file(folder: CrawlFolder) -> Path:
    """Return where the index of a crawl stands."""
    return folder.path / "search.db"


@contextmanager
def opened(folder: CrawlFolder) -> Iterator[sqlite3.Connection]:
    """Open the index of a crawl to read it; one that is not there yet is empty."""
    with closing(connect(folder)) as connection:
        yield connection


def connect(folder: CrawlFolder) -> sqlite3.Connection:
    """Return a connection that reads the index of a crawl; one that is not there yet is empty."""
    file = index_file(folder)
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(
            f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=1, check_same_thread=False
        )
        if _is_whole(connection):
            return connection
        connection.close()
    if folder.path in _IN_MEMORY:
        return _in_memory(folder)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    _create(connection, "", 2.0, 0)
    return connection


def catch_up(
    folder: CrawlFolder,
    told: Callable[[IndexLag], bool] = lambda behind: True,
    most: int = 10**9,
    *,
    with_words: bool = True,
) -> IndexLag:
    """Index what came since the last time, at most so many groups; `told` hears of each and may end it.

    Figures and lists come first: words take ten times as long.
    """
    with folder.open() as store:
        try:
            lock = Lock(folder.path / "search.lock")
        except CrawlRunning:
            return behind(folder, is_busy=True)
        except OSError:  # a folder that can only be read
            lock = None
        try:
            with closing(_writable(folder, store) if lock else _made_in_memory(folder, store)) as connection:
                if not _is_judged_alike(connection, store):
                    _in_one(connection, partial(recount, connection, store, _threshold(store), GROUP))
                for _ in range(most):
                    if not (store.last_visit() and _one_group(connection, store, with_words)):
                        break
                    if not told(behind(folder)):
                        break
        except (sqlite3.Error, OSError) as error:
            raise StoreFailed(_cannot(folder, error)) from None
        finally:
            if lock:
                lock.release()
    return behind(folder)


_IN_MEMORY: dict[Path, sqlite3.Connection] = {}  # indexes of folders that can only be read, held open


def _made_in_memory(folder: CrawlFolder, store: CrawlReader) -> sqlite3.Connection:
    """Return a connection that writes the index of a folder that can only be read."""
    if folder.path not in _IN_MEMORY:
        _IN_MEMORY[folder.path] = _in_memory(folder)
        _create(_IN_MEMORY[folder.path], store.origin(), _threshold(store), store.facts.judgements)
    return _in_memory(folder)


def _in_memory(folder: CrawlFolder) -> sqlite3.Connection:
    name = f"file:{quote(str(folder.path.resolve()), safe='')}?mode=memory&cache=shared"
    return sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)


def behind(folder: CrawlFolder, is_busy: bool = False) -> IndexLag:
    """Return how many visits of a crawl its index does not know yet."""
    with folder.open() as store:
        with opened(folder) as connection:
            fits, alike = _fits(connection, store), _is_judged_alike(connection, store)
            query = "SELECT visit, page - words FROM done"
            done, words = connection.execute(query).fetchone() if fits else (0, 0)
        return IndexLag(max(0, store.last_visit() - (done if alike else 0)), done, words, is_busy)


def _one_group(connection: sqlite3.Connection, store: CrawlReader, with_words: bool) -> bool:
    """Index one group in one transaction, figures before words; tell whether there was anything to index."""

    def moved() -> bool:
        figures = fold_visits(connection, store, GROUP) + fold_heads(connection, store, GROUP)
        return figures > 0 or (with_words and fold_words(connection, store, GROUP) > 0)

    return _in_one(connection, moved)


def _in_one(connection: sqlite3.Connection, act: Callable[[], T]) -> T:
    """Act in one transaction: concurrent readers see the index as it was before."""
    connection.execute("BEGIN")
    try:
        found = act()
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return found


def _writable(folder: CrawlFolder, store: CrawlReader) -> sqlite3.Connection:
    """Open the index to write it, or make it anew if it is damaged, old, or of another crawl."""
    file = index_file(folder)
    for _ in range(2):
        connection = sqlite3.connect(file, isolation_level=None, timeout=5)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a lost group is indexed again
            if not _version_of(connection):
                _create(connection, store.origin(), _threshold(store), store.facts.judgements)
            if _is_whole(connection) and _fits(connection, store):
                return connection
        except sqlite3.DatabaseError:
            pass
        connection.close()
        for each in (file, *(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))):
            each.unlink(missing_ok=True)
    raise sqlite3.DatabaseError("made twice and still not readable")


def _fits(connection: sqlite3.Connection, store: CrawlReader) -> bool:
    """Tell whether the index is of this crawl."""
    visit, origin = connection.execute("SELECT visit, origin FROM done").fetchone()
    return bool(origin == store.origin() and visit <= store.last_visit())


def _is_judged_alike(connection: sqlite3.Connection, store: CrawlReader) -> bool:
    """Tell whether the index has what the crawl says of its pages now, and counts by it."""
    judged = connection.execute("SELECT threshold, judgements FROM done").fetchone()
    return bool(judged == (_threshold(store), store.facts.judgements))


def _threshold(store: CrawlReader) -> float:
    """Return from which relevance on pages count; before a crawl has said so, none does."""
    threshold = store.facts.threshold
    return 2.0 if isnan(threshold) else threshold


def _create(connection: sqlite3.Connection, origin: str, threshold: float, judgements: int) -> None:
    connection.executescript(f"BEGIN; {TABLES}")  # one transaction: who reads sees all of it or nothing
    connection.execute(
        "INSERT INTO done (visit, page, words, origin, threshold, judgements) VALUES (0, 0, 0, ?, ?, ?)",
        (origin, threshold, judgements),
    )
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _is_whole(connection: sqlite3.Connection) -> bool:
    """Tell whether this is an index as we make them: one that a stranger made may lack its figures."""
    known = _version_of(connection) == VERSION
    return known and connection.execute("SELECT 1 FROM done").fetchone() is not None


def _version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _cannot(folder: CrawlFolder, error: Exception) -> str:
    return (
        f"{index_file(folder)} cannot be written ({error}); the crawl itself is untouched. "
        "Make room, or copy the folder to a place that can be written, and search there."
    )
