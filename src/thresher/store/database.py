"""The writing face of the store: one SQLite file, the fold's only memory that outlives the process."""

import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from time import monotonic

from typing_extensions import override

from thresher.core import files
from thresher.core.enums import Outcome, Request
from thresher.core.errors import CrawlRunning
from thresher.core.interfaces import Store
from thresher.core.platform import lock, open_file
from thresher.core.records import Candidate, Page, Visit
from thresher.core.url import key_of, keys_of
from thresher.store import fixity, schema
from thresher.store.archive import Archive
from thresher.store.codecs import pack, pack_keys, packed_page_of
from thresher.store.errors import DiskErrorHandler
from thresher.store.frontier_table import SqliteShelf
from thresher.store.labels import Labels
from thresher.store.read import VISIT, CrawlReader
from thresher.store.schema import ActiveRun, CrawlMetadata, changed_facts, read_facts, write_facts

# The lock: one process writes a crawl, the second is refused


WIDTH = 20  # characters for the number of a process: what was there before is written over, never cut off


class Lock:
    """A lock the system takes back whatever becomes of the process that holds it."""

    def __init__(self, path: Path) -> None:
        """Take the lock, or raise CrawlRunning with its holder."""
        self._descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            lock(self._descriptor)
        except OSError:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            holder = os.read(self._descriptor, WIDTH).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise CrawlRunning(
                f"Process {holder or 'unknown'} is crawling in {path.parent}. Wait for it, or stop it first."
            ) from None
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, f"{os.getpid():<{WIDTH}}".encode())

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._descriptor)


GROUP = 8  # visits that share one transaction: so many are asked for again after a kill
FAST, LARGE = 100, 64  # while a crawl makes more visits a second than the first, so many share one
LONGEST = 1.0  # seconds a visit waits for others to share its transaction
IN_MEMORY = Path(":memory:")
_INSERT_VISIT = f"INSERT INTO visit ({VISIT}) VALUES ({','.join('?' * 13)})"


