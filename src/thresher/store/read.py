"""The reading face of the store: what strategies, reports and people may ask of a crawl."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec
from typing_extensions import override

from thresher.core.enums import NO_NEW_PAGES, Detail, Outcome, Request
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.core.url import key_of
from thresher.store.codecs import LINKS, InlinkIndex, unpack, unpack_links, unpack_page
from thresher.store.errors import row_reader
from thresher.store.labels import Labels
from thresher.store.queries import Browsing, CaptureReading, VersionReading
from thresher.store.schema import CrawlMetadata, read_facts

_NO_NEW_PAGES = tuple(sorted(kind.value for kind in NO_NEW_PAGES))  # as SQL writes a list, too
VISIT = "key, url, request, outcome, at, relevance, status, size, record, reason, candidate, detail, moved_to"
_KEPT_AFTER = "FROM page JOIN visit ON visit.number = page.visit WHERE page.id > ? ORDER BY page.id LIMIT ?"


@dataclass
class StoredTotals:
    """What the visits stored so far add up to."""

    outcomes: Counter[Outcome]
    hosts: Counter[str]
    relevant: int
    bytes: int


class CrawlReader(Browsing, CaptureReading, VersionReading, CrawlView):
    """Answers from a crawl's database, also while another process is writing it.

    The user has the last word: the relevance of a page is 1 where it was labelled yes and 0
    where it was labelled no, and what the judge says now of any other.
    """

    def __init__(self, connection: sqlite3.Connection, labels: Labels | None = None) -> None:
        """Read through an open connection."""
        self._connection = connection
        self._citations = InlinkIndex(connection)
        self._labels = labels
        self._known: set[str] = set()  # tables that not every crawl has, and this one does
        if labels:
            connection.create_function("label", 1, labels.of)

    def label(self, url: Url) -> bool | None:
        """Return what the user said of a page: wanted, not wanted, or nothing."""
        return self._labels.of(key_of(url)) if self._labels and self.labels() else None

    def labels(self) -> Mapping[Url, bool]:
        """Return everything the user said of pages."""
        return self._labels.all() if self._labels else {}

    def taught(self) -> Mapping[Url, bool]:
        """Return the labels that may be learned from; none where a folder is only read."""
        return self._labels.taught() if self._labels else {}

    def model_labels(self) -> Mapping[Url, bool]:
        """Return everything that models said of pages, taught or not."""
        return self._labels.by_models() if self._labels else {}

    @override
    def outlinks(self, url: Url) -> Sequence[Link]:
        page = self.page(url)
        return page.links if page else ()

    @override
    def inlinks(self, url: Url) -> Sequence[Link]:
        """Return the links that lead to a URL from the pages fetched so far, oldest page first."""
        rows = self._connection.execute(
            "SELECT page FROM visit JOIN page USING (key)"  # by its key: pages have no index of their visits
            " WHERE number IN (SELECT value FROM json_each(?)) AND page.visit = number ORDER BY number",
            (self._citing(url),),
        )
        return [link for (blob,) in rows for link in _links_of(blob) if link.target == url]

    @override
    def history(self, url: Url) -> Sequence[Visit]:
        """Return the page visits to a URL, oldest first, without their texts, as they were judged."""
        where = "WHERE key = ? AND request != ? ORDER BY number"
        return list(self._visits(where, (key_of(url), Request.BACKLINKS.value), self._said_then()))

    @override
    def relevance(self, url: Url) -> float | None:
        judged = self.judged(url)
        said = None if judged is None else self.label(url)
        return judged if said is None else float(said)

    @override
    def guidance(self, url: Url) -> float | None:
        """Return what a strategy goes by of a fetched page, or None if it was not fetched."""
        said = self.label(url)
        if said is not None or not self._has("contrast"):
            return self.relevance(url)
        row = self._connection.execute(
            "SELECT ifnull(contrast, relevance) FROM page LEFT JOIN contrast USING (visit) WHERE key = ?",
            (key_of(url),),
        ).fetchone()
        return row[0] if row else None

    def judged(self, url: Url) -> float | None:
        """Return what the judge says of a fetched page, whatever the user said."""
        row = self._connection.execute("SELECT relevance FROM page WHERE key = ?", (key_of(url),)).fetchone()
        return row[0] if row else None

    @override
    def page(self, url: Url) -> Page | None:
        """Return the newest version of a fetched page."""
        row = self._connection.execute("SELECT page FROM page WHERE key = ?", (key_of(url),)).fetchone()
        return _page(row[0]) if row else None

    @override
    def sources(self, url: Url) -> Sequence[Url]:
        rows = self._connection.execute(
            "SELECT url FROM visit WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number",
            (self._citing(url),),
        )
        return list(dict.fromkeys(url for (url,) in rows))

    def questions(self) -> int:
        """Return the number of back-link questions."""
        query = "SELECT count(*) FROM visit WHERE request = ?"
        return int(self._connection.execute(query, (Request.BACKLINKS.value,)).fetchone()[0])

    def entries(self) -> Iterator[tuple[int, bytes]]:
        """Yield what the strategy knows of pages and links, by their keys."""
        return (
            self._connection.execute("SELECT key, value FROM strategy_state")
            if self._has("strategy_state")
            else iter(())
        )

    @override
    def entries_at(self, keys: Sequence[int]) -> Mapping[int, bytes]:
        """Return what the strategy left under these keys, as far as there is any."""
        query = "SELECT key, value FROM strategy_state WHERE key IN (SELECT value FROM json_each(?))"
        return dict(self._connection.execute(query, (str(list(keys)),)))

    def sightings(self, most: int) -> Iterator[bytes]:
        """Yield the last pieces that the filters have learned, the oldest of them first."""
        rows = self._connection.execute(
            "SELECT signature FROM (SELECT * FROM filter_state ORDER BY number DESC LIMIT ?) ORDER BY number",
            (most,),
        )
        return (sighting for (sighting,) in rows)

    @override
    def visits(self) -> Iterator[Visit]:
        return self._visits("ORDER BY number", ())

    def learned(self) -> tuple[int, bytes] | None:
        """Return what the judge has learned, as it was kept last, and the last visit that is part of it."""
        if not self._has("learned"):
            return None
        return self._connection.execute("SELECT visit, state FROM learned").fetchone()  # type: ignore[no-any-return]

    def pages(self, after: int = 0) -> Iterator[Visit]:
        """Yield the visit that brought the newest version of each page, page and all, oldest first.

        Those first fetched `after` the visit of that number, if one is given.
        """
        columns = ", ".join(f"visit.{name}" for name in VISIT.split(", "))
        columns = columns.replace("visit.relevance", self._held("visit."))
        tables = "page JOIN visit ON visit.number = page.visit WHERE visit.number > :after"
        known = "SELECT 1 FROM visit WHERE key = page.key AND outcome = 'fetched' AND number <= :after"
        query = f"SELECT {columns}, page FROM {tables} AND NOT EXISTS ({known})"
        ordered = f"{query} ORDER BY page.id"  # ids grow with the visits
        for *row, blob in self._connection.execute(ordered, {"after": after}):
            yield msgspec.structs.replace(_visit_of(row), page=_page(blob))

    def page_sample(self, most: int) -> list[Page]:
        """Return up to so many pages, chosen by their keys, which are hashes; oldest first."""
        chosen = "SELECT id FROM page ORDER BY key LIMIT ?"
        rows = self._connection.execute(f"SELECT page FROM page WHERE id IN ({chosen}) ORDER BY id", (most,))
        return [_page(blob) for (blob,) in rows]

    def visits_after(self, number: int, most: int) -> list[tuple[int, Visit]]:
        """Return the visits that came after one, with their numbers and without texts, oldest first."""
        clause = "WHERE number > ? ORDER BY number LIMIT ?"
        rows = self._connection.execute(f"SELECT {VISIT}, number FROM visit {clause}", (number, most))
        return [(row[-1], _visit_of(row[:-1])) for row in rows]

    def page_heads_after(self, row: int, most: int) -> list[tuple[int, int, str, str, Visit]]:
        """Return row, number, title, language and visit of each page kept after a row, without its text."""
        columns = VISIT.replace("relevance", "page.relevance").replace("key", "visit.key")
        heads = self._connection.execute(
            f"SELECT page.id, visit.number, title, language, {columns} {_KEPT_AFTER}", (row, most)
        )
        return [(*head[:4], _visit_of(head[4:])) for head in heads]

    def pages_after(self, row: int, most: int) -> list[tuple[int, int, Page]]:
        """Return the pages kept after a row: its number, that of the visit, and the page."""
        rows = self._connection.execute(f"SELECT page.id, page.visit, page {_KEPT_AFTER}", (row, most))
        return [(id_, number, _page(blob)) for id_, number, blob in rows]

    def last_visit(self) -> int:
        """Return the number of the latest visit, zero before the first."""
        return int(self._connection.execute("SELECT ifnull(max(number), 0) FROM visit").fetchone()[0])

    def origin(self) -> str:
        """Return what tells this crawl from another: its first visit and its moment."""
        row = self._connection.execute("SELECT url, at FROM visit WHERE number = 1").fetchone()
        return f"{row[1]!r} {row[0]}" if row else ""

    @override
    def latest(self, most: int) -> Sequence[Visit]:
        where = f"WHERE request NOT IN {_NO_NEW_PAGES} AND outcome = 'fetched'"
        return list(self._visits(f"{where} ORDER BY number DESC LIMIT ?", (most,)))

    @override
    def next_up(self, most: int) -> Sequence[Candidate]:
        rows = self._connection.execute(
            "SELECT candidate FROM waiting WHERE NOT revisit ORDER BY negated_priority, arrival LIMIT ?",
            (most,),
        )
        return [found for (blob,) in rows if (found := unpack(blob)).kind is not Request.BACKLINKS]

    @override
    def queue(self) -> Iterator[Candidate]:
        rows = self._connection.execute(
            "SELECT candidate FROM waiting WHERE NOT revisit ORDER BY negated_priority, arrival"
        )
        return (unpack(blob) for (blob,) in rows)

    def waiting(self, url: Url) -> Candidate | None:
        """Return the candidate that waits for its turn, if the URL does."""
        row = self._connection.execute(
            "SELECT candidate FROM waiting WHERE key = ?", (key_of(url),)
        ).fetchone()
        return unpack(row[0]) if row else None

    def hold(self) -> None:
        """Show the crawl as it is at the next question, until closed, whatever is written meanwhile."""
        self._connection.execute("BEGIN")

    def hubs(self, threshold: float, most: int) -> Sequence[Url]:
        """Return the pages that link to most relevant ones, the best first."""
        rows = self._connection.execute(
            f"SELECT visit.url, count(DISTINCT link.target) AS relevant FROM ({LINKS}) AS link"
            " JOIN page ON page.key = link.target JOIN visit ON visit.number = link.source"
            f" WHERE {self._held('page.')} >= ? AND visit.key != link.target"
            " GROUP BY visit.url ORDER BY relevant DESC, visit.number LIMIT ?",
            (threshold, most),
        )
        return [url for url, _ in rows]

    def known_urls(self, prefix: str, most: int) -> Sequence[Url]:
        """Return URLs that were visited and begin with the prefix, in alphabetical order."""
        rows = self._connection.execute(
            "SELECT DISTINCT url FROM visit WHERE url >= ? AND url < ? ORDER BY url LIMIT ?",
            (prefix, f"{prefix}\U0010ffff", most),
        )
        return [url for (url,) in rows]

    def best_pages(self, most: int) -> Sequence[tuple[Url, str, float]]:
        """Return address, title and relevance of the most relevant pages, the best first.

        A page of which the user said no is none of them.
        """
        held = self._held("page.")
        tables = (
            f"page JOIN visit ON number = visit{' WHERE label(page.key) IS NOT 0' if self.labels() else ''}"
        )
        query = f"SELECT url, title, {held} AS held FROM {tables} ORDER BY held DESC, number LIMIT ?"
        return self._connection.execute(query, (most,)).fetchall()

    @property
    def facts(self) -> CrawlMetadata:
        """What is known of the crawl as a whole, as of now."""
        return read_facts(self._connection)

    def tally(self, threshold: float) -> StoredTotals:
        """Return how many page visits ended how, and how many brought a relevant page."""
        relevant = f"sum(outcome = 'fetched' AND {self._held()} >= ?)"
        rows = self._connection.execute(
            f"SELECT outcome, count(*), sum(size), {relevant} FROM visit"
            f" WHERE request NOT IN {_NO_NEW_PAGES} GROUP BY outcome",
            (threshold,),
        ).fetchall()
        hosts = self._connection.execute("SELECT name FROM host WHERE ready_at > 0").fetchall()
        return StoredTotals(
            Counter({Outcome(outcome): count for outcome, count, _, _ in rows}),
            Counter({name: 1 for (name,) in hosts}),
            sum(relevant for *_, relevant in rows),
            sum(size for _, _, size, _ in rows),
        )

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def _citing(self, url: Url) -> str:
        """Return the numbers of the visits whose pages link to a URL, for a query."""
        return str(list(self._citations.sources(key_of(url))))

    def _said_then(self) -> str:
        """Return what the judge said at a visit, for a query."""
        then = "(SELECT first_judged.relevance FROM first_judged WHERE visit = number)"
        return f"ifnull({then}, relevance)" if self._has("first_judged") else "relevance"

    def _has(self, table: str) -> bool:
        """Tell whether the crawl has a table that not every crawl needs."""
        if table not in self._known:
            asked = "SELECT 1 FROM sqlite_master WHERE name = ?"
            self._known |= {table} if self._connection.execute(asked, (table,)).fetchone() else set()
        return table in self._known

    def _held(self, table: str = "") -> str:
        """Return what is held of a page, for a query: by the user, else by the judge."""
        relevance = f"{table}relevance"
        if not self.labels():
            return relevance
        said = f"ifnull(label({table}key), {relevance})"
        return f"iif(outcome = 'fetched', {said}, {relevance})" if table in ("", "visit.") else said

    def _visits(self, clause: str, values: tuple[object, ...], relevance: str = "") -> Iterator[Visit]:
        columns = VISIT.replace("relevance", relevance or self._held())
        contrast = "(SELECT contrast FROM contrast WHERE visit = number)" if self._has("contrast") else "NULL"
        if self.labels() and not relevance:
            contrast = f"iif(label(key) IS NULL, {contrast}, NULL)"  # a strategy goes by what the user said
        rows = self._connection.execute(f"SELECT {columns}, {contrast} FROM visit {clause}", values)
        return (_visit_of(row, contrast) for *row, contrast in rows)


@row_reader
def _page(blob: bytes) -> Page:
    return unpack_page(blob)


@row_reader
def _links_of(blob: bytes) -> Sequence[Link]:
    return unpack_links(blob)


@row_reader
def _visit_of(row: Sequence[Any], contrast: float | None = None) -> Visit:
    _, url, _, outcome, at, relevance, status, size, record, reason, candidate, detail, moved_to = row
    return Visit(
        unpack(candidate, url),
        Outcome(outcome),
        at,
        relevance=relevance,
        status=status,
        size=size,
        record=record,
        reason=reason,
        detail=Detail(detail) if detail else None,
        moved_to=moved_to,
        contrast=contrast,
    )
