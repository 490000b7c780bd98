"""The tables of a crawl's database, and the check that a file has them."""

import sqlite3

from thresher.core.errors import NotACrawl

VERSION = 1

TABLES = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE visit (
    number INTEGER PRIMARY KEY,      -- the order of the crawl
    url TEXT NOT NULL,
    want TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at REAL NOT NULL,
    relevance REAL NOT NULL,
    status INTEGER NOT NULL,
    size INTEGER NOT NULL,
    record TEXT NOT NULL,
    reason TEXT NOT NULL,
    candidate BLOB NOT NULL          -- JSON: why the URL was asked for
);
CREATE INDEX visit_by_url ON visit (url);
CREATE TABLE page (
    url TEXT PRIMARY KEY,
    visit INTEGER NOT NULL,          -- the visit that brought this version
    relevance REAL NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    page BLOB NOT NULL               -- MessagePack: the whole record but its text
);
CREATE INDEX page_by_relevance ON page (relevance);
CREATE TABLE inlink (
    target INTEGER NOT NULL,         -- 64-bit key of the URL linked to
    source INTEGER NOT NULL,         -- rowid of the page with the link
    PRIMARY KEY (target, source)
) WITHOUT ROWID;
"""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database."""
    connection.executescript(f"{TABLES} PRAGMA user_version = {VERSION};")


def check(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file that another version of Thresher wrote, or that is no crawl at all."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found != VERSION:
        raise NotACrawl(
            f"{name} has version {found} of the crawl format, this Thresher reads version {VERSION}."
        )
