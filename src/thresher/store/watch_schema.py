"""The tables of a crawl that is kept fresh; they are added to its database by the first look."""

TABLES = """
CREATE TABLE IF NOT EXISTS watched (
    key INTEGER PRIMARY KEY,         -- of the page's URL
    host INTEGER NOT NULL,           -- 64 bits that stand for host, and for section of the host
    section INTEGER NOT NULL,
    last REAL NOT NULL,              -- when it was looked at last
    looks REAL NOT NULL,             -- what the estimators need: see revisit/evidence.py
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
