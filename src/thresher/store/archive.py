"""The archive of a crawl: what was received, in WARC files that never disagree with the database."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from msgspec.structs import replace

from thresher.core import files
from thresher.core.records import BrowserRendering, Fetched, Visit
from thresher.core.url import key_of
from thresher.store.read import CrawlReader
from thresher.store.schema import read_facts, write_facts
from thresher.warc.capture import HttpExchange, Original, Rendered
from thresher.warc.cdxj import write_lines
from thresher.warc.files import LocalVolume
from thresher.warc.record import RecordLocation, chunked, digest, in_one_chunk
from thresher.warc.writer import WarcWriter, pack, with_facts

INDEX = "index.cdxj"
NOT_MODIFIED = 304


class CaptureLocation(NamedTuple):
    """Where a capture lies, and what the database knows of it."""

    place: RecordLocation
    mime: str
    payload: str  # its digest

    def note(self, connection: sqlite3.Connection, number: int) -> None:
        """Let the database know of it, as what a visit brought."""
        file, offset, length = self.place.file, self.place.offset, self.place.length
        row = (number, file, offset, length, self.mime, self.payload, _digest_key(self.payload))
        connection.execute("INSERT INTO capture VALUES (?,?,?,?,?,?,?)", row)


class Archive:
    """WARC files of a crawl, written ahead of the database and cut back to what it knows after a crash."""

    def __init__(self, volume: LocalVolume, *, roll_at: int = 1_000_000_000) -> None:
        """Name the place; files are opened by the first record."""
        self._volume, self._roll_at = volume, roll_at
        self._writer = WarcWriter(volume, roll_at=roll_at)
        self._grown: set[str] = set()
        self._file, self._mover = (
            "",
            ThreadPoolExecutor(1),
        )  # which a crawl without object storage never starts

    def recover(self, connection: sqlite3.Connection) -> None:
        """Set aside what no transaction knows of, and go on with the file that was written last."""
        remove_discarded(connection, self._volume)
        known = dict(connection.execute("SELECT file, length FROM archive ORDER BY written").fetchall())
        for name in sorted({*(here := self._volume.names_here()), *known}):
            files.reached(files.IN_RECOVERY)
            if name not in known and not self._volume.size(name):
                self._volume.remove(name)  # opened, and nothing more
            else:
                self._volume.cut(name, known.get(name, 0))
        if known:
            last = list(known)[-1]
            self._writer = WarcWriter(
                self._volume, roll_at=self._roll_at, resume=last if last in here else ""
            )
            self._write_index(connection)

    def write(self, connection: sqlite3.Connection, visit: Visit) -> "CaptureLocation | None":
        """Append what a visit brought and return where it lies; the same payload is not kept twice."""
        fetched = visit.fetched
        if fetched is None or not fetched.head:
            return None
        self._writer.facts = self._writer.facts or read_facts(connection, "warcinfo").warcinfo
        payload, original = _payload(connection, visit, fetched)
        exchange = _exchange(visit, fetched, payload, original)
        if fetched.packed and not original and not fetched.rendering:
            place = self._writer.append_packed(with_facts(exchange, fetched.packed))
        else:
            place = self._writer.write(exchange)
        self._grown.add(place.file)
        if self._file and place.file != self._file:
            self._mover.submit(self._volume.move, [self._file])
        self._file = place.file
        mime = "warc/revisit" if original else fetched.header("content-type").partition(";")[0].strip()
        return CaptureLocation(place, mime, payload)

    def flush(self, connection: sqlite3.Connection) -> None:
        """See everything appended onto the disk, and let the database know how far each file is whole."""
        self._writer.flush(sync=True)
        for name in sorted(self._grown):
            connection.execute(
                "INSERT INTO archive (file, length) VALUES (?, ?)"
                " ON CONFLICT (file) DO UPDATE SET length = excluded.length",
                (name, self._volume.size(name)),
            )
        self._grown.clear()

    def abandon(self) -> None:
        """Let go of the file as it is: what the database does not know of is cut off the next time."""
        self._writer.abandon()

    def close(self, connection: sqlite3.Connection) -> None:
        """Let go of the file and write the index of all captures."""
        self._writer.close()
        self._write_index(connection)
        self._mover.shutdown()
        self._volume.move(self._volume.names_here())

    def _write_index(self, connection: sqlite3.Connection) -> None:
        """Add to the index what it does not list yet."""
        reading, target = CrawlReader(connection), self._volume.folder / INDEX
        (last,) = connection.execute("SELECT ifnull(max(visit), 0) FROM capture").fetchone()
        listed = read_facts(connection, "indexed").indexed if target.exists() else 0
        if last > listed:
            substantive = (kept.capture.line() for kept in reading.kept(after=listed))
            write_lines(substantive, target, target if listed else None)
            write_facts(connection, {"indexed": last})


def packed_exchange(visit: Visit, fetched: Fetched) -> Fetched:
    """Return a response ready for an archive that is kept elsewhere."""
    payload = digest((chunked(fetched.head, fetched.raw_body),))
    return replace(fetched, packed=pack(_exchange(visit, fetched, payload, None)))


def remove_discarded(connection: sqlite3.Connection, volume: LocalVolume) -> None:
    """Remove the files that were written anew without what was to be forgotten."""
    if names := read_facts(connection, "discarded").discarded:
        for name in names:
            volume.remove(name)
        write_facts(connection, {"discarded": ()})


def _payload(connection: sqlite3.Connection, visit: Visit, fetched: Fetched) -> tuple[str, Original | None]:
    """Return the digest of what follows the head in the archive, and the first capture of the same.

    The same bytes may come in chunks at one time and whole at another: then the first one's digest counts.
    """
    if unmodified := _unmodified(connection, visit):
        return unmodified, _originals(connection, unmodified, unmodified).get(unmodified)
    framed = chunked(fetched.head, fetched.raw_body)
    payload = digest((framed,))
    if not fetched.raw_body:
        return payload, None
    other = digest((fetched.raw_body if framed is not fetched.raw_body else in_one_chunk(fetched.raw_body),))
    originals = _originals(connection, payload, other)
    known = payload if payload in originals or not originals else other
    return known, originals.get(known)


def _unmodified(connection: sqlite3.Connection, visit: Visit) -> str:
    """Return the digest of the copy that a server says is still good, or nothing."""
    if visit.status != NOT_MODIFIED:
        return ""
    row = connection.execute(
        "SELECT digest FROM visit JOIN capture ON visit = number"
        " WHERE key = ? AND status BETWEEN 200 AND 299 ORDER BY number DESC LIMIT 1",
        (key_of(visit.candidate.url),),
    ).fetchone()
    return str(row[0]) if row else ""


def _originals(connection: sqlite3.Connection, *payloads: str) -> dict[str, Original]:
    """Return the first capture of each of two payloads, as far as there is one."""
    rows = connection.execute(
        "SELECT digest, url, at FROM capture JOIN visit ON number = visit"
        " WHERE digest_key IN (?, ?) AND digest IN (?, ?) AND mime != 'warc/revisit' ORDER BY number DESC",
        (*map(_digest_key, payloads), *payloads),
    )
    return {payload: Original(url, at) for payload, url, at in rows}


def _exchange(visit: Visit, fetched: Fetched, payload: str, original: Original | None) -> HttpExchange:
    """Return a visit as the archive keeps it, with what a browser made of its page."""
    rendering = fetched.rendering
    return replace(
        _as_received(fetched),
        facts={"relevance": f"{visit.relevance:.6f}", "outcome": visit.outcome.value},
        payload_digest=payload,
        original=original,
        rendered=_rendered(rendering) if rendering else None,
    )


def _rendered(rendering: BrowserRendering) -> Rendered:
    return Rendered(rendering.document, rendering.at, tuple(map(_as_received, rendering.parts)))


def _as_received(fetched: Fetched) -> HttpExchange:
    """Return a response, of a page or of something it asked for while it was rendered, byte for byte."""
    return HttpExchange(
        uri=fetched.url,
        at=fetched.fetched_at,
        head=fetched.head,
        body=chunked(fetched.head, fetched.raw_body),
        request=fetched.request,
        truncated="length" if fetched.truncated else "",
        address=fetched.address,
    )


def _digest_key(payload: str) -> int:
    """Return the first 64 bits of a labelled digest."""
    return int(payload.partition(":")[2][:16], 16) - (1 << 63)
