"""The index of a crawl: its tables, and how visits and pages are folded into them."""

import sqlite3
from collections import Counter
from collections.abc import Sequence

from thresher.core.enums import ERRORS, NOT_RENDERED, REVISITS, Origin, Outcome, Request
from thresher.core.records import Page, Visit
from thresher.core.url import host_of, key_of
from thresher.export.wording import cause_of
from thresher.search.query import index_text
from thresher.store.read import CrawlReader

# The tables of `search.db`: everything in it follows from the crawl's database, so it may be deleted


VERSION = 6

TABLES = """
CREATE TABLE done (
    visit INTEGER NOT NULL,          -- the last visit that is counted
    page INTEGER NOT NULL,           -- the last row of the crawl's pages that is listed
    words INTEGER NOT NULL,          -- the last whose words are indexed, which takes ten times as long
    origin TEXT NOT NULL,            -- what tells this crawl from another in the same place
    threshold REAL NOT NULL,         -- from which pages counted as relevant
    judgements INTEGER NOT NULL,     -- how often all pages had been judged anew
    pages INTEGER NOT NULL DEFAULT 0,
    relevant INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    began REAL NOT NULL DEFAULT 0,
    ended REAL NOT NULL DEFAULT 0,
    last_find REAL NOT NULL DEFAULT 0
);
CREATE VIRTUAL TABLE words USING fts5(
    title, body, content='', tokenize='unicode61 remove_diacritics 2'
);                                   -- rowid: the visit; the text itself stands once, in the crawl
CREATE TABLE fact (
    visit INTEGER PRIMARY KEY,       -- the visit that brought the newest version of the page
    key INTEGER NOT NULL UNIQUE,     -- 64-bit key of its URL
    host INTEGER NOT NULL,
    relevance REAL NOT NULL,
    at REAL NOT NULL,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    links REAL NOT NULL,             -- share of its letters that stand inside links
    title TEXT NOT NULL,
    url TEXT NOT NULL
);
CREATE INDEX fact_by_relevance ON fact (relevance, visit, key);
CREATE INDEX fact_by_host ON fact (host, relevance, visit);
CREATE TABLE host (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    visits INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0,
    relevant INTEGER NOT NULL DEFAULT 0,
    forbidden INTEGER NOT NULL DEFAULT 0, -- visits that robots.txt or the server refused
    failed INTEGER NOT NULL DEFAULT 0     -- those, and others that brought no answer or an error
);
CREATE INDEX host_by_relevant ON host (relevant, pages, id);
CREATE INDEX host_by_pages ON host (pages, id);
CREATE INDEX host_by_failed ON host (failed, visits, id);
CREATE TABLE bucket (number INTEGER PRIMARY KEY, relevant INTEGER NOT NULL);  -- of BUCKET pages in a row
CREATE TABLE score (number INTEGER PRIMARY KEY, pages INTEGER NOT NULL);      -- COLUMNS of relevance
CREATE TABLE tally (kind TEXT, name TEXT, count INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
"""

BUCKET = 16  # pages
COLUMNS = 40


def column_of(relevance: float) -> int:
    """Return the column of the histogram that a relevance falls into."""
    return min(COLUMNS - 1, max(0, int(relevance * COLUMNS)))


# The fold: each transaction moves rows and `done` together


TITLE = 500  # letters of a title that are kept
LETTERS = 1_000_000  # of a page that are indexed
_UNCOUNT = (
    *(f"DELETE FROM {table}" for table in ("bucket", "score", "tally")),
    "UPDATE host SET visits = 0, pages = 0, relevant = 0, forbidden = 0, failed = 0",
    "UPDATE done SET visit = 0, pages = 0, relevant = 0, requests = 0, bytes = 0",
    "UPDATE done SET began = 0, ended = 0, last_find = 0",
)


def fold_visits(connection: sqlite3.Connection, store: CrawlReader, most: int) -> int:
    """Count the next visits of a crawl, and return how many there were."""
    done, threshold = connection.execute("SELECT visit, threshold FROM done").fetchone()
    rows = store.visits_after(done, most)
    counted = [visit for _, visit in rows if visit.candidate.kind not in REVISITS]
    if rows:
        connection.execute("UPDATE done SET visit = ?", (rows[-1][0],))
        _count(connection, counted, threshold)
    return len(rows)


def recount(connection: sqlite3.Connection, store: CrawlReader, threshold: float, most: int) -> None:
    """Count all visits anew by what is said of their pages now; the words of the pages stay as they are."""
    (last,) = connection.execute("SELECT visit FROM done").fetchone()
    for statement in _UNCOUNT:
        connection.execute(statement)
    judged = threshold, store.facts.judgements
    connection.execute("UPDATE done SET threshold = ?, judgements = ?", judged)
    counted = 0
    while counted < last and (rows := store.visits_after(counted, most)):
        said = [(visit.relevance, number) for number, visit in rows]
        connection.executemany("UPDATE fact SET relevance = ? WHERE visit = ?", said)
        fold_visits(connection, store, most)
        counted = rows[-1][0]
    scores = Counter(column_of(score) for (score,) in connection.execute("SELECT relevance FROM fact"))
    connection.executemany("INSERT INTO score VALUES (?, ?)", scores.items())


