"""Pages found by words: ranked by text and relevance, lists of links lowered, over one crawl or many.

    score = bm25(title 5, body 1) * (1 - .9 * links)^2 * (1 + .25 * relevance) * weight

A word that is rare in one crawl and common in another says as much in both: `weight` is the sum of the
inverse document frequencies over all crawls searched, by that of the one that has the page.
Pages that have all words come first; where they fill no screen, those that have any come behind, and say so.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from math import log

from msgspec import Struct

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.export.words import moment
from thresher.search.index import connect
from thresher.search.query import Query, parse
from thresher.search.snippet import Marked, marked, snippet
from thresher.store.folder import CrawlFolder

SCREEN = 20  # answers; fewer with all words are followed by those with any
TITLE_WEIGHT = 5.0
SCORE = f"bm25(words, {TITLE_WEIGHT}, 1.0) * (1 - .9 * links) * (1 - .9 * links) * (1 + .25 * relevance)"
COLUMNS = "fact.visit, key, url, fact.title, host.name, language, relevance, at, size, depth"


class Hit(Struct, frozen=True):
    """One page that was found."""

    crawl: str
    visit: int
    key: str  # of its URL, as 16 hexadecimal digits
    url: Url
    title: str
    title_marked: Marked  # in pieces: plain, marked, plain, marked, ...
    snippet: Marked
    host: str
    language: str
    relevance: float
    is_relevant: bool
    label: bool | None  # what the user said of it
    fetched_at: str
    size: int
    depth: int
    all_words: bool  # or only some of them


class Found(Struct, frozen=True):
    """The answer to a query."""

    items: list[Hit]
    total: int
    all_words: int  # of the total, how many have all words
    milliseconds: float
    remarks: tuple[str, ...] = ()


class Fact(Struct, frozen=True):
    """What the index knows of a page, besides its words."""

    visit: int
    key: int
    url: Url
    title: str
    host: str
    language: str
    relevance: float
    at: float
    size: int
    depth: int


class Place(Struct, frozen=True, order=True):
    """Where a page stands in an answer; smaller comes first. The next screen begins after one."""

    stage: int
    score: float
    crawl: int
    visit: int


Row = tuple[Place, Fact]


def search(
    folders: Sequence[CrawlFolder], text: str, most: int = SCREEN, after: Place | None = None
) -> tuple[Found, Place | None]:
    """Return the pages that answer a query, best first, and where the next screen begins."""
    began = time.perf_counter()
    query = parse(text, time.time())
    stages = query.stages()
    readers = [_Reader(number, folder) for number, folder in enumerate(folders)]
    try:
        _weigh(readers, query)
        counts = _counts(readers, query, stages)
        streams = [reader.rows(query, stages[: len(counts)], most + 1, after) for reader in readers]
        rows = list(islice(merge(*streams, key=_place), most + 1))
        last = len(stages) - 1
        items = [
            readers[place.crawl].hit(fact, query, place.stage < max(1, last)) for place, fact in rows[:most]
        ]
    finally:
        for reader in readers:
            reader.close()
    whole = counts[min(len(counts), max(1, last)) - 1]
    found = Found(items, counts[-1], whole, 1000 * (time.perf_counter() - began), query.remarks)
    return found, rows[most - 1][0] if len(rows) > most else None


def _weigh(readers: Sequence["_Reader"], query: Query) -> None:
    """Make the scores of several crawls comparable."""
    if len(readers) < 2 or not query.terms:
        return
    seen = [reader.frequencies(query) for reader in readers]
    pages, *counts = (sum(column) for column in zip(*seen, strict=True))
    everywhere = _evidence(pages, counts)
    for reader, (own_pages, *own) in zip(readers, seen, strict=True):
        reader.weight = everywhere / _evidence(own_pages, own)


def _evidence(pages: int, counts: Sequence[int]) -> float:
    """Return the sum of inverse document frequencies, as bm25 takes them."""
    return sum(max(1e-6, log((pages - count + 0.5) / (count + 0.5))) for count in counts)


def _counts(readers: Sequence["_Reader"], query: Query, stages: Sequence[str]) -> list[int]:
    """Return how many pages each stage finds, up to the first that fills a screen."""
    counts: list[int] = []
    for expression in stages:
        counts.append(sum(reader.count(query, expression) for reader in readers))
        if counts[-1] >= SCREEN:
            break
    return counts


def _place(row: Row) -> Place:
    return row[0]


class _Reader:
    """One crawl while it is searched: its index, its texts and its labels."""

    def __init__(self, number: int, folder: CrawlFolder) -> None:
        self._number, self._folder = number, folder
        self._store = folder.open()
        self._index = connect(folder)
        (self._threshold,) = self._index.execute("SELECT threshold FROM done").fetchone()
        self._labels = self._store.labels()
        self.weight = 1.0

    def close(self) -> None:
        self._store.close()
        self._index.close()

    def frequencies(self, query: Query) -> tuple[int, ...]:
        """Return how many pages there are, and how many have each term at most: its rarest token."""
        self._index.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
        (pages,) = self._index.execute("SELECT count(*) FROM fact").fetchone()
        return pages, *(min(map(self._frequency, term.tokens())) for term in query.terms)

    def _frequency(self, token: str) -> int:
        row = self._index.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (token,)).fetchone()
        return row[0] if row else 0

    def rows(self, query: Query, stages: Sequence[str], most: int, after: Place | None) -> Iterator[Row]:
        """Yield the best pages of each stage that the stages before have not found."""
        first = after.stage if after else 0
        for stage in range(first, len(stages)):
            before = stages[stage - 1] if stage else ""
            wanted = f"({stages[stage]}) NOT ({before})" if before else stages[stage]
            yield from self._rows(query, wanted, stage, most, after if stage == first else None)

    def hit(self, fact: Fact, query: Query, all_words: bool) -> Hit:
        """Return one answer with its snippet, cut from the page's own text."""
        page, said = self._store.page(fact.url), self._store.label(fact.url)
        return Hit(
            crawl=str(self._folder.path),
            visit=fact.visit,
            key=spelt(fact.key),
            url=fact.url,
            title=fact.title,
            title_marked=marked(fact.title, query.terms),
            snippet=snippet((page.main or page.text) if page else "", query.terms),
            host=fact.host,
            language=fact.language,
            relevance=fact.relevance,
            is_relevant=fact.relevance >= self._threshold if said is None else said,
            label=said,
            fetched_at=moment(fact.at),
            size=fact.size,
            depth=fact.depth,
            all_words=all_words,
        )

    def count(self, query: Query, expression: str) -> int:
        """Return how many pages an expression finds."""
        where, values = self._where(query, expression)
        tables = "words JOIN fact ON fact.visit = words.rowid" if expression else "fact"
        count = f"SELECT count(*) FROM {tables} JOIN host ON host.id = fact.host WHERE {where}"
        return int(self._index.execute(count, values).fetchone()[0])

    def _rows(
        self, query: Query, expression: str, stage: int, most: int, after: Place | None
    ) -> Iterator[Row]:
        where, values = self._where(query, expression)
        tables = "words JOIN fact ON fact.visit = words.rowid" if expression else "fact"
        score = f"{SCORE} * {self.weight!r}" if expression else "-relevance"
        inner = (
            f"SELECT {score} AS score, {COLUMNS} FROM {tables} JOIN host ON host.id = fact.host WHERE {where}"
        )
        beyond = "WHERE (score, ?, visit) > (?, ?, ?)" if after else ""
        place = (self._number, after.score, after.crawl, after.visit) if after else ()
        order = f"SELECT * FROM ({inner}) {beyond} ORDER BY score, visit LIMIT ?"
        for score_, *row in self._index.execute(order, (*values, *place, most)):
            yield Place(stage, score_, self._number, row[0]), Fact(*row)

    def _where(self, query: Query, expression: str) -> tuple[str, list[object]]:
        clauses: list[str] = ["words MATCH ?"] if expression else []
        values: list[object] = [expression] if expression else []
        for clause, *given in _clauses(query, self._threshold, self._labels):
            clauses.append(str(clause))
            values += given
        return " AND ".join(clauses) or "1", values


