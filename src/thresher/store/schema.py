"""The tables of a crawl's database, and the facts about the crawl as a whole."""

import sqlite3
from collections.abc import Iterable, Mapping
from math import nan

import msgspec
from msgspec import Struct

from thresher.core.errors import NotACrawl
from thresher.core.progress import Finish, Forecast, KeywordOffer, SecondCount
from thresher.core.records import Topic, Url
from thresher.settings.model import TopicSettings

VERSION = 7

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
    candidate BLOB NOT NULL,         -- why the URL was asked for: codecs.py, without the URL
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
    page BLOB NOT NULL               -- the whole record, text, links and all: codecs.py
);

CREATE TABLE link (
    source INTEGER PRIMARY KEY,      -- number of the visit whose page has the links
    targets BLOB NOT NULL            -- keys of the URLs linked to: codecs.py
);                                   -- sorted by target when first asked for

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
    negated_priority REAL NOT NULL,             -- the negated priority: smaller comes first
    hops_left INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    revisit INTEGER NOT NULL,        -- 1: a revisit of a known page
    candidate BLOB NOT NULL          -- codecs.py
);                                   -- no index but for revisits: the frontier has the priorities in memory
CREATE INDEX waiting_revisits ON waiting (revisit) WHERE revisit;
"""

STATE = """
CREATE TABLE IF NOT EXISTS strategy_state (key INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS filter_state (number INTEGER PRIMARY KEY, signature BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS contrast (  -- what the strategy heard of a page, where the judge tells that apart
    visit INTEGER PRIMARY KEY,
    contrast REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS learned (   -- what the judge has learned, in one row
    number INTEGER PRIMARY KEY,
    visit INTEGER NOT NULL,            -- the last visit that is part of it
    state BLOB NOT NULL
);
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
    check_version(version_of(connection), name)


def check_version(found: int, name: str) -> None:
    """Refuse a version of the tables that is not ours."""
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
    revisits REAL NOT NULL,             -- what the estimators need: see freshness/policies.py
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
CREATE TABLE IF NOT EXISTS revisit (
    visit INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    at REAL NOT NULL,
    since REAL NOT NULL,             -- the revisit before
    kind TEXT NOT NULL,              -- what had changed; empty: nothing
    substantive INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS version (
    visit INTEGER PRIMARY KEY,       -- the visit that found it; the archive has its bytes
    key INTEGER NOT NULL,
    host INTEGER NOT NULL,
    url TEXT NOT NULL,
    at REAL NOT NULL,
    since REAL NOT NULL,
    kind TEXT NOT NULL,
    substantive INTEGER NOT NULL,           -- by what the page itself shows
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


# Facts about a crawl as a whole: one record, kept field by field, in the transactions of the visits.


FACTS_VERSION = 1


class SavedStrategy(Struct, frozen=True):
    """What a strategy knows of its crawl as a whole, and which version of it wrote that and its entries."""

    version: int
    head: str = ""


class CrawlMetadata(Struct):
    """What is known of a crawl as a whole; what a writer of the store sets here, the next commit keeps."""

    version: int = FACTS_VERSION
    topic: Topic = Topic("")  # as run
    asked: TopicSettings | None = None  # what it was made of
    judgements: int = 0  # how often all pages were judged anew
    strategy: str = ""
    judge: str = ""
    judge_version: int = 0  # by which all pages were judged
    threshold: float = nan  # unknown: nothing is relevant
    seeds: tuple[Url, ...] = ()  # those that some run has started from
    seconds: float | None = None  # that all runs took together
    virtual_time: bool = False  # whether waiting cost nothing
    refused: dict[str, int] = {}  # links, by reason
    state: SavedStrategy | None = None  # of the strategy; none: it has learned nothing yet
    filters_version: int | None = None  # of what the filters keep; none: they have kept nothing yet
    failed_at: Url = Url("")  # the visit at which the strategy failed
    relearn: bool = False  # whether the strategy must learn its visits anew, for pages were judged anew
    finish: Finish | None = None  # why the last run ended; none: it runs still, or was cut off
    revisit_finish: Finish | None = None
    forecast: Forecast | None = None
    second_count: SecondCount | None = None
    keyword_offer: KeywordOffer | None = None  # none: something certain was found, or it is too early
    pass_new_pages: int | None = None  # that a pass under way may fetch; none: no pass is
    paper_repository: bool = False  # whether irrelevant pages were dropped and broken links come last
    enrolled: int = 0  # the last page that was put under watch
    hooks_since: float | None = None  # from when on hooks hear of changes
    indexed: int = 0  # the last visit that the index of the archive lists
    warcinfo: dict[str, str] = {}  # that opens every file of the archive: who crawled, how and what for
    discarded: tuple[str, ...] = ()  # files of the archive that were written anew and are to be removed
    cluster: str = ""  # by what name workers of other machines know the crawl
    links_sorted: int = 0  # the last visit whose links were sorted in by their targets


class ActiveRun:
    """A run in progress: it says in every transaction what it leaves to the next run."""

    def leave(self, facts: CrawlMetadata) -> None:
        """Bring the facts that change with every visit up to date."""

    def entries(self) -> Iterable[tuple[int, bytes]]:
        """Return what the strategy knows of pages and links, as far as it is new."""
        raise NotImplementedError

    def sightings(self) -> Iterable[bytes]:
        """Return what the filters have learned from visits, as far as it is new."""
        raise NotImplementedError


_decode = msgspec.json.Decoder(CrawlMetadata).decode
_encode = msgspec.json.Encoder().encode


def read_facts(connection: sqlite3.Connection, only: str = "") -> CrawlMetadata:
    """Return the facts that a database holds, or no other than the one named."""
    rows = connection.execute("SELECT name, value FROM fact WHERE ? IN ('', name)", (only,))
    members = ",".join(f'"{name}":{value}' for name, value in rows)
    try:
        facts = _decode(f"{{{members}}}")
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _refused(str(error)) from None
    if facts.version != FACTS_VERSION:
        raise _refused(f"version {facts.version}, but this Thresher reads version {FACTS_VERSION}")
    return facts


def _refused(why: str) -> NotACrawl:
    return NotACrawl(
        f"The facts about the crawl cannot be read ({why}). "
        "Read it with the Thresher that wrote it, or crawl anew into another folder with -o."
    )


def changed_facts(before: CrawlMetadata, now: CrawlMetadata) -> dict[str, object]:
    """Return the fields that differ, with their values."""
    pairs = ((name, getattr(before, name), getattr(now, name)) for name in CrawlMetadata.__struct_fields__)
    return {name: new for name, old, new in pairs if new is not old and new != old}


def write_facts(connection: sqlite3.Connection, fields: Mapping[str, object]) -> None:
    """Keep the values of some fields."""
    rows = [(name, _encode(value).decode()) for name, value in fields.items()]
    connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)
