"""A crawl is a folder: what was asked, what was found, and the report."""

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from thresher.core.errors import CrawlExists, NotACrawl, UsageError
from thresher.core.files import atomic_write, refuse_link
from thresher.settings.load import PRIVATE, Override, read
from thresher.settings.model import Settings
from thresher.store import fixity, schema
from thresher.store.archive import Archive
from thresher.store.database import Database, Lock
from thresher.store.errors import DiskErrorHandler, open_to_read
from thresher.store.labels import Labels, beside
from thresher.store.read import CrawlReader
from thresher.store.trust import remember, settings_to_read, settings_to_run
from thresher.warc.files import DiskFile, LocalVolume, Opener, Volume

if TYPE_CHECKING:
    from thresher.store.revisits import RevisitDatabase

Opened = TypeVar("Opened", bound=Database)

NAMES = (
    "crawl.toml",
    "crawl.log",
    "asked.json",
    "crawl.owners",
    "crawl.lock",
    "crawl.sums",
    "crawl.db",
    "crawl.db-wal",
    "crawl.db-shm",
    "crawl.db-journal",
    "labels.csv",
    "labels.lock",
    "labels.model.csv",
    "report.html",
    "now.json",
    "backlinks.db",
    "search.db",
    "search.db-wal",
    "search.db-shm",
    "search.db-journal",
    "search.lock",
    "warc",
    "workers.json",
    "bus",
)
"""What a crawl folder may hold."""


NEIGHBOURS = 200  # folders looked at for one that may have been meant
LONGEST_NAME = 80  # letters: file systems take 255 bytes
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in range(10))
NO_NAMES = frozenset(["con", "prn", "aux", "nul", *PORTS])
"""What Windows takes for a device."""


def folder_name(text: str) -> str:
    """Return the name of a crawl's folder, on any system: its words, joined by hyphens."""
    name = "-".join(re.findall(r"\w+", text.lower()))[:LONGEST_NAME].rstrip("-") or "crawl"
    return f"{name}-crawl" if name in NO_NAMES else name


