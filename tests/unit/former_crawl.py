"""Crawls in the form of version 5: text twice and open, links one by one, candidates with their names."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fingerprint, Link, Page, Url, Visit
from thresher.settings.load import read, written
from thresher.store.codecs import unpack, unpack_keys, unpack_page
from thresher.store.folder import CrawlFolder

FORMER = """
ALTER TABLE page DROP COLUMN letters;
ALTER TABLE page ADD COLUMN text TEXT NOT NULL DEFAULT '';
ALTER TABLE link RENAME TO packed;
CREATE TABLE link (target INTEGER NOT NULL, source INTEGER NOT NULL);
"""


def grown(path: Path, pages: int) -> CrawlFolder:
    """Make the folder of a crawl of so many pages, a handful of links on each."""
    folder = CrawlFolder(path)
    store = folder.create(written(read(None, [("topic", "bees"), ("seeds", ("http://a.test/0",))])))
    store.facts.threshold = 0.5
    for number in range(pages):
        store.add(_visit(number))
    store.close()
    return folder


def put_back(folder: CrawlFolder) -> CrawlFolder:
    """Bring a crawl back into the form of version 5."""
    with closing(sqlite3.connect(folder.database, isolation_level=None)) as database:
        database.executescript(FORMER)
        database.execute("BEGIN")
        for number, packed in database.execute("SELECT id, page FROM page").fetchall():
            page = unpack_page(packed)
            old = (page.text, msgspec.msgpack.encode(replace(page, text="")), number)
            database.execute("UPDATE page SET text = ?, page = ? WHERE id = ?", old)
        for source, packed in database.execute("SELECT source, targets FROM packed").fetchall():
            links = [(key, source) for key in unpack_keys(packed)]
            database.executemany("INSERT INTO link VALUES (?, ?)", links)
        for number, url, packed in database.execute("SELECT number, url, candidate FROM visit").fetchall():
            row = (msgspec.json.encode(unpack(packed, url)), number)
            database.execute("UPDATE visit SET candidate = ? WHERE number = ?", row)
        database.execute("COMMIT")
        database.executescript("DROP TABLE packed; PRAGMA user_version = 5; VACUUM;")
    return folder


def _visit(number: int) -> Visit:
    url = Url(f"http://a.test/{number}")
    said = f"The queen of hive {number} keeps warm all winter long. " * 20
    links = tuple(
        Link(url, Url(f"http://a.test/{number + step}"), f"hive {step}", "beside it", place="html/body/p/a")
        for step in range(1, 9)
    )
    print_ = Fingerprint(("ab", "cd"), "tags", 12.5, ("http://a.test/bee.png",), "digest", (1 << 64) - 1)
    page = Page(url, f"Hive {number}", f"Menu\n{said}\n蜜蜂", said, "en", "utf-8", links, fingerprint=print_)
    candidate = Candidate(url, 0.5, Link(Url("http://a.test/"), url, "hive"), depth=1)
    return Visit(candidate, Outcome.FETCHED, 1000.0 + number, page, 0.7, 200, 900)


def contents(folder: CrawlFolder) -> tuple[object, ...]:
    """Return what a reader finds in a crawl."""
    store = folder.open()
    try:
        inlinks = tuple(store.inlinks(Url("http://a.test/9")))
        return list(store.pages()), list(store.visits()), inlinks, store.facts
    finally:
        store.close()
