"""The databases of older versions brought up to date, step by step, each of them all or nothing."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from thresher.core.enums import LOOKS, Detail, Origin, Outcome, Request
from thresher.core.errors import NotACrawl
from thresher.core.progress import Finish, FinishKind
from thresher.core.records import Candidate, Link, Page, Url
from thresher.store import schema
from thresher.store.codecs import pack
from thresher.store.rewrite import FORMER, rewrite
from thresher.store.schema import Facts, State, changed_facts, write_facts

FIRST = 3  # the version with which the first step begins
OLDER = (FIRST, FORMER)  # the versions that can be read still
SOME = 10_000  # rows held in memory at a time
REL_SITEMAP = b"\xa3rel\xa7sitemap"  # in a page that was packed

_encode_json = msgspec.json.Encoder().encode
_encode_page = msgspec.msgpack.Encoder().encode
_decode_page = msgspec.msgpack.Decoder(Page).decode


class _Link3(Struct, frozen=True):
    """A link as version 3 kept it: `rel` told where it came from as well."""

    source: Url
    target: Url
    anchor: str = ""
    context: str = ""
    rel: str = ""
    place: str = ""


class _Candidate3(Struct, frozen=True):
    """A candidate as version 3 kept it."""

    url: Url
    priority: float = 0.0
    via: _Link3 | None = None
    life: int = 0
    inherited: float = 0.0
    depth: int = 0
    redirects: int = 0
    want: str = "page"
    not_before: float = 0.0
    reprice: bool = False


_Packed3 = tuple[
    Url, float, tuple[Url, Url, str, str, str, str] | None, int, float, int, int, str, float, bool
]
_decode_visited = msgspec.json.Decoder(_Candidate3).decode
_decode_waiting = msgspec.msgpack.Decoder(_Packed3).decode


def upgrade(database: Path) -> None:
    """Bring a database of an older version up to date, which nobody else may be writing."""
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            if schema.version_of(connection) == FIRST:
                _upgrade_rows(connection)
        rewrite(database)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise NotACrawl(
            f"The database is of an older Thresher, and a row of it cannot be read ({error}). "
            "Crawl anew into another folder with -o."
        ) from None
    except sqlite3.Error as error:
        raise NotACrawl(
            f"{database} is of an older Thresher and cannot be brought up to date ({error}). "
            "Copy the folder to a place that can be written and has room, and read it there."
        ) from None


def _upgrade_rows(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        _upgrade_visits(connection)
        _upgrade_waiting(connection)
        _upgrade_pages(connection)
        _upgrade_notes(connection)
        connection.execute(f"PRAGMA user_version = {FORMER}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _upgrade_visits(connection: sqlite3.Connection) -> None:
    """Give visits a kind, and the detail and redirect target that were told in their reasons alone."""
    connection.execute("ALTER TABLE visit RENAME COLUMN want TO request")
    for column in ("detail", "moved_to"):
        connection.execute(f"ALTER TABLE visit ADD COLUMN {column} TEXT")
    rows = connection.execute("SELECT outcome, reason, candidate, number FROM visit ORDER BY number")
    while some := rows.fetchmany(SOME):
        visits = ((row, _visited(blob), number) for *row, blob, number in some)
        connection.executemany(
            "UPDATE visit SET detail = ?, moved_to = ?, request = ?, candidate = ? WHERE number = ?",
            [
                (_detail(row[1]), _moved_to(*row), candidate.kind.value, _encode_json(candidate), number)
                for row, candidate, number in visits
            ],
        )


def _upgrade_waiting(connection: sqlite3.Connection) -> None:
    """Tell looks by what they are, and not by when they are due."""
    connection.execute("DROP INDEX waiting_revisits")
    connection.execute("ALTER TABLE waiting RENAME COLUMN not_before TO revisit")
    rows = connection.execute("SELECT candidate, arrival FROM waiting ORDER BY arrival")
    while some := rows.fetchmany(SOME):
        waiting = ((_waiting(packed), arrival) for packed, arrival in some)
        connection.executemany(
            "UPDATE waiting SET candidate = ?, revisit = ? WHERE arrival = ?",
            [(pack(each), each.kind in LOOKS, arrival) for each, arrival in waiting],
        )
    connection.execute("CREATE INDEX waiting_revisits ON waiting (revisit) WHERE revisit")


def _upgrade_pages(connection: sqlite3.Connection) -> None:
    """Say of the links of sitemaps, and of sitemaps that robots.txt names, that this is what they are."""
    query = "SELECT page, id FROM page WHERE instr(page, ?) ORDER BY id"
    rows = connection.execute(query, (REL_SITEMAP,))
    while some := rows.fetchmany(SOME):
        pages = ((_decode_page(blob), number) for blob, number in some)
        connection.executemany(
            "UPDATE page SET page = ? WHERE id = ?",
            [(_encode_page(replace(page, links=_links(page.links))), number) for page, number in pages],
        )


def _upgrade_notes(connection: sqlite3.Connection) -> None:
    """Keep as facts what stood in notes, each of them in a spelling of its own."""
    notes = connection.execute("SELECT name, value FROM note").fetchall()
    connection.execute("DROP TABLE note")
    connection.execute(schema.FACT)
    told = {_RENAMED.get(name, name): _NOTES[name](value) for name, value in notes if name in _NOTES}
    write_facts(connection, changed_facts(Facts(), msgspec.convert(told, Facts)))


def _finish(sentence: str) -> Finish:
    kind = next((kind for words, kind in _FINISHES if sentence.startswith(words)), FinishKind.FAILED)
    limit = re.search(r"limit of ([\d.]+)", sentence)
    return Finish(kind, sentence, float(limit[1]) if limit else 0.0)


def _state(head: str) -> State:
    """Return a state from before there were versions: whether it fits shows when it is read."""
    return State(1, head)


def _pass_new_pages(count_and_one: str) -> int:
    return int(count_and_one) - 1


_RENAMED = {
    "finish_reason": "finish",
    "revisit_finish_reason": "revisit_finish",
    "pass": "pass_new_pages",
}
_NOTES: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("strategy", "judge", "unlearned"), str),
    **dict.fromkeys(("topic", "seeds", "refused", "forecast"), json.loads),
    **dict.fromkeys(("threshold", "seconds", "telling_since"), float),
    **dict.fromkeys(("enrolled", "indexed", "links_sorted"), int),
    **dict.fromkeys(("finish_reason", "revisit_finish_reason"), _finish),
    "pass": _pass_new_pages,
    "state": _state,
}
_FINISHES = (
    ("nothing left", FinishKind.NOTHING_LEFT),
    ("page limit", FinishKind.PAGES),
    ("limit of", FinishKind.RELEVANT),
    ("time limit", FinishKind.TIME),
    ("every host left rests", FinishKind.RESTING),
    ("the next", FinishKind.FORECAST),
    ("interrupted", FinishKind.INTERRUPTED),
    ("cancelled", FinishKind.CANCELLED),
)


def _visited(blob: bytes) -> Candidate:
    return _candidate(_decode_visited(blob))


def _waiting(packed: bytes) -> Candidate:
    url, priority, via, *others = _decode_waiting(packed)
    link = _Link3(via[0], via[1] or url, *via[2:]) if via else None
    return _candidate(_Candidate3(url, priority, link, *others))


def _candidate(old: _Candidate3) -> Candidate:
    """Return an older candidate as it would be made today."""
    fields = {name: value for name, value in asdict(old).items() if name not in ("want", "not_before")}
    via = _link(old.via) if old.via else None
    return Candidate(**{**fields, "via": via, "kind": _kind(old), "due": old.not_before})


def _kind(old: _Candidate3) -> Request:
    """Return what an older request was; a URL without a link was a seed unless it was only given a price."""
    if old.want == Request.BACKLINKS.value:
        return Request.BACKLINKS
    if old.not_before:
        return Request.REVISIT
    if old.redirects:
        return Request.REDIRECT
    return Request.SEED if old.via is None and not old.reprice else Request.LINK


def _links(old: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(
        _link(_Link3(**{name: getattr(link, name) for name in _Link3.__struct_fields__})) for link in old
    )


def _link(old: _Link3) -> Link:
    """Return an older link; what its author cannot have written in `rel` told where it came from."""
    link = Link(**asdict(old))
    origin = _origin(old)
    return link if origin is Origin.PAGE else replace(link, rel="", place="", origin=origin)


def _origin(old: _Link3) -> Origin:
    if old.rel == "sitemap" and not old.anchor and not old.context:
        return {"": Origin.SITEMAP, "robots.txt": Origin.ROBOTS_TXT}.get(old.place, Origin.PAGE)
    if old.rel == "search" and old.source == old.target:
        return Origin.SEARCH
    told = {"backlink": Origin.BACKLINK, "folder": Origin.FOLDER, "image": Origin.IMAGE}
    return told.get(old.rel, Origin.PAGE) if not old.place else Origin.PAGE


def _detail(reason: str) -> str | None:
    return next((detail.value for words, detail in _DETAILS if reason.startswith(words)), None)


def _moved_to(outcome: str, reason: str) -> str | None:
    words = "moved to "
    moved = outcome == Outcome.MOVED.value and reason.startswith(words)
    return reason.removeprefix(words) if moved else None


_DETAILS = (
    ("soft 404", Detail.SOFT_404),
    ("too many redirects", Detail.TOO_MANY_REDIRECTS),
    ("redirect to nowhere: ", Detail.BAD_REDIRECT),
    ("not parsed: ", Detail.PARSER_FAILED),
    ("our own fault: ", Detail.OUR_FAULT),
    ("cancelled from within", Detail.CANCELLED),
    ("differs on each load", Detail.DIFFERS_ON_EACH_LOAD),
    ("robots.txt says ", Detail.ROBOTS),
    ("robots.txt forbids ", Detail.ROBOTS),
    ("No address found for ", Detail.UNRESOLVED),
)
