"""Back-links: which pages link to a page, asked of services, dumps of links and the crawl itself."""

import asyncio
import gzip
import logging
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import Origin
from thresher.core.errors import BadResponse, FetchError, InvalidUrl, NoBacklinks, SettingsError
from thresher.core.files import whole_path
from thresher.core.interfaces import BacklinkSource, Clock, CrawlView, Web
from thresher.core.records import Candidate, Fetched, Link, Url
from thresher.core.url import folders, hostname_of, parse

MOST = 100  # links of one answer


@dataclass
class BudgetedSource(BacklinkSource):
    """The source behind it, asked as long as questions are left, and for so many links at most."""

    source: BacklinkSource
    questions: int | None = None  # how many may be asked; None: as many as one likes
    most: int = MOST

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        if self.questions is not None:
            if self.questions <= 0:
                raise NoBacklinks("the questions for back-links that may be asked are spent")
            self.questions -= 1
        return distinct(await self.source.who_links_to(url), url, self.most)

    def __str__(self) -> str:
        return str(self.source)


@dataclass
class ChainedSource(BacklinkSource):
    """Sources asked one after the other; one that fails is counted and passed over."""

    sources: Sequence[BacklinkSource]
    failed: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return ", ".join(type(source).__name__ for source in self.sources) or "nobody"

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        found: list[Link] = []
        complaints = []
        for source in self.sources:
            try:
                found += await source.who_links_to(url)
            except (FetchError, OSError, ValueError) as error:
                self.failed[f"no answer about back-links from {type(source).__name__}"] += 1
                complaints.append(str(error) or type(error).__name__)
        if len(complaints) == len(self.sources):
            raise NoBacklinks(
                "; ".join(complaints) or "no source of back-links is set: see backlinks in settings"
            )
        return found


@dataclass(frozen=True)
class KnownLinks(BacklinkSource):
    """A graph that is at hand, such as that of an archive: `sources` names the pages that link to a URL."""

    sources: Callable[[Url], Iterable[Url]]

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        return [Link(source, url, origin=Origin.BACKLINK) for source in self.sources(url)]


@dataclass(frozen=True)
class CrawlLinks(BacklinkSource):
    """The links that another crawl has found; its folder is opened for each question."""

    open_crawl: Callable[[], AbstractContextManager[CrawlView]]

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return the links that were found."""
        with self.open_crawl() as crawl:
            return [replace(link, origin=Origin.BACKLINK) for link in crawl.inlinks(url)]


@dataclass(frozen=True)
class Folders(BacklinkSource):
    """Path-ascending: the folders above a page stand in for the pages that link to it."""

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        return [Link(folder, url, origin=Origin.FOLDER) for folder in folders(url)]


@dataclass
class PacedSource(BacklinkSource):
    """The source behind it, asked one question at a time with a pause in between."""

    source: BacklinkSource
    clock: Clock
    delay: float
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        async with self._turn:
            try:
                return await self.source.who_links_to(url)
            finally:
                await self.clock.sleep(self.delay)


def distinct(links: Iterable[Link], url: Url, most: int) -> list[Link]:
    """Return the first links of different sources that lead to a URL from elsewhere."""
    found: dict[Url, Link] = {}
    for link in links:
        if link.target == url and link.source != url:
            found.setdefault(link.source, link)
            if len(found) == most:
                break
    return list(found.values())


LISTS = ("links", "backlinks", "results", "data")
MOST_TOLD = 2_000  # links of one answer: to read more would keep others waiting
LONGEST = 500  # characters of an anchor


@dataclass(frozen=True)
class BacklinkEndpoint(BacklinkSource):
    """Asks the endpoint by way of a web, so that its guard, rules and limits hold here too."""

    web: Web
    address: str

    def __post_init__(self) -> None:
        """Refuse an address in which the page has no place."""
        if "{url}" not in self.address:
            raise SettingsError(
                f"backlinks.endpoint {self.address!r} has no {{url}} where the page's address should go."
            )

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        address = parse(self.address.replace("{url}", quote(url, safe="")))
        fetched = await self.web.get(Candidate(address))
        if fetched.status != 200:
            raise BadResponse(f"the endpoint for back-links answered with status {fetched.status}")
        return [link for told in islice(_told(fetched), MOST_TOLD) if (link := _link(told, url))]


def _told(fetched: Fetched) -> Iterator[Any]:
    """Yield what stands for one link each."""
    text = fetched.body.lstrip()
    if text[:1] not in (b"[", b"{"):
        yield from fetched.body.decode("utf-8", "replace").splitlines()
        return
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise BadResponse("the endpoint for back-links sent JSON that cannot be read") from None
    if isinstance(answer, dict):
        answer = next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), [])
    yield from answer


def _link(told: Any, url: Url) -> Link | None:
    source, anchor = told, ""
    if isinstance(told, Mapping):
        source, anchor = told.get("source") or told.get("url"), told.get("anchor") or ""
    try:
        return Link(parse(str(source).strip()), url, str(anchor)[:LONGEST], origin=Origin.BACKLINK)
    except InvalidUrl:
        return None


# A file of links, packed or not, made into an index once: who links to a page, or to a host.
#
# edge list     a line is source, white space, target: two URLs, or two names of hosts
# host graph    a line is two numbers, and a file of vertices says which host each is: number, tab, name
#               spelt backwards (org.example.www), as Common Crawl publishes them
#
# A link between hosts is answered with the front page of the host that links. Lines that are neither are
# counted and passed over. The index stands beside the crawl and is made again when the file has changed.


log = logging.getLogger(__name__)

SOME = 10_000  # rows written at a time
MOST_FROM_DUMP = 1_000  # rows looked at for one question
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
class LinkDump(BacklinkSource):
    """The index of one dump."""

    index: Path

    @override
    async def who_links_to(self, url: Url) -> Sequence[Link]:
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
    """Return the back-links of a page or host by its name, or by its number where there are vertices."""
    rows = connection.execute(
        "SELECT source FROM edge WHERE target = ? LIMIT ?", (name, MOST_FROM_DUMP)
    ).fetchall()
    rows += connection.execute(_BY_NUMBER, (name, MOST_FROM_DUMP)).fetchall()
    return [source for (source,) in rows]


def _fact(index: Path, name: str) -> str:
    try:
        with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
    except sqlite3.DatabaseError:
        return ""
    return str(row[0]) if row else ""


_HOST = re.compile(r"(?:[\w-]+\.)+[\w-]+")
