"""A file of links, packed or not, made into an index once: who links to a page, or to a host.

edge list     a line is source, white space, target: two URLs, or two names of hosts
host graph    a line is two numbers, and a file of vertices says which host each is: number, tab, name
              spelt backwards (org.example.www), as Common Crawl publishes them

A link between hosts is answered with the front page of the host that links. Lines that are neither are
counted and passed over. The index stands beside the crawl and is made again when the file has changed.
"""

import gzip
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from thresher.core.enums import Origin
from thresher.core.errors import InvalidUrl, SettingsError
from thresher.core.files import whole_path
from thresher.core.records import Link, Url
from thresher.core.url import hostname_of, parse

log = logging.getLogger(__name__)

SOME = 10_000  # rows written at a time
MOST = 1_000  # rows looked at for one question
LONGEST_LINE = 1 << 16

_TABLES = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE edge (target, source);
CREATE TABLE vertex (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""
_INDEXES = "CREATE INDEX edge_by_target ON edge (target); CREATE INDEX vertex_by_name ON vertex (name);"
_BY_NUMBER = (
    "SELECT citing.name FROM vertex AS cited JOIN edge ON target = cited.number"
    " JOIN vertex AS citing ON citing.number = source WHERE cited.name = ? LIMIT ?"
)


@dataclass
class LinkDump:
    """The index of one dump."""

    index: Path

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return links from the pages that link to a URL, then from the hosts that link to its host."""
        host = hostname_of(url)
        scheme = url.partition("://")[0]
        with closing(sqlite3.connect(f"file:{self.index}?mode=ro", uri=True)) as connection:
            sources = [*_sources(connection, url), *_sources(connection, host)]
        return [
            Link(Url(source if "://" in source else f"{scheme}://{source}/"), url, origin=Origin.BACKLINK)
            for source in dict.fromkeys(sources)
        ]


def open_dump(edges: Path, index: Path, vertices: Path | None = None) -> LinkDump:
    """Return the index of a dump, made now unless it is there and the files are as they were."""
    for path in filter(None, (edges, vertices)):
        if not path.is_file():
            raise SettingsError(f"There is no file {path}: name the file of links in backlinks.file.")
    files = [path.stat() for path in (edges, vertices) if path]
    identity = " ".join(f"{file.st_size} {file.st_mtime_ns}" for file in files)
    if not index.exists() or _fact(index, "identity") != identity:
        with whole_path(index) as part, closing(sqlite3.connect(part)) as connection:
            _build(connection, edges, vertices, identity)
    return LinkDump(index)


def _build(connection: sqlite3.Connection, edges: Path, vertices: Path | None, identity: str) -> None:
    connection.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES}")
    strange = 0
    if vertices:
        strange += _insert(connection, "INSERT OR IGNORE INTO vertex VALUES (?, ?)", vertices, _vertex)
    strange += _insert(
        connection, "INSERT INTO edge VALUES (?, ?)", edges, _number_edge if vertices else _edge
    )
    connection.executescript(_INDEXES)
    connection.execute("INSERT INTO fact VALUES ('identity', ?)", (identity,))
    if strange:
        log.warning("%s: %d lines are no links and were passed over.", edges, strange)
    connection.commit()


Row = tuple[int | str, int | str]


def _insert(
    connection: sqlite3.Connection, statement: str, path: Path, read: Callable[[str], Row | None]
) -> int:
    """Write the rows of a file, some at a time, and return how many lines were none."""
    strange = 0
    rows = map(read, _lines(path))
    while some := list(islice(rows, SOME)):
        kept = [row for row in some if row]
        strange += len(some) - len(kept)
        connection.executemany(statement, kept)
    return strange


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file that say something; one that breaks off in the middle ends there."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rb") if packed else path.open("rb") as file, suppress(EOFError, OSError):
        while line := file.readline(LONGEST_LINE):
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield text


def _edge(line: str) -> Row | None:
    """Return target and source of a line, each the normal form of a URL or the name of a host."""
    parts = line.split()
    if len(parts) < 2:
        return None
    source, target = map(_place, parts[:2])
    return (target, source) if source and target else None


def _number_edge(line: str) -> Row | None:
    parts = line.split()
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[1]), int(parts[0])


def _vertex(line: str) -> Row | None:
    number, _, name = line.partition("\t")
    host = ".".join(reversed(name.split("\t")[0].strip().lower().split(".")))
    return (int(number), host) if number.isdecimal() and _HOST.fullmatch(host) else None


def _place(text: str) -> str:
    if "://" not in text:
        return text.lower() if _HOST.fullmatch(text.lower()) else ""
    try:
        return parse(text)
    except InvalidUrl:
        return ""


def _sources(connection: sqlite3.Connection, name: str) -> list[str]:
    """Return who links to a page or host by its name, or by its number where there are vertices."""
    rows = connection.execute("SELECT source FROM edge WHERE target = ? LIMIT ?", (name, MOST)).fetchall()
    rows += connection.execute(_BY_NUMBER, (name, MOST)).fetchall()
    return [source for (source,) in rows]


def _fact(index: Path, name: str) -> str:
    try:
        with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
    except sqlite3.DatabaseError:
        return ""
    return str(row[0]) if row else ""


_HOST = re.compile(r"(?:[\w-]+\.)+[\w-]+")