class FileOf:
    """A file of a crawl's folder, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: "CrawlFolder", kind: type["CrawlFolder"]) -> Path:
        return folder.path / self._name


@dataclass(frozen=True)
class CrawlFolder:
    """The folder of one crawl and the names of its files."""

    path: Path
    opener: Opener = DiskFile  # of the archive's files

    settings = FileOf("crawl.toml")  # what was asked, as run
    database = FileOf("crawl.db")  # visits, pages, links and notes
    workers = FileOf("workers.json")  # the workers of the crawl while it runs
    bus = FileOf("bus")  # keys of the engine that a crawl starts for its workers
    report = FileOf("report.html")  # the page a person opens
    now = FileOf("now.json")  # what is being fetched at this moment, while a crawl runs
    labels = FileOf("labels.csv")  # what the user says of fetched pages
    archive = FileOf("warc")  # the folder of the WARC files and their index

    @property
    def model_labels(self) -> Path:
        """What models say of fetched pages."""
        return beside(self.labels)

    @classmethod
    def named(cls, topic: str) -> "CrawlFolder":
        """Return the folder that a topic gets when none is named."""
        return cls(Path(folder_name(topic)))

    @cached_property
    def volume(self) -> LocalVolume:
        """The WARC files, in the folder and where finished ones went."""
        return LocalVolume(self.archive, self.opener, self._finished)

    def _finished(self) -> Volume | None:
        """Return where finished WARC files go, if the settings name a place."""
        if not (place := self.asked().warc.store):
            return None
        from thresher.warc.remote import RemoteVolume

        return RemoteVolume(place)

    def create(self, asked: str = "", mine: Sequence[Override] | None = None) -> Database:
        """Make the folder, what was asked and the database; a folder that holds a crawl is refused.

        `mine` is what is asked that reaches beyond the crawl: it counts for this user alone.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "there is a file of that name" if self.path.is_file() else error.strerror
            raise UsageError(
                f"{self.path} cannot be a crawl folder: {why}. Choose another with -o."
            ) from None
        return self._write(asked, self._must_not_exist, Database, mine)

    def resume(self, asked: str = "", mine: Sequence[Override] | None = None) -> Database:
        """Open the database of a crawl that was made before, to go on with it as is asked now."""
        self.must_exist()
        return self._write(asked, self.must_exist, Database, mine)

    def revisit(self) -> "RevisitDatabase":
        """Open the database of a crawl that was made before, to look at its pages again."""
        from thresher.store.revisits import RevisitDatabase  # measured: 15 ms, for revisits alone

        self.must_exist()
        return self._write("", self.must_exist, RevisitDatabase)

    def open(self) -> CrawlReader:
        """Open the database of a crawl to read it, also while the crawl is running."""
        self.must_exist()
        fixity.refuse_damage(self.database)
        connection = open_to_read(self.database)
        try:
            schema.check(connection, self.database.name)
        except BaseException:
            connection.close()
            raise
        return CrawlReader(connection, Labels(self.labels))

    def asked(self) -> Settings:
        """Return the settings for reading the crawl: without what its folder may not ask for."""
        return settings_to_read(self.path)

    def asked_again(self, overrides: Sequence[Override] = (), trusting: bool = False) -> Settings:
        """Return the settings, with overrides, for resuming the crawl."""
        return settings_to_run(self.path, overrides, trusting)

    def is_begun(self) -> bool:
        """Tell whether a crawl is here; a database that was cut off before it had tables is none."""
        self._refuse_links()
        return self.database.exists() and self._version() != 0

    def _version(self) -> int:
        try:
            with closing(open_to_read(self.database)) as connection:
                return schema.version_of(connection)
        except (sqlite3.Error, NotACrawl) as error:
            raise NotACrawl(f"{self.database} cannot be read as a crawl. {error}") from None

    def _refuse_links(self) -> None:
        """Refuse a folder in which a name of ours leads elsewhere: nothing outside is read or written."""
        for name in NAMES:
            refuse_link(self.path / name)
        for path in self.archive.iterdir() if self.archive.is_dir() else ():
            refuse_link(path)

    def _write(
        self,
        asked: str,
        check: Callable[[], None],
        kind: type[Opened],
        mine: Sequence[Override] | None = None,
    ) -> Opened:
        """Lock the folder, then write what was asked before the database: a database implies the settings."""
        self._refuse_links()
        lock = Lock(self.path / "crawl.lock")
        try:
            check()
            if self.is_begun():
                schema.check_version(self._version(), self.database.name)
            if asked:
                with DiskErrorHandler(self.path):
                    if mine is not None:
                        remember(self.path, mine)
                    with atomic_write(self.settings, PRIVATE, durable=True) as file:
                        file.write(asked.encode())
            archive, labels = Archive(self.volume), Labels(self.labels, strict=False)
            return kind(self.database, archive=archive, lock=lock, labels=labels)
        except BaseException as error:
            lock.release()
            if isinstance(error, sqlite3.Error):
                raise NotACrawl(f"{self.database} cannot be written as a crawl ({error}).") from None
            raise

    def _must_not_exist(self) -> None:
        if self.is_begun() and not self._take_over():
            raise CrawlExists(
                f"{self.path} holds a crawl already. Go on with it by 'thresher resume {self.path}', "
                "or choose another folder with -o."
            )

    def _take_over(self) -> bool:
        """Clear away a crawl that ended without a page, and tell whether this was one."""
        with closing(open_to_read(self.database)) as connection:
            if connection.execute("SELECT 1 FROM page LIMIT 1").fetchone():
                return False
            finish = "SELECT 1 FROM fact WHERE name = 'finish' AND value != 'null'"
            ended = connection.execute(finish).fetchone()
        for pattern in ("crawl.db*", "search.db*", "warc/*") if ended else ():
            for file in self.path.glob(pattern):
                file.unlink(missing_ok=True)
        return bool(ended)

    def must_exist(self) -> None:
        """Refuse a folder without a crawl, and name the nearest that has one."""
        if not self.is_begun():
            place = "this folder" if self.path == Path() else self.path
            raise NotACrawl(f"No crawl in {place}.{self._nearest()}")

    def _nearest(self) -> str:
        top = next((each for each in self.path.parents if each.is_dir()), self.path)
        named = str(self.path.relative_to(top))
        crawls = chain(*(islice(top.glob(f"{deep}crawl.db"), NEIGHBOURS) for deep in ("*/", "*/*/")))
        names = {str(crawl.parent.relative_to(top)) for crawl in crawls}
        near = get_close_matches(named, sorted(names - {named}), n=1)
        return f" Did you mean {str(top / near[0])!r}?" if near else " Make one with 'thresher crawl'."


# What a crawl is asked when it goes on: what it was asked before, with what is said now over it.


FIXED = ("strategy.learn_from", "web.kind", "web.seed")
"""What a crawl keeps for life."""

NO_LIMITS: Override = ("stop", {"pages": 0, "relevant": 0, "seconds": 0.0})
"""For a revisit: the limits of the crawl were those of the crawl."""


def asked_again(crawl: CrawlFolder, overrides: Sequence[Override], trusting: bool = False) -> Settings:
    """Return the settings of a crawl as run, with what is said now over them.

    New seeds come on top of the old ones, and another judge brings the threshold of its own.
    """
    crawl.must_exist()
    before, new = read(crawl.settings), dict(overrides)
    if "seeds" in new:
        new["seeds"] = (*before.seeds, *new["seeds"])
    after = crawl.asked_again(list(new.items()), trusting)
    if after.judge.name != before.judge.name and after.judge.threshold == before.judge.threshold:
        after = replace(after, judge=replace(after.judge, threshold=None))
    return after


def to_go_on(crawl: CrawlFolder, after: Settings) -> Settings:
    """Return the settings if the crawl can go on by them."""
    before = read(crawl.settings)
    for name in FIXED:
        if attrgetter(name)(before) != attrgetter(name)(after):
            raise UsageError(
                f"{name} is what {crawl.path} was begun with, and what it has found came of it. "
                "Begin another crawl with 'thresher crawl'."
            )
    return after