def fold_heads(connection: sqlite3.Connection, store: CrawlReader, most: int) -> int:
    """List the next pages of a crawl whose visits are counted, without their words; return how many."""
    done, last = connection.execute("SELECT page, visit FROM done").fetchone()
    rows = [row for row in store.page_heads_after(done, most) if row[1] <= last]
    for _, number, title, language, visit in rows:
        _list(connection, number, title[:TITLE], language, visit)
    if rows:
        connection.execute("UPDATE done SET page = ?", (rows[-1][0],))
    return len(rows)


def fold_words(connection: sqlite3.Connection, store: CrawlReader, most: int) -> int:
    """Index the words of the next pages that are listed, and return how many pages there were."""
    done, last = connection.execute("SELECT words, page FROM done").fetchone()
    rows = [row for row in store.pages_after(done, most) if row[0] <= last]
    connection.executemany(
        "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
        (
            (number, index_text(page.title[:TITLE]), index_text((page.main or page.text)[:LETTERS]))
            for _, number, page in rows
        ),
    )
    shares = ((link_share(page), number) for _, number, page in rows)
    connection.executemany("UPDATE fact SET links = ? WHERE visit = ?", shares)
    if rows:
        connection.execute("UPDATE done SET words = ?", (rows[-1][0],))
    return len(rows)


def _count(connection: sqlite3.Connection, visits: Sequence[Visit], threshold: float) -> None:
    """Add visits to the figures; revisits harvest nothing and are not among them."""
    (pages,) = connection.execute("SELECT pages FROM done").fetchone()
    hosts: dict[str, list[int]] = {}
    tallies: Counter[tuple[str, str]] = Counter()
    buckets: Counter[int] = Counter()
    fetched = relevant = 0
    last_find = 0.0
    for visit in visits:
        tallies.update(_tallies(visit))
        if visit.candidate.kind is Request.BACKLINKS:
            continue
        row = hosts.setdefault(host_of(visit.candidate.url), [0, 0, 0, 0, 0])
        row[0] += 1
        row[3] += visit.outcome is Outcome.FORBIDDEN
        row[4] += visit.outcome in ERRORS
        if visit.outcome is Outcome.FETCHED:
            is_relevant = visit.relevance >= threshold
            buckets[(pages + fetched) // BUCKET] += is_relevant
            fetched, relevant = fetched + 1, relevant + is_relevant
            row[1], row[2] = row[1] + 1, row[2] + is_relevant
            last_find = max(last_find, visit.at) if is_relevant else last_find
    _add_hosts(connection, hosts)
    connection.executemany(
        "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
        [(*name, count) for name, count in tallies.items()],
    )
    connection.executemany(
        "INSERT INTO bucket VALUES (?, ?) ON CONFLICT DO UPDATE SET relevant = relevant + excluded.relevant",
        buckets.items(),
    )
    if visits:
        size = sum(visit.size for visit in visits)
        connection.execute(
            "UPDATE done SET pages = pages + ?, relevant = relevant + ?, requests = requests + ?,"
            " bytes = bytes + ?, began = iif(began, began, ?), ended = ?, last_find = max(last_find, ?)",
            (fetched, relevant, len(visits), size, visits[0].at, visits[-1].at, last_find),
        )


def _tallies(visit: Visit) -> list[tuple[str, str]]:
    """Return what a visit counts as: how it ended, and why where it brought no page, or not all of it."""
    if visit.candidate.kind is Request.BACKLINKS:
        return [("outcome", "asked for back-links")]
    ended = ("outcome", visit.outcome.value)
    is_whole = visit.outcome is Outcome.FETCHED and visit.detail not in NOT_RENDERED
    return [ended] if is_whole else [ended, ("cause", cause_of(visit))]


def _add_hosts(connection: sqlite3.Connection, hosts: dict[str, list[int]]) -> None:
    connection.executemany(
        "INSERT INTO host (name, visits, pages, relevant, forbidden, failed) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET visits = visits + excluded.visits, pages = pages + excluded.pages,"
        " relevant = relevant + excluded.relevant, forbidden = forbidden + excluded.forbidden,"
        " failed = failed + excluded.failed",
        [(name, *row) for name, row in hosts.items()],
    )


def _list(connection: sqlite3.Connection, number: int, title: str, language: str, visit: Visit) -> None:
    """List one page in the place of its older version.

    The older version's words stay in the index without a fact, so that no answer can name them.
    """
    url, key = visit.candidate.url, key_of(visit.candidate.url)
    before = "DELETE FROM fact WHERE key = ? RETURNING relevance"
    for (relevance,) in connection.execute(before, (key,)).fetchall():
        connection.execute("UPDATE score SET pages = pages - 1 WHERE number = ?", (column_of(relevance),))
    connection.execute(
        "INSERT INTO fact VALUES (?, ?, (SELECT id FROM host WHERE name = ?), ?, ?, ?, ?, ?, 0, ?, ?)",
        (number, key, host_of(url), visit.relevance, visit.at, language, visit.size, visit.candidate.depth,
         title, url),
    )  # fmt: skip
    connection.execute(
        "INSERT INTO score VALUES (?, 1) ON CONFLICT DO UPDATE SET pages = pages + 1",
        (column_of(visit.relevance),),
    )


def link_share(page: Page) -> float:
    """Return the share of a page's letters that stand inside links: near 1 for lists, near 0 for articles."""
    inside = sum(len(link.anchor) for link in page.links if link.origin is Origin.PAGE)
    return min(1.0, inside / max(1, len(page.text)))