def _clauses(query: Query, threshold: float, labels: Mapping[Url, bool]) -> Iterator[tuple[object, ...]]:
    """Yield what must hold of a page besides its words, and the values for it; the user's word goes first."""
    if query.host:
        hosts = "SELECT id FROM host WHERE replace(name, '//', '.') || ':' LIKE '%.' || ? || ':%' ESCAPE '!'"
        yield f"fact.host IN ({hosts})", re.sub("[%_!]", r"!\g<0>", query.host)
    if query.language:
        yield "language = ?", query.language
    if query.since:
        yield "at >= ?", query.since
    if query.at_least:
        yield "relevance >= ?", query.at_least
    if query.below < 2.0:
        yield "relevance < ?", query.below
    if query.relevant is not None:
        ours, others = (_keys(labels, said) for said in (query.relevant, not query.relevant))
        judged = f"relevance {'>=' if query.relevant else '<'} {threshold!r} AND key NOT IN {_LIST}"
        yield f"(key IN {_LIST} OR {judged})", ours, others
    if query.label == "none":
        yield f"key NOT IN {_LIST}", str([key_of(url) for url in labels])
    elif query.label:
        yield f"key IN {_LIST}", _keys(labels, query.label == "yes")


_LIST = "(SELECT value FROM json_each(?))"


def _keys(labels: Mapping[Url, bool], said: bool) -> str:
    """Return the keys of the pages that the user said so of, as JSON."""
    return str([key_of(url) for url, label in labels.items() if label is said])


def spelt(key: int) -> str:
    """Return the key of a URL as programs and addresses write it: no number of JavaScript is long enough."""
    return f"{key & 0xFFFF_FFFF_FFFF_FFFF:016x}"
