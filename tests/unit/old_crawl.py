"""The folder of a crawl as version 3 of the format had it: five visits, two pages and two URLs that wait."""

import json
import sqlite3
from typing import Any

import msgspec

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.store.folder import CrawlFolder

SEED, OLD, NEW = "http://a.test/", "http://a.test/old", "http://a.test/new"
MAP, LISTED, ECHO = "http://a.test/map.xml", "http://a.test/listed", "http://b.test/echo"

_TABLES = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE visit (number INTEGER PRIMARY KEY, key INTEGER NOT NULL, url TEXT NOT NULL, want TEXT NOT NULL,
    outcome TEXT NOT NULL, at REAL NOT NULL, relevance REAL NOT NULL, status INTEGER NOT NULL,
    size INTEGER NOT NULL, record TEXT NOT NULL, reason TEXT NOT NULL, candidate BLOB NOT NULL);
CREATE INDEX visit_by_key ON visit (key);
CREATE TABLE page (id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, visit INTEGER NOT NULL,
    relevance REAL NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
    page BLOB NOT NULL);
CREATE TABLE link (target INTEGER NOT NULL, source INTEGER NOT NULL);
CREATE TABLE capture (visit INTEGER PRIMARY KEY, file TEXT NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, mime TEXT NOT NULL, digest TEXT NOT NULL, digest_key INTEGER NOT NULL);
CREATE INDEX capture_by_digest ON capture (digest_key);
CREATE TABLE archive (written INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, length INTEGER NOT NULL);
CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, ready_at REAL NOT NULL);
CREATE TABLE waiting (arrival INTEGER PRIMARY KEY, key INTEGER NOT NULL, host INTEGER NOT NULL,
    price REAL NOT NULL, life INTEGER NOT NULL, depth INTEGER NOT NULL, not_before REAL NOT NULL,
    candidate BLOB NOT NULL);
CREATE INDEX waiting_revisits ON waiting (not_before) WHERE not_before > 0;
CREATE TABLE mind (key INTEGER PRIMARY KEY, value BLOB NOT NULL);
PRAGMA user_version = 3;
"""

_VISITS = [  # URL, outcome, status, reason, the link that led to it
    (SEED, "fetched", 200, "", None),
    (OLD, "moved", 301, f"moved to {NEW}", {"anchor": "news", "rel": "nofollow"}),
    (NEW, "gone", 200, "soft 404", {"anchor": "news"}),
    (MAP, "fetched", 200, "", {"rel": "sitemap", "place": "robots.txt"}),
    (LISTED, "fetched", 200, "", {"rel": "sitemap", "source": MAP}),
]

NOTES = {
    "topic": json.dumps({"name": "bees", "keywords": {"bee": 1.0}}),
    "strategy": "best_first",
    "judge": "cosine",
    "threshold": "0.5",
    "seeds": json.dumps([SEED]),
    "seconds": "12.500",
    "refused": json.dumps({"nofollow": 3}),
    "state": "7",
    "finish_reason": "page limit of 5 reached",
    "revisit_finish_reason": "nothing left to visit",
    "forecast": "null",
    "pass": "4",
    "enrolled": "2",
    "telling_since": "1000.5",
    "indexed": "5",
    "links_sorted": "3",
}


def old_crawl(folder: CrawlFolder) -> CrawlFolder:
    """Write the folder and return it."""
    folder.path.mkdir()
    asked = f'topic = "bees"\nstrategy = "best_first"\nseeds = ["{SEED}"]\n\n[web]\nkind = "practice"\n'
    folder.settings.write_text(asked)
    connection = sqlite3.connect(folder.database)
    connection.executescript(_TABLES)
    connection.executemany("INSERT INTO note VALUES (?, ?)", NOTES.items())
    for number, visit in enumerate(_VISITS, 1):
        connection.execute("INSERT INTO visit VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", _visit_row(number, *visit))
    told = _page(SEED, _link(SEED, MAP, rel="sitemap", place="robots.txt"), _link(SEED, OLD, anchor="news"))
    for page in (_page_row(1, told), _page_row(4, _page(MAP, _link(MAP, LISTED, rel="sitemap")))):
        connection.execute("INSERT INTO page VALUES (?,?,?,?,?,?,?,?)", page)
    connection.execute("INSERT INTO host VALUES (1, 'http://b.test', 0)")
    for arrival, via in enumerate(
        ((SEED, "", "ours", "", "", "html/body/a"), (OLD, "", "", "", "backlink", ""))
    ):
        packed = (ECHO, 0.5, via, 3, 0.25, 2, 0, "page", 0.0, False)
        row = (arrival, key_of(Url(ECHO)) + arrival, 1, -0.5, 3, 2, 0.0, msgspec.msgpack.encode(packed))
        connection.execute("INSERT INTO waiting VALUES (?,?,?,?,?,?,?,?)", row)
    connection.commit()
    connection.close()
    return folder


def _link(source: str, target: str, **told: str) -> dict[str, str]:
    plain = {"source": source, "target": target, "anchor": "", "context": "", "rel": "", "place": ""}
    return plain | told


def _visit_row(number: int, url: str, outcome: str, status: int, reason: str, via: Any) -> tuple[Any, ...]:
    candidate = {
        "url": url,
        "priority": 0.5,
        "via": via and _link(SEED, url) | via,
        "depth": 1,
        "want": "page",
    }
    key, at = key_of(Url(url)), 1000.0 + number
    return (
        number,
        key,
        url,
        "page",
        outcome,
        at,
        0.7,
        status,
        10,
        "",
        reason,
        json.dumps(candidate).encode(),
    )


def _page(url: str, *links: dict[str, str]) -> dict[str, Any]:
    return {"url": url, "title": "", "links": list(links)}


def _page_row(visit: int, page: dict[str, Any]) -> tuple[Any, ...]:
    blob = msgspec.msgpack.encode(page)
    return (visit, key_of(Url(page["url"])), visit, 0.7, "", "", "", blob)
