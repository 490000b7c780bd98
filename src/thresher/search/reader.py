"""One crawl while it is searched: rows of its index in some order, and one of them as a hit."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from thresher.core.records import Url
from thresher.export.items import saying
from thresher.export.wording import moment
from thresher.search.index import connect
from thresher.search.query import Marked, Query, clauses_of, marked, snippet
from thresher.store.folder import CrawlFolder

TITLE_WEIGHT = 3.0
SCORE = f"bm25(words, {TITLE_WEIGHT}, 1.0) * (1 - .95 * links) * (1 - .95 * links) * (1 + .25 * relevance)"
COLUMNS = "fact.visit, key, url, fact.title, host.name, language, relevance, at, size, depth"
FACTS = "fact JOIN host ON host.id = fact.host"
MATCHES = "words JOIN fact ON fact.visit = words.rowid"

COMMON = 100_000  # pages that have the words: from there on these tell pages apart no longer
MOST_RANKED = (
    2_000  # pages looked at for common words, the most relevant first, before all of them are ranked
)
KEY = 8  # bytes of the key of a URL
FAINT = 2.0**-20  # what relevance is worth beside any score by words; a power of two, so that none is lost

Bound = Callable[[sqlite3.Connection], sqlite3.Connection]


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
    alike: int = 0  # pages of the same answer that say nearly the same and are left out


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


class ResultCursor(Struct, frozen=True, order=True):
    """Where a page stands in an answer; smaller comes first. The next screen begins after one."""

    stage: int
    score: float
    crawl: int
    visit: int


class SearchStage(Struct, frozen=True):
    """One step from strict to loose: what is looked for, and what the steps before have found already."""

    number: int
    expression: str
    before: Sequence[str] = ()

    @property
    def wanted(self) -> str:
        """What this stage finds and none before it."""
        return f"({self.expression}) NOT ({self.before[-1]})" if self.before else self.expression


class Between(Struct, frozen=True):
    """The pages on both sides of the threshold that were shown: all from `low` up to `high`."""

    low: float = 2.0
    low_visit: int = 0
    high: float = -1.0
    high_visit: int = 0

    def with_one(self, fact: Fact, is_above: bool) -> "Between":
        """Return the stretch with one page more."""
        if is_above:
            return Between(self.low, self.low_visit, fact.relevance, fact.visit)
        return Between(fact.relevance, fact.visit, self.high, self.high_visit)


Row = tuple[ResultCursor, Fact]


def as_given(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Set no limit."""
    return connection