class Database(CrawlReader, Store):
    """Both faces of the store. A visit is committed with everything it led to, in small groups.

    A group is closed when the *next* visit arrives, so that it holds what its last visit led to as well.
    The archive is flushed before the group is committed: what the database knows of, the archive has.
    """

    def __init__(
        self,
        path: Path = IN_MEMORY,
        *,
        archive: Archive | None = None,
        lock: Lock | None = None,
        labels: Labels | None = None,
    ) -> None:
        """Open a crawl's database, or make one; the lock is let go when it is closed."""
        self._named, self._path = DiskErrorHandler(path.parent), path
        self._pending, self._began, self._closed = 0, 0.0, False
        self._moments: deque[float] = deque(maxlen=FAST)  # of the latest visits
        self._archive, self._lock = archive, lock
        self._run: ActiveRun | None = None
        with self._named:
            fixity.refuse_damage(path)
            fixity.unseal(path)
            super().__init__(sqlite3.connect(path, isolation_level=None), labels)
            try:
                self._set_up(path)
            except BaseException:
                self._connection.close()
                raise

    def _set_up(self, path: Path) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an acknowledged page survives a power failure too
        connection.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB: a pause of a tenth of a second
        connection.execute(
            "PRAGMA cache_size = -16000"
        )  # kilobytes: the inner nodes of a frontier of millions
        connection.execute("PRAGMA secure_delete = OFF")  # what has been visited is no secret
        if not schema.version_of(connection):
            schema.create(connection)
        schema.check(connection, path.name)
        connection.executescript(schema.STATE)
        if self._archive:
            self._archive.recover(connection)
        self._facts = read_facts(connection)
        self._committed = copy(self._facts)
        self.shelf = SqliteShelf(connection, self._begin, self._named)

    def __str__(self) -> str:
        return "one database, committed with the archive" if self._archive else "one database"

    @override
    def add(self, visit: Visit) -> None:
        if self._is_full():
            self.commit()
        with self._named:
            self._begin()
            self._pending += 1
            kept = self._archive.write(self._connection, visit) if self._archive and visit.fetched else None
            number = self._insert_visit(visit, str(kept.place) if kept else visit.record)
            if kept:
                kept.note(self._connection, number)
            if visit.contrast is not None:
                self._connection.execute("INSERT INTO contrast VALUES (?, ?)", (number, visit.contrast))
            if (
                visit.page
                and visit.outcome is Outcome.FETCHED
                and visit.candidate.kind is not Request.BACKLINKS
            ):
                self._insert_page(visit.page, visit, number)

    def rejudge(self, scores: Iterable[tuple[Visit, float]]) -> None:
        """Keep what the judge says now of the pages that visits brought, and beside it what it said then."""
        rows = [(score, key_of(visit.candidate.url)) for visit, score in scores]
        fetched = "WHERE key = ? AND outcome = 'fetched'"
        with self._named:
            self._begin()
            execute, many = self._connection.execute, self._connection.executemany
            execute(schema.FIRST_JUDGED)
            then = f"INSERT OR IGNORE INTO first_judged SELECT number, relevance FROM visit {fetched}"
            many(then, [(key,) for _, key in rows])
            many(f"UPDATE visit SET relevance = ? {fetched}", rows)
            many("UPDATE page SET relevance = ? WHERE key = ?", rows)
            if self.is_watched():
                many("UPDATE watched SET relevance = ? WHERE key = ?", rows)

    @override
    def keep_learned(self, state: bytes) -> None:
        with self._named:
            self._begin()
            self._connection.execute(
                "INSERT OR REPLACE INTO learned SELECT 1, max(number), ? FROM visit", (state,)
            )

    def forget_revisits(self) -> None:
        """Drop the revisits that wait from an earlier run: they are planned anew."""
        with self._named:
            self._begin()
            self._connection.execute("DELETE FROM waiting WHERE revisit")

    @override
    def next_up(self, most: int) -> Sequence[Candidate]:
        self.shelf.write()
        return super().next_up(most)

    @property
    @override
    def facts(self) -> CrawlMetadata:
        """What is known of the crawl as a whole: what is set here is kept with the next transaction."""
        return self._facts

    def follow(self, run: ActiveRun) -> None:
        """Keep in every transaction what the run leaves to the next, so that it always fits the visits."""
        self._run = run

    def forget_contrasts(self) -> None:
        """Let go of how pages stood out by another question: a strategy goes by their relevance now."""
        with self._named:
            self._begin()
            self._connection.execute("DELETE FROM contrast")

    def forget_entries(self) -> None:
        """Let go of what another strategy knew."""
        with self._named:
            self._begin()
            self._connection.execute("DELETE FROM strategy_state")

    @override
    def pause(self) -> None:
        if monotonic() - self._began >= LONGEST:
            self.commit()

    def discard(self, threshold: float) -> int:
        """Drop the pages that are not relevant (Mali and Meshram 2011, layer 3).

        Their visits are kept, and so are pictures, which have no words and are parts of pages.
        """
        with self._named:
            self._begin()
            self.facts.paper_repository = True
            held = self._held("page.")
            return self._connection.execute(
                f"DELETE FROM page WHERE {held} < ? AND letters", (threshold,)
            ).rowcount

    @override
    def commit(self) -> None:
        """Close the group: what was added is acknowledged from now on."""
        if not self._connection.in_transaction and not changed_facts(self._committed, self._facts):
            return
        with self._named:
            self._begin()
            self.shelf.write()
            self._keep_facts()
            self._keep_entries()
            if self._archive:
                self._archive.flush(self._connection)
                self._reached(files.AFTER_ARCHIVE)
            self._reached(files.BEFORE_COMMIT)
            self._connection.execute("COMMIT")
            self._reached(files.AFTER_COMMIT)
            self._committed = copy(self._facts)
            self._pending = 0

    @override
    def flush(self) -> None:
        with self._named:
            self._begin()
            self.shelf.write()
            self._keep_entries()

    def abandon(self) -> None:
        """Give up what is not acknowledged: a failure may have left a visit half stored.

        Its candidates wait again when the crawl is opened next, and its bytes are cut off the archive.
        """
        with suppress(sqlite3.Error):
            self._connection.rollback()
        self._run = None
        self._facts = copy(self._committed)
        self._pending = 0
        if self._archive:
            self._archive.abandon()
            self._archive = None

    @override
    def close(self) -> None:
        """Acknowledge what is pending and let go of the files."""
        if self._closed:
            return
        self._closed = True
        try:
            with self._named:
                self.commit()
                if self._archive:
                    self._archive.close(self._connection)
        except BaseException:
            self.abandon()
            raise
        finally:
            super().close()
            with suppress(OSError):  # without them nothing is lost but the proof
                fixity.seal(self._path)
            if self._lock:
                self._lock.release()

    def _is_full(self) -> bool:
        """Tell whether a visit that comes now belongs to the next group."""
        now = monotonic()
        is_fast = len(self._moments) == FAST and now - self._moments[0] < 1.0
        self._moments.append(now)
        return self._pending >= (LARGE if is_fast else GROUP)

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")
            self._began = monotonic()

    def _reached(self, point: str) -> None:
        if self._pending:
            files.reached(point)

    def _keep_facts(self) -> None:
        if self._run:
            self._run.leave(self._facts)
        write_facts(self._connection, changed_facts(self._committed, self._facts))

    def _keep_entries(self) -> None:
        if self._run:
            entries = self._run.entries()
            self._connection.executemany("INSERT OR REPLACE INTO strategy_state VALUES (?, ?)", entries)
            sightings = [(sighting,) for sighting in self._run.sightings()]
            self._connection.executemany("INSERT INTO filter_state (signature) VALUES (?)", sightings)

    def _insert_visit(self, visit: Visit, record: str) -> int:
        candidate = visit.candidate
        row = (
            key_of(candidate.url),
            candidate.url,
            candidate.kind.value,
            visit.outcome.value,
            visit.at,
            visit.relevance,
            visit.status,
            visit.size,
            record,
            visit.reason,
            pack(candidate, bare=True),
            visit.detail.value if visit.detail else None,
            visit.moved_to,
        )
        cursor = self._connection.execute(_INSERT_VISIT, row)
        return int(cursor.lastrowid or 0)

    def _insert_page(self, page: Page, visit: Visit, number: int) -> None:
        told = (page.title, page.language, len(page.text))
        row = (key_of(page.url), number, visit.relevance, *told, packed_page_of(visit, page))
        columns = "key, visit, relevance, title, language, letters, page"
        self._connection.execute(f"INSERT OR REPLACE INTO page ({columns}) VALUES (?,?,?,?,?,?,?)", row)
        if targets := list(dict.fromkeys(keys_of(visit))):
            self._connection.execute("INSERT INTO link VALUES (?, ?)", (number, pack_keys(targets)))
            self._citations.add(number, targets)
