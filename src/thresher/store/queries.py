"""Questions to a stored crawl: its visits and queue, its archive, and the versions of its pages."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from thresher.core.enums import ChangeKind, Detail, Outcome
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.freshness.change import HostBoilerplate
from thresher.freshness.page_state import Availability, Trust
from thresher.warc.cdxj import CdxLine, surt

# Visits, hosts and the queue


class PageVisit(Struct, frozen=True):
    """One visit to a page: what came of it, what had changed, and whether the archive has the response."""

    visit: int
    at: float
    outcome: Outcome
    status: int
    size: int
    relevance: float
    has_copy: bool


class RequestRow(NamedTuple):
    """One request and how it ended."""

    number: int
    url: Url
    outcome: str
    status: int
    reason: str
    at: float
    relevance: float


class Archived(Struct, frozen=True):
    """Where the response of one visit stands in the archive."""

    url: Url
    file: str
    offset: int
    digest: str
    is_rendered: bool = False  # what a browser made of it stands behind it


class Browsing:
    """The part of the reading face that screens ask; each question is answered in one short transaction."""

    _connection: sqlite3.Connection

    def waiting_count(self) -> int:
        """Return how many candidates wait for their turn."""
        return int(self._connection.execute("SELECT count(*) FROM waiting").fetchone()[0])

    def resting(self, now: float) -> dict[str, float]:
        """Return the hosts that are to be left alone, and for how many seconds."""
        query = "SELECT name, ready_at - ? FROM host WHERE ready_at > ?"
        return dict(self._connection.execute(query, (now, now)).fetchall())

    def pages_since(self, at: float) -> int:
        """Return how many pages were fetched since a moment, among the latest few thousand visits."""
        latest = "SELECT at, outcome FROM visit ORDER BY number DESC LIMIT 4000"
        query = f"SELECT count(*) FROM ({latest}) WHERE at >= ? AND outcome = 'fetched'"
        return int(self._connection.execute(query, (at,)).fetchone()[0])

    def nearest(self, threshold: float, most: int) -> list[Url]:
        """Return the pages that the judge is least sure of: those nearest a threshold, the nearest first."""
        rows = self._connection.execute(
            "SELECT url FROM page JOIN visit ON number = visit"
            " ORDER BY abs(page.relevance - ?), number LIMIT ?",
            (threshold, most),
        )
        return [Url(url) for (url,) in rows]

    def scores(self) -> list[tuple[int, float]]:
        """Return what the judge says now of each page, by the keys of their URLs and in that order."""
        return self._connection.execute("SELECT key, relevance FROM page ORDER BY key").fetchall()

    def url_of(self, key: int) -> Url | None:
        """Return the URL of a key that was visited."""
        row = self._connection.execute("SELECT url FROM visit WHERE key = ? LIMIT 1", (key,)).fetchone()
        return Url(row[0]) if row else None

    def visits_to(self, key: int) -> list[PageVisit]:
        """Return the visits to a page, the latest first."""
        rows = self._connection.execute(
            "SELECT number, at, outcome, status, size, relevance, capture.visit IS NOT NULL"
            " FROM visit LEFT JOIN capture ON capture.visit = number"
            " WHERE key = ? AND request != 'backlinks' ORDER BY number DESC LIMIT 200",
            (key,),
        )
        return [
            PageVisit(number, at, Outcome(outcome), status, size, relevance, bool(kept))
            for number, at, outcome, status, size, relevance, kept in rows
        ]

    def requests(self, outcomes: Collection[str], host: str, before: int, most: int) -> list[RequestRow]:
        """Return the requests with those outcomes, of one host if one is given, the latest first."""
        of_host = "" if not host else "AND url >= :host || '/' AND url < :host || '0'"  # '0' follows '/'
        rows = self._connection.execute(
            "SELECT number, url, outcome, status, reason, at, relevance FROM visit"
            " WHERE number < :before AND outcome IN (SELECT value FROM json_each(:outcomes))"
            f" {of_host} ORDER BY number DESC LIMIT :most",
            {"before": before, "outcomes": json.dumps([*outcomes]), "host": host, "most": most},
        )
        return [RequestRow(*row) for row in rows]

    def archived(self, visit: int) -> Archived | None:
        """Return where the response of a visit stands, or where the one stands that it was equal to."""
        query = (
            "SELECT url, file, offset, digest, detail IS ?, mime"
            " FROM capture JOIN visit ON number = visit WHERE {}"
            " ORDER BY visit DESC LIMIT 1"
        )
        rendered = Detail.RENDERED.value
        row = self._connection.execute(query.format("visit = ?"), (rendered, visit)).fetchone()
        if row and row[5] == "warc/revisit" and not row[4]:
            same = query.format(
                "digest_key = (SELECT digest_key FROM capture WHERE visit = ?) AND digest = ? AND mime != ?"
            )
            row = self._connection.execute(same, (rendered, visit, row[3], row[5])).fetchone() or row
        return Archived(*row[:5]) if row else None

    def fates(self, keys: Iterable[int]) -> dict[int, tuple[str, float]]:
        """Return what became of URLs: how their latest visit ended and its relevance, or that they wait."""
        wanted = str(list(keys))
        among = "key IN (SELECT value FROM json_each(?))"
        waiting = self._connection.execute(f"SELECT key FROM waiting WHERE {among}", (wanted,))
        fates: dict[int, tuple[str, float]] = {key: ("waiting", 0.0) for (key,) in waiting}
        asked = f"{among} AND request != 'backlinks' ORDER BY number"
        visits = f"SELECT key, outcome, relevance FROM visit WHERE {asked}"
        for key, outcome, relevance in self._connection.execute(visits, (wanted,)):
            fates[key] = (outcome, relevance)
        return fates


# Captures: responses, payloads and redirects in the archive


class ArchivedResponse(Struct, frozen=True):
    """One response in the archive: what its index line says, where its records end, and its verdict."""

    number: int  # of the visit
    capture: CdxLine
    end: int
    outcome: Outcome
    relevance: float


class CaptureReading:
    """The part of the reading face that knows of the archive."""

    _connection: sqlite3.Connection

    def _held(self, table: str = "") -> str:
        raise NotImplementedError

    def kept(self, after: int = 0) -> Iterator[ArchivedResponse]:
        """Yield the responses in the archive, all or those of later visits, in the order of the crawl."""
        for number, outcome, relevance, end, url, *place in self._connection.execute(
            f"SELECT number, outcome, {self._held()},"
            " ifnull(lead(offset) OVER (PARTITION BY file ORDER BY offset), archive.length) AS ending,"
            " url, at, mime, status, digest, file, offset, capture.length"
            " FROM capture JOIN visit ON number = visit JOIN archive USING (file)"
            " WHERE number > ? ORDER BY number",
            (after,),
        ):
            yield ArchivedResponse(
                number, CdxLine(surt(url), place[0], url, *place[1:]), end, Outcome(outcome), relevance
            )

    def archive_files(self) -> dict[str, int]:
        """Return up to which byte each file of the archive is whole."""
        return dict(self._connection.execute("SELECT file, length FROM archive ORDER BY written"))

    def integrity(self) -> list[str]:
        """Return what SQLite finds wrong with the structure of the database."""
        said = [row[0] for row in self._connection.execute("PRAGMA integrity_check(20)")]
        return [] if said == ["ok"] else said

    def payload(self, url: Url) -> tuple[str, int] | None:
        """Return file and offset of the response that holds the newest version of a page, if it is kept."""
        row = self._connection.execute(
            "SELECT first.file, first.offset FROM page JOIN capture USING (visit)"
            " JOIN capture AS first"
            " ON first.digest_key = capture.digest_key AND first.digest = capture.digest"
            " WHERE page.key = ? AND first.mime != 'warc/revisit' ORDER BY first.visit LIMIT 1",
            (key_of(url),),
        ).fetchone()
        return (row[0], row[1]) if row else None

    def details(self) -> dict[Detail, int]:
        """Return how often visits went wrong in each of the ways that have a name."""
        query = "SELECT detail, count(*) FROM visit WHERE detail IS NOT NULL GROUP BY detail"
        return {Detail(name): count for name, count in self._connection.execute(query)}

    def redirects(self) -> Iterator[tuple[Url, Url]]:
        """Yield where each redirect began and where it led, in the order of the crawl."""
        query = "SELECT url, moved_to FROM visit WHERE moved_to IS NOT NULL ORDER BY number"
        yield from self._connection.execute(query)


# Versions: what revisits have found


_decode_numbers = msgspec.msgpack.Decoder(tuple[int, ...]).decode


class Version(Struct, frozen=True):
    """One change of one page, and whether it is substantive in the light of the whole host."""

    visit: int
    url: Url
    at: float
    since: float  # the revisit before
    kind: ChangeKind
    substantive: bool
    distance: int
    was: float  # relevance before and after
    relevance: float
    diff: str
    told: bool


class VersionCheck(Struct, frozen=True):
    """One revisit: what had changed, if anything."""

    url: Url
    at: float
    since: float
    kind: ChangeKind | None
    substantive: bool


class VersionReading:
    """The part of the reading face that knows of revisits and versions; a crawl never revisited has none."""

    _connection: sqlite3.Connection

    def is_watched(self) -> bool:
        """Tell whether the pages of this crawl were ever looked at again."""
        query = "SELECT count(*) FROM sqlite_master WHERE name = 'version'"
        return bool(self._connection.execute(query).fetchone()[0])

    def _watched(self, query: str, *values: object) -> Iterable[Any]:
        """Return the rows of a question about revisits."""
        return self._connection.execute(query, values) if self.is_watched() else ()

    def versions(self, since: float = 0.0) -> list[Version]:
        """Return the changes found since a moment, oldest first."""
        return list(self.each_version(since))

    def each_version(self, since: float = 0.0, newest_first: bool = False) -> Iterator[Version]:
        """Yield the changes found since a moment, one by one."""
        every = self._watched("SELECT host, key, edits FROM version WHERE substantive")
        boilerplate = HostBoilerplate((host, key, _decode_numbers(edits)) for host, key, edits in every)
        rows = self._watched(
            "SELECT host, edits, visit, url, at, since, kind, substantive, distance, was, relevance, diff,"
            f" told FROM version WHERE at >= ? ORDER BY visit {'DESC' if newest_first else ''}",
            since,
        )
        for host, edits, *row in rows:
            row[4] = ChangeKind(row[4])
            row[5] = bool(row[5]) and not boilerplate.covers(host, _decode_numbers(edits))
            yield Version(*row)

    def revisits(self) -> Iterator[VersionCheck]:
        """Yield every revisit of a page, oldest first."""
        query = "SELECT url, revisit.at, since, kind, substantive FROM revisit JOIN visit ON number = visit"
        for url, at, since, kind, substantive in self._watched(f"{query} ORDER BY number"):
            yield VersionCheck(url, at, since, ChangeKind(kind) if kind else None, bool(substantive))

    def substantive_count(self) -> int:
        """Return how many changes were substantive, by what the pages themselves show."""
        return sum(count for (count,) in self._watched("SELECT count(*) FROM version WHERE substantive"))

    def kinds_of(self, key: int) -> dict[int, str]:
        """Return what each revisit of a page found to be different, by visit."""
        return dict(self._watched("SELECT visit, kind FROM revisit WHERE key = ?", key))

    def watch_list(self) -> Sequence[tuple[Url, float, float, float, float]]:
        """Return address, revisits, changes, days before changes and days of every page under watch."""
        return [*self._watched("SELECT url, revisits, changes, changed_days, days FROM watched ORDER BY key")]

    def lost(self, at_once: bool = False) -> frozenset[Url]:
        """Return the pages that were given up, or those that were not found at the last revisit already."""
        given_up = f"standing IN ({Availability.VANISHED:d}, {Availability.BROKEN:d})"
        clause = f"{given_up} OR misses > 0" if at_once else given_up
        return frozenset(url for (url,) in self._watched(f"SELECT url FROM watched WHERE {clause}"))

    def trusts(self) -> dict[str, Trust]:
        """Return what each host's own word on its pages was worth."""
        rows = self._watched("SELECT host, right, wrong, lies, fickle FROM trust ORDER BY host")
        return {host: Trust(*row) for host, *row in rows}
