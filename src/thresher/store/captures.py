"""What the archive of a crawl holds, for whoever reads it: responses, payloads and the ways redirects led."""

import sqlite3
from collections.abc import Iterator

from msgspec import Struct

from thresher.core.enums import Detail, Outcome
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.warc.cdxj import Capture, surt


class Kept(Struct, frozen=True):
    """One response in the archive: what its index line says, where its records end, and its verdict."""

    number: int  # of the visit
    capture: Capture
    end: int
    outcome: Outcome
    relevance: float


class CaptureReading:
    """The part of the reading face that knows of the archive."""

    _connection: sqlite3.Connection

    def _held(self, table: str = "") -> str:
        raise NotImplementedError

    def kept(self, after: int = 0) -> Iterator[Kept]:
        """Yield the responses in the archive, all or those of later visits, in the order of the crawl."""
        for number, outcome, relevance, end, url, *place in self._connection.execute(
            f"SELECT number, outcome, {self._held()},"
            " ifnull(lead(offset) OVER (PARTITION BY file ORDER BY offset), archive.length) AS ending,"
            " url, at, mime, status, digest, file, offset, capture.length"
            " FROM capture JOIN visit ON number = visit JOIN archive USING (file)"
            " WHERE number > ? ORDER BY number",
            (after,),
        ):
            yield Kept(
                number, Capture(surt(url), place[0], url, *place[1:]), end, Outcome(outcome), relevance
            )

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
