"""What changed on the pages of a crawl: word by word, by day, and as a feed."""

import time
from collections.abc import Iterator, Sequence
from html import escape

import msgspec
from msgspec import Struct

from thresher.core.url import host_of, key_of
from thresher.export.wording import moment
from thresher.freshness.word_diff import Fate, changed_lines, excerpt
from thresher.report.changes import ChangeItem, changes_of, moment_of
from thresher.report.shapes import LEAST, days
from thresher.search.reader import spelt
from thresher.serve.requests import ChangeList
from thresher.serve.responses import ChangeEntry, ChangeItems, Day, DiffPiece
from thresher.serve.security import strip_control_characters
from thresher.serve.state import CrawlRegistry
from thresher.store.folder import CrawlFolder

DAYS = 60
ENTRIES = 50  # of a feed
LETTERS = 3000  # of a diff that are shown


class From(Struct, frozen=True):
    """Where the list of changes goes on."""

    place: int


def list_changes(desk: CrawlRegistry, ask: ChangeList) -> ChangeItems:
    """Return the changes, the latest first, with the days they were found on."""
    folder = desk.crawl(ask.id).folder
    found = changes_of(folder, moment_of(ask.since, time.time()) if ask.since else 0.0)[::-1]
    wanted = [item for item in found if item.substantive or not ask.substantive]
    start = (desk.signer.place(ask.after, From) or From(0)).place
    shown = wanted[start : start + ask.limit]
    more = start + ask.limit < len(wanted)
    next = desk.signer.cursor(From(start + ask.limit)) if more else ""
    by_day = _days(found)
    picture = _picture(by_day, max(LEAST, ask.width)) if ask.width and by_day else ""
    return ChangeItems(
        [_entry(item) for item in shown], next, by_day, len(wanted), _revisits(folder), picture
    )


def _picture(by_day: Sequence[Day], width: int) -> str:
    return days([(day.day, day.substantive, day.other) for day in by_day], width)


def _revisits(folder: CrawlFolder) -> int:
    with folder.open() as store:
        return sum(1 for _ in store.revisits())


def _days(items: Sequence[ChangeItem]) -> list[Day]:
    counts: dict[str, list[int]] = {}
    for item in items:
        counts.setdefault(item.found_at[:10], [0, 0])[0 if item.substantive else 1] += 1
    return [Day(day, *count) for day, count in sorted(counts.items())[-DAYS:]]


def _entry(item: ChangeItem) -> ChangeEntry:
    return ChangeEntry(
        visit=0,
        url=item.url,
        key=spelt(key_of(item.url)),
        host=host_of(item.url),
        title=item.title,
        at=item.found_at,
        day=item.found_at[:10],
        kind=item.kind.value,
        substantive=item.substantive,
        relevance_before=item.relevance_before,
        relevance=item.relevance,
        is_relevant=item.is_relevant,
        left_topic=item.left_topic,
        diff=list(word_diff(item.diff)),
    )


def word_diff(lines: Sequence[str]) -> Iterator[DiffPiece]:
    """Yield what went, came and stayed, word by word, of lines that begin with - and +."""
    left = LETTERS
    for number, line in enumerate(changed_lines("\n".join(lines))):
        if left <= 0:
            return
        if number:
            yield DiffPiece("same", "\n")
        for piece in excerpt(line):
            yield DiffPiece(_KINDS[piece.fate], piece.text[: max(0, left)])
            left -= len(piece.text)


_KINDS = {Fate.STAYED: "same", Fate.WENT: "gone", Fate.CAME: "came"}


def atom(folder: CrawlFolder, name: str) -> str:
    """Return the latest changes of a crawl as an Atom feed."""
    items = _substantive(folder)
    updated = items[-1].found_at if items else moment(0.0)
    entries = "".join(_atom_entry(item) for item in reversed(items))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{_xml(name)}: changes</title><id>urn:thresher:{_xml(name)}</id>"
        f"<updated>{updated}</updated><author><name>Thresher</name></author>{entries}</feed>\n"
    )


def json_feed(folder: CrawlFolder, name: str) -> bytes:
    """Return the latest changes of a crawl as a JSON Feed 1.1."""
    items = [
        {
            "id": f"{item.url}#{item.found_at}",
            "url": item.url,
            "title": strip_control_characters(item.title or item.url),
            "date_published": item.found_at,
            "content_text": "\n".join(strip_control_characters(line, 2000) for line in item.words),
        }
        for item in reversed(_substantive(folder))
    ]
    version = "https://jsonfeed.org/version/1.1"
    return msgspec.json.encode(
        {"version": version, "title": f"{strip_control_characters(name)}: changes", "items": items}
    )


def _substantive(folder: CrawlFolder) -> list[ChangeItem]:
    return [item for item in changes_of(folder) if item.substantive][-ENTRIES:]


def _atom_entry(item: ChangeItem) -> str:
    pieces = "".join(_piece(piece) for piece in word_diff(item.diff))
    return (
        f"<entry><id>{_xml(f'{item.url}#{item.found_at}')}</id><title>{_xml(item.title or item.url)}</title>"
        f'<link href="{_xml(item.url)}"/><updated>{item.found_at}</updated>'
        f"<author><name>{_xml(host_of(item.url))}</name></author>"
        f'<content type="html">{escape(pieces)}</content></entry>'
    )


def _piece(piece: DiffPiece) -> str:
    tag = {"gone": "del", "came": "ins"}.get(piece.kind, "span")
    return f"<{tag}>{escape(strip_control_characters(piece.text, LETTERS))}</{tag}>"


def _xml(text: str) -> str:
    return escape(strip_control_characters(text, 2083))
