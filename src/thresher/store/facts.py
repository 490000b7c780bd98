"""Facts about a crawl as a whole: one record, kept field by field, in the transactions of the visits."""

import sqlite3
from collections.abc import Iterable, Mapping
from math import nan
from typing import Protocol

import msgspec
from msgspec import Struct

from thresher.core.errors import NotACrawl
from thresher.core.progress import Finish, Forecast
from thresher.core.records import Topic, Url
from thresher.settings.model import TopicSettings

VERSION = 1


class State(Struct, frozen=True):
    """What a strategy knows of its crawl as a whole, and which version of it wrote that and its entries."""

    version: int
    head: str = ""


class Facts(Struct):
    """What is known of a crawl as a whole; what a writer of the store sets here, the next commit keeps."""

    version: int = VERSION
    topic: Topic = Topic("")  # as run
    asked: TopicSettings | None = None  # what it was made of
    judgements: int = 0  # how often all pages were judged anew
    strategy: str = ""
    judge: str = ""
    threshold: float = nan  # unknown: nothing is relevant
    seeds: tuple[Url, ...] = ()  # those that some run has started from
    seconds: float | None = None  # that all runs took together
    refused: dict[str, int] = {}  # links, by reason
    state: State | None = None  # of the strategy; none: it has learned nothing yet
    gate_version: int | None = None  # of what the gate keeps; none: it has kept nothing yet
    unlearned: Url = Url("")  # the visit at which the strategy failed
    relearn: bool = False  # whether the strategy must learn its visits anew, for pages were judged anew
    finish: Finish | None = None  # why the last run ended; none: it runs still, or was cut off
    revisit_finish: Finish | None = None
    forecast: Forecast | None = None
    pass_new_pages: int | None = None  # that a pass under way may fetch; none: no pass is
    paper_repository: bool = False  # whether irrelevant pages were dropped and broken links come last
    enrolled: int = 0  # the last page that was put under watch
    telling_since: float | None = None  # from when on hooks hear of changes
    indexed: int = 0  # the last visit that the index of the archive lists
    warcinfo: dict[str, str] = {}  # that opens every file of the archive: who crawled, how and what for
    discarded: tuple[str, ...] = ()  # files of the archive that were written anew and are to be removed
    cluster: str = ""  # by what name workers of other machines know the crawl
    links_sorted: int = 0  # the last visit whose links were sorted in by their targets


class Run(Protocol):
    """A run in progress: it says in every transaction what it leaves to the next run."""

    def leave(self, facts: Facts) -> None:
        """Bring the facts that change with every visit up to date."""

    def entries(self) -> Iterable[tuple[int, bytes]]:
        """Return what the strategy knows of pages and links, as far as it is new."""

    def sightings(self) -> Iterable[bytes]:
        """Return what the gate has learned from visits, as far as it is new."""


_decode = msgspec.json.Decoder(Facts).decode
_encode = msgspec.json.Encoder().encode


def read_facts(connection: sqlite3.Connection, only: str = "") -> Facts:
    """Return the facts that a database holds, or no other than the one named."""
    rows = connection.execute("SELECT name, value FROM fact WHERE ? IN ('', name)", (only,))
    members = ",".join(f'"{name}":{value}' for name, value in rows)
    try:
        facts = _decode(f"{{{members}}}")
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _refused(str(error)) from None
    if facts.version != VERSION:
        raise _refused(f"version {facts.version}, but this Thresher reads version {VERSION}")
    return facts


def _refused(why: str) -> NotACrawl:
    return NotACrawl(
        f"The facts about the crawl cannot be read ({why}). "
        "Read it with the Thresher that wrote it, or crawl anew into another folder with -o."
    )


def changed_facts(before: Facts, now: Facts) -> dict[str, object]:
    """Return the fields that differ, with their values."""
    pairs = ((name, getattr(before, name), getattr(now, name)) for name in Facts.__struct_fields__)
    return {name: new for name, old, new in pairs if new is not old and new != old}


def write_facts(connection: sqlite3.Connection, fields: Mapping[str, object]) -> None:
    """Keep the values of some fields."""
    rows = [(name, _encode(value).decode()) for name, value in fields.items()]
    connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)