class Reader:
    """The index, the texts and the labels of one crawl; `weight` makes its scores those of all searched."""

    def __init__(self, number: int, folder: CrawlFolder, bounded: Bound = as_given) -> None:
        """Open what is read of a crawl; the number is its place among those that are searched."""
        self._number, self._folder = number, folder
        self._store = folder.open()
        self._index = bounded(connect(folder))
        (self.threshold,) = self._index.execute("SELECT threshold FROM done").fetchone()
        self._labels = self._store.labels()
        self.weight = 1.0

    def close(self) -> None:
        """Let go of the files."""
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

    def count(self, query: Query, expression: str) -> int:
        """Return how many pages an expression finds."""
        where, values = self._where(query, expression)
        tables = MATCHES if expression else "fact"
        count = f"SELECT count(*) FROM {tables} WHERE {where}"
        return int(self._index.execute(count, values).fetchone()[0])

    def rows(
        self, query: Query, stage: SearchStage, most: int, after: ResultCursor | None
    ) -> tuple[list[Row], int]:
        """Return the best pages of a stage from behind a place on, and how many it finds in all."""
        if not stage.expression:
            return list(self._by_relevance(query, most, after)), self.count(query, "")
        if after and after.stage > stage.number:
            return [], self.count(query, stage.wanted)
        return self._by_score(query, stage, most, after if after and after.stage == stage.number else None)

    def best(self, query: Query, most: int) -> list[Fact]:
        """Return pages, the most relevant first."""
        return self._ordered(query, "", "relevance DESC, fact.visit DESC", most, ())

    def newest(self, query: Query, most: int, before: int = 0) -> list[Fact]:
        """Return pages, the latest first, those before a visit only if one is named."""
        beyond, place = ("fact.visit < ?", (before,)) if before else ("", ())
        return self._ordered(query, beyond, "fact.visit DESC", most, place)

    def unsure(self, query: Query, most: int, shown: Between) -> tuple[list[Fact], Between]:
        """Return pages, those nearest the threshold first, outside those that were shown; and what is now."""
        middle = self.threshold
        above = self._ordered(
            query,
            "relevance >= ? AND (relevance, fact.visit) > (?, ?)",
            "relevance, fact.visit",
            most,
            (middle, shown.high, shown.high_visit),
        )
        below = self._ordered(
            query,
            "relevance < ? AND (relevance, fact.visit) < (?, ?)",
            "relevance DESC, fact.visit DESC",
            most,
            (middle, shown.low, shown.low_visit),
        )
        facts = sorted([*above, *below], key=lambda fact: abs(fact.relevance - middle))[:most]
        for fact in facts:
            shown = shown.with_one(fact, fact.relevance >= middle)
        return facts, shown

    def saying(self, fact: Fact) -> int:
        """Return 64 bits that are near for pages that say nearly the same."""
        page = self._store.page(fact.url)
        return saying(page) if page else fact.key & 0xFFFF_FFFF_FFFF_FFFF

    def hit(self, fact: Fact, query: Query, all_words: bool, alike: int = 0) -> Hit:
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
            is_relevant=fact.relevance >= self.threshold if said is None else said,
            label=said,
            fetched_at=moment(fact.at),
            size=fact.size,
            depth=fact.depth,
            all_words=all_words,
            alike=alike,
        )

    def _by_score(
        self, query: Query, stage: SearchStage, most: int, after: ResultCursor | None
    ) -> tuple[list[Row], int]:
        """Find and count in one pass; what else is known of pages is read of those that are shown alone."""
        if self._goes_by_relevance(stage, after):
            likely = self._common(query, stage, most, after)
            if likely or after:
                return likely, self._matches(stage.wanted)
        where, values = self._where(query, stage.wanted)
        score = f"SELECT fact.visit AS place, {SCORE} * {self.weight!r} AS score FROM {MATCHES} WHERE {where}"
        every = f"SELECT *, count(*) OVER () AS total FROM ({score})"
        beyond = "WHERE (score, ?, place) > (?, ?, ?)" if after else ""
        place = (self._number, after.score, after.crawl, after.visit) if after else ()
        best = f"SELECT * FROM ({every}) {beyond} ORDER BY score, place LIMIT ?"
        rows = self._index.execute(
            f"SELECT score, total, {COLUMNS} FROM ({best}) CROSS JOIN fact ON fact.visit = place"
            " JOIN host ON host.id = fact.host ORDER BY score, place",
            (*values, *place, most),
        ).fetchall()
        found = [(ResultCursor(stage.number, row[0], self._number, row[2]), Fact(*row[2:])) for row in rows]
        return found, rows[0][1] if rows else self.count(query, stage.wanted)

    def _goes_by_relevance(self, stage: SearchStage, after: ResultCursor | None) -> bool:
        """Tell whether so many pages have the words that ranking them all would take long and tell little."""
        if after and after.crawl == self._number:
            return after.visit < 0  # as the screen before
        pages = int(self._index.execute("SELECT pages FROM done").fetchone()[0])
        return pages > COMMON and self._matches(stage.wanted, COMMON + 1) > COMMON

    def _matches(self, expression: str, most: int = -1) -> int:
        """Return how many pages have the words, older versions among them; beyond `most` none is counted."""
        found = "SELECT 1 FROM words WHERE words MATCH ? LIMIT ?"
        return int(self._index.execute(f"SELECT count(*) FROM ({found})", (expression, most)).fetchone()[0])

    def _common(self, query: Query, stage: SearchStage, most: int, after: ResultCursor | None) -> list[Row]:
        """Return the most relevant pages with words that very many have; none if these are hard to find."""
        found: list[Row] = []
        is_first = after is None
        while len(found) < most:
            beyond, place = self._beyond(after, FAINT)
            facts = self._ordered(query, beyond, "relevance DESC, fact.visit DESC", MOST_RANKED, place)
            for fact in facts:
                after = ResultCursor(stage.number, -fact.relevance * FAINT, self._number, -fact.visit)
                if len(found) < most and self._has(fact, stage.wanted):
                    found.append((after, fact))
            if len(facts) < MOST_RANKED:
                return found
            if is_first and len(found) < most:
                return []
        return found

    def _has(self, fact: Fact, expression: str) -> bool:
        """Tell whether a page has the words."""
        query = "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?"
        return self._index.execute(query, (expression, fact.visit)).fetchone() is not None

    def _beyond(self, after: ResultCursor | None, worth: float = 1.0) -> tuple[str, tuple[object, ...]]:
        """Return what holds of pages behind a place in the order of relevance, the latest first."""
        if after is None:
            return "", ()
        equals_left = 1 << 62 if self._number > after.crawl else 0  # crawls come in order among equals
        last = -after.visit if self._number == after.crawl else equals_left
        return "(relevance, fact.visit) < (?, ?)", (-after.score / worth, last)

    def _by_relevance(self, query: Query, most: int, after: ResultCursor | None) -> Iterator[Row]:
        """Yield pages without looking for words, the most relevant first and the latest among equals."""
        beyond, place = self._beyond(after)
        for fact in self._ordered(query, beyond, "relevance DESC, fact.visit DESC", most, place):
            yield ResultCursor(0, -fact.relevance, self._number, -fact.visit), fact

    def _ordered(
        self, query: Query, beyond: str, order: str, most: int, place: tuple[object, ...]
    ) -> list[Fact]:
        where, values = self._where(query, "")
        clause = f"{where} AND {beyond}" if beyond else where
        rows = self._index.execute(
            f"SELECT {COLUMNS} FROM {FACTS} WHERE {clause} ORDER BY {order} LIMIT ?", (*values, *place, most)
        )
        return [Fact(*row) for row in rows]

    def _where(self, query: Query, expression: str) -> tuple[str, list[object]]:
        clauses: list[str] = ["words MATCH ?"] if expression else []
        values: list[object] = [expression] if expression else []
        for clause, *given in clauses_of(query, self.threshold, self._labels):
            clauses.append(str(clause))
            values += given
        return " AND ".join(clauses) or "1", values


def spelt(key: int) -> str:
    """Return the key of a URL as programs and addresses write it: no number of JavaScript is long enough."""
    return f"{key & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def signed(spelling: str) -> int:
    """Return the key that is spelt so, as the store keeps it; raise ValueError if none is."""
    if len(key := bytes.fromhex(spelling)) != KEY:
        raise ValueError(f"{spelling[:20]!r} is no key of a URL")
    return int.from_bytes(key, "big", signed=True)
