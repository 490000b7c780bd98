"""The tables of `search.db`: everything in it follows from the crawl's database, so it may be deleted."""

VERSION = 4

TABLES = """
CREATE TABLE done (
    visit INTEGER NOT NULL,          -- the last visit that is counted
    page INTEGER NOT NULL,           -- the last row of the crawl's pages that is indexed
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
    forbidden INTEGER NOT NULL DEFAULT 0  -- visits that robots.txt or the server refused
);
CREATE INDEX host_by_relevant ON host (relevant, pages, id);
CREATE INDEX host_by_pages ON host (pages, id);
CREATE TABLE bucket (number INTEGER PRIMARY KEY, relevant INTEGER NOT NULL);  -- of BUCKET pages in a row
CREATE TABLE score (number INTEGER PRIMARY KEY, pages INTEGER NOT NULL);      -- COLUMNS of relevance
CREATE TABLE tally (kind TEXT, name TEXT, count INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
"""

BUCKET = 16  # pages
COLUMNS = 40


def column_of(relevance: float) -> int:
    """Return the column of the histogram that a relevance falls into."""
    return min(COLUMNS - 1, max(0, int(relevance * COLUMNS)))
