"""The store in one SQLite file: the fold's only memory that outlives the process."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import xxhash

from thresher.core.records import Candidate, Link, Outcome, Page, Url, Visit, Want
from thresher.store import schema

GROUP = 16  # visits that share one transaction
IN_MEMORY = Path(":memory:")

_VISIT = "url, want, outcome, at, relevance, status, size, record, reason, candidate"
_encode_candidate = msgspec.json.Encoder().encode
_decode_candidate = msgspec.json.Decoder(Candidate).decode
_encode_page = msgspec.msgpack.Encoder().encode
_decode_page = msgspec.msgpack.Decoder(Page).decode


class Database:
    """Both faces of the store. A visit is committed with everything it led to, in small groups.

    A group is closed when the *next* visit arrives, so that it holds what its last visit led to as well.
    """

    def __init__(self, path: Path = IN_MEMORY, *, create: bool = True) -> None:
        """Open a database, or make one."""
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if create:
            schema.create(self._connection)
        else:
            schema.check(self._connection, path.name)
        self._pending = 0

    def add(self, visit: Visit) -> None:
        """Keep the visit, its page and its links."""
        if self._pending >= GROUP:
            self.commit()
        self._begin()
        self._pending += 1
        number = self._insert_visit(visit)
        if visit.page and visit.outcome is Outcome.FETCHED:
            self._insert_page(visit.page, visit.relevance, number)

    def note(self, name: str, value: str) -> None:
        """Keep a fact about the whole crawl under its name."""
        self._begin()
        self._connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))

    def commit(self) -> None:
        """Close the group: what was added is acknowledged from now on."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")
        self._pending = 0

    def close(self) -> None:
        """Commit what is pending and let go of the file."""
        self.commit()
        self._connection.close()

    def outlinks(self, url: Url) -> Sequence[Link]:
        """Return the links found on a fetched page."""
        page = self.page(url)
        return page.links if page else ()

    def inlinks(self, url: Url) -> Sequence[Link]:
        """Return the links that lead to a URL from the pages fetched so far, oldest page first."""
        rows = self._connection.execute(
            "SELECT page FROM inlink JOIN page ON page.rowid = source WHERE target = ? ORDER BY source",
            (_key(url),),
        )
        return [link for (blob,) in rows for link in _decode_page(blob).links if link.target == url]

    def history(self, url: Url) -> Sequence[Visit]:
        """Return the page visits to a URL, oldest first, without their texts."""
        where = "WHERE url = ? AND want = ? ORDER BY number"
        return list(self._visits(where, (url, Want.PAGE.value)))

    def relevance(self, url: Url) -> float | None:
        """Return the relevance of a fetched page, or None if it was not fetched."""
        row = self._connection.execute("SELECT relevance FROM page WHERE url = ?", (url,)).fetchone()
        return row[0] if row else None

    def page(self, url: Url) -> Page | None:
        """Return the newest version of a fetched page."""
        row = self._connection.execute("SELECT page, text FROM page WHERE url = ?", (url,)).fetchone()
        return msgspec.structs.replace(_decode_page(row[0]), text=row[1]) if row else None

    def visits(self) -> Iterator[Visit]:
        """Yield every visit in the order of the crawl, without texts."""
        return self._visits("ORDER BY number", ())

    def best_pages(self, most: int) -> Sequence[tuple[Url, str, float]]:
        """Return address, title and relevance of the most relevant pages, the best first."""
        order = "ORDER BY relevance DESC, visit LIMIT ?"
        return self._connection.execute(f"SELECT url, title, relevance FROM page {order}", (most,)).fetchall()

    def notes(self) -> dict[str, str]:
        """Return every fact kept about the whole crawl."""
        return dict(self._connection.execute("SELECT name, value FROM note").fetchall())

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")

    def _visits(self, clause: str, values: tuple[str, ...]) -> Iterator[Visit]:
        for row in self._connection.execute(f"SELECT {_VISIT} FROM visit {clause}", values):
            _, _, outcome, at, relevance, status, size, record, reason, candidate = row
            yield Visit(
                _decode_candidate(candidate),
                Outcome(outcome),
                at,
                None,
                relevance,
                status,
                size,
                record,
                reason,
            )

    def _insert_visit(self, visit: Visit) -> int:
        candidate = visit.candidate
        row = (
            candidate.url,
            candidate.want.value,
            visit.outcome.value,
            visit.at,
            visit.relevance,
            visit.status,
            visit.size,
            visit.record,
            visit.reason,
            _encode_candidate(candidate),
        )
        cursor = self._connection.execute(f"INSERT INTO visit ({_VISIT}) VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        return int(cursor.lastrowid or 0)

    def _insert_page(self, page: Page, relevance: float, visit: int) -> None:
        blob = _encode_page(msgspec.structs.replace(page, text=""))
        row = (page.url, visit, relevance, page.title, page.language, page.text, blob)
        cursor = self._connection.execute("INSERT OR REPLACE INTO page VALUES (?,?,?,?,?,?,?)", row)
        self._insert_inlinks(int(cursor.lastrowid or 0), page.links)

    def _insert_inlinks(self, source: int, links: Iterable[Link]) -> None:
        rows = [(target, source) for target in sorted({_key(link.target) for link in links})]
        self._connection.executemany("INSERT OR IGNORE INTO inlink VALUES (?, ?)", rows)


def _key(url: Url) -> int:
    """Return the signed 64-bit key under which a URL is indexed."""
    return xxhash.xxh3_64_intdigest(url.encode()) - (1 << 63)
