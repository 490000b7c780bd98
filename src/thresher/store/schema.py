"""The tables of a crawl's database, and the check that a file has them."""

import sqlite3

from thresher.core.errors import NotACrawl

VERSION = 6

FACT = "CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"  # fields of Facts, JSON

TABLES = f"""
{FACT};

CREATE TABLE visit (
    number INTEGER PRIMARY KEY,      -- the order of the crawl
    key INTEGER NOT NULL,            -- 64-bit key of the URL
    url TEXT NOT NULL,
    request TEXT NOT NULL,           -- what kind: one of core.records.Request
    outcome TEXT NOT NULL,
    at REAL NOT NULL,
    relevance REAL NOT NULL,
    status INTEGER NOT NULL,
    size INTEGER NOT NULL,
    record TEXT NOT NULL,            -- file#offset in the archive
    reason TEXT NOT NULL,            -- for people; programs read outcome, status and detail
    candidate BLOB NOT NULL,         -- why the URL was asked for: candidate_codec.py, without the URL
    detail TEXT,                     -- what exactly went wrong, one of core.records.Detail
    moved_to TEXT                    -- the target of a redirect
);
CREATE INDEX visit_by_key ON visit (key);

CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL UNIQUE,     -- the newest version stands here
    visit INTEGER NOT NULL,          -- the visit that brought it
    relevance REAL NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    letters INTEGER NOT NULL,        -- of its text
    page BLOB NOT NULL               -- the whole record, text, links and all: page_codec.py
);

CREATE TABLE link (
    source INTEGER PRIMARY KEY,      -- number of the visit whose page has the links
    targets BLOB NOT NULL            -- keys of the URLs linked to: inlinks.py
);                                   -- sorted by target when somebody first asks

CREATE TABLE capture (
    visit INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    mime TEXT NOT NULL,
    digest TEXT NOT NULL,
    digest_key INTEGER NOT NULL      -- its first 64 bits, to find the same payload again
);
CREATE INDEX capture_by_digest ON capture (digest_key);

CREATE TABLE archive (
    written INTEGER PRIMARY KEY,     -- the order in which the files were begun
    file TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL          -- up to which the file is whole
);

CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, ready_at REAL NOT NULL);

CREATE TABLE waiting (
    arrival INTEGER PRIMARY KEY,     -- first come, first served among equals
    key INTEGER NOT NULL,
    host INTEGER NOT NULL,
    price REAL NOT NULL,             -- the negated priority: smaller comes first
    life INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    revisit INTEGER NOT NULL,        -- 1: a look at a page that is known
    candidate BLOB NOT NULL          -- candidate_codec.py
);                                   -- no index but for revisits: the frontier has the prices in memory
CREATE INDEX waiting_revisits ON waiting (revisit) WHERE revisit;
"""

STATE = """
CREATE TABLE IF NOT EXISTS mind (key INTEGER PRIMARY KEY, value BLOB NOT NULL);  -- a strategy's entries
CREATE TABLE IF NOT EXISTS gate (number INTEGER PRIMARY KEY, sighting BLOB NOT NULL);  -- the gate's pieces
"""

FIRST_JUDGED = """
CREATE TABLE IF NOT EXISTS first_judged (  -- what the judge said at a visit, where it says otherwise now
    visit INTEGER PRIMARY KEY,
    relevance REAL NOT NULL
)
"""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database, all or none."""
    connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;")


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables in a file; zero means that there are none yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file that another version of Thresher wrote, or that is no crawl at all."""
    found = version_of(connection)
    if found != VERSION:
        raise NotACrawl(
            f"{name} has version {found} of the crawl format, but this Thresher reads version {VERSION}. "
            "Read it with the Thresher that wrote it, or crawl anew into another folder with -o."
        )


WATCH_TABLES = """
CREATE TABLE IF NOT EXISTS watched (
    key INTEGER PRIMARY KEY,         -- of the page's URL
    host INTEGER NOT NULL,           -- 64 bits that stand for host, and for section of the host
    section INTEGER NOT NULL,
    last REAL NOT NULL,              -- when it was looked at last
    looks REAL NOT NULL,             -- what the estimators need: see freshness/policies.py
    changes REAL NOT NULL,
    changed_days REAL NOT NULL,
    days REAL NOT NULL,
    interval REAL NOT NULL,
    relevance REAL NOT NULL,
    brought REAL NOT NULL,
    hinted REAL NOT NULL,
    standing INTEGER NOT NULL,       -- 0 alive, 1 vanished, 2 broken, 3 moved
    misses INTEGER NOT NULL,
    streak INTEGER NOT NULL,
    unmodified INTEGER NOT NULL,
    url TEXT NOT NULL,
    etag TEXT NOT NULL,
    modified TEXT NOT NULL,
    noise BLOB NOT NULL              -- MessagePack: places that differ on each load
);
CREATE TABLE IF NOT EXISTS look (
    visit INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    at REAL NOT NULL,
    since REAL NOT NULL,             -- the look before
    kind TEXT NOT NULL,              -- what had changed; empty: nothing
    news INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS version (
    visit INTEGER PRIMARY KEY,       -- the visit that found it; the archive has its bytes
    key INTEGER NOT NULL,
    host INTEGER NOT NULL,
    url TEXT NOT NULL,
    at REAL NOT NULL,
    since REAL NOT NULL,
    kind TEXT NOT NULL,
    news INTEGER NOT NULL,           -- by what the page itself shows
    distance INTEGER NOT NULL,
    was REAL NOT NULL,               -- relevance before and after
    relevance REAL NOT NULL,
    diff TEXT NOT NULL,
    edits BLOB NOT NULL,             -- MessagePack: hashes of the lines that came or went
    told INTEGER NOT NULL            -- whether the hook was called
);
CREATE INDEX IF NOT EXISTS version_by_key ON version (key);
CREATE TABLE IF NOT EXISTS trust (
    host TEXT PRIMARY KEY,
    code INTEGER NOT NULL,
    right INTEGER NOT NULL,
    wrong INTEGER NOT NULL,
    lies INTEGER NOT NULL,
    fickle INTEGER NOT NULL
) WITHOUT ROWID;
"""
