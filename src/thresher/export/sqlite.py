"""A clean SQLite file: pages, links, labels and changes in plain columns, and an index of the words."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from thresher.export.format import FileFormat, Pages
from thresher.export.items import Item
from thresher.export.words import moment

TABLES = """
CREATE TABLE link (source TEXT NOT NULL, target TEXT NOT NULL, anchor TEXT NOT NULL, rel TEXT NOT NULL);
CREATE TABLE label (url TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE change (
    url TEXT NOT NULL, found_at TEXT NOT NULL, since TEXT NOT NULL, kind TEXT NOT NULL, news INTEGER NOT NULL,
    relevance_before REAL NOT NULL, relevance REAL NOT NULL, diff TEXT NOT NULL
);
"""
SEARCHED = ("title", "main", "text")
_KINDS = {int: "INTEGER", bool: "INTEGER", float: "REAL"}


class Sqlite(FileFormat):
    """Tables page, link, label and change, and page_fts, which any client can ask."""

    name = "sqlite"
    suffixes = (".sqlite", ".sqlite3", ".db")
    use = "SQLite: pages, links, labels and changes as tables, and a search over them."

    def make(self, pages: Pages, path: Path) -> int:
        """Write the tables and return how many pages there are."""
        with closing(sqlite3.connect(path)) as database, database:
            database.executescript(f"PRAGMA synchronous = OFF; {_page_table(pages.fields)} {TABLES}")
            marks = ",".join("?" * len(pages.fields))
            count = database.executemany(f"INSERT INTO page VALUES ({marks})", pages.rows()).rowcount
            database.executemany("INSERT INTO link VALUES (?, ?, ?, ?)", _links(pages))
            database.executemany("INSERT INTO label VALUES (?, ?)", _labels(pages))
            database.executemany("INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _changes(pages))
            database.executescript(_indexes(pages.fields))
        return max(count, 0)


def _page_table(fields: tuple[str, ...]) -> str:
    columns = (f'"{name}" {_KINDS.get(Item.__annotations__[name], "TEXT")}' for name in fields)
    return f"CREATE TABLE page ({', '.join(columns)});"


def _indexes(fields: tuple[str, ...]) -> str:
    searched = ", ".join(name for name in SEARCHED if name in fields)
    words = (
        f"CREATE VIRTUAL TABLE page_fts USING fts5 ({searched}, content=\"page\", tokenize='unicode61');"
        "INSERT INTO page_fts (page_fts) VALUES ('rebuild');"
    )
    urls = "CREATE INDEX page_url ON page (url);" if "url" in fields else ""
    links = "CREATE INDEX link_source ON link (source); CREATE INDEX link_target ON link (target);"
    return f"{words if searched else ''} {urls} {links}"


def _links(pages: Pages) -> Iterator[tuple[str, ...]]:
    for visit in pages.visits():
        for link in visit.page.links if visit.page else ():
            yield link.source, link.target, link.anchor, link.rel


def _labels(pages: Pages) -> Iterator[tuple[str, str]]:
    return ((url, "yes" if wanted else "no") for url, wanted in pages.store.labels().items())


def _changes(pages: Pages) -> Iterator[tuple[object, ...]]:
    for each in pages.store.each_version(pages.selection.since):
        times = moment(each.at), moment(each.since)
        yield each.url, *times, each.kind.value, each.news, each.was, each.relevance, each.diff
