"""Feeds of changes: what changed on the pages of a crawl, for any reader of Atom or JSON Feed."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import BinaryIO

import msgspec
from msgspec import Struct
from typing_extensions import override

from thresher.core.records import Url
from thresher.core.url import hostname_of
from thresher.export.graph import clean
from thresher.export.items import Counted, Pages, Selection, StreamFormat
from thresher.export.wording import moment
from thresher.freshness.word_diff import Fate, WordRun, changed_lines
from thresher.store.queries import Version

JSON_FEED = "https://jsonfeed.org/version/1.1"
SUMMARY = 300  # letters of what came


class FeedEntry(Struct, frozen=True):
    """One change."""

    id: str  # stable: the page and the visit that found it
    url: Url
    title: str
    at: str
    summary: str  # what came
    lines: tuple[Sequence[WordRun], ...]  # that changed, with the words that went and came


class Atom(StreamFormat):
    """RFC 4287, the newest entry first."""

    name = "atom"
    suffixes = (".atom",)
    use = "Atom: what revisits found changed, for a feed reader."
    noun = "change"

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
        entries, topic = Counted(feed_entries(pages)), pages.store.facts.topic.name
        first = next(feed_entries(pages), None)
        updated = first.at if first else moment(0)
        head = _tag("title", f"Changes: {topic}") + _tag("id", _feed_id(pages)) + _tag("updated", updated)
        file.write(
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            f"{head}\n".encode()
        )
        for entry in entries:
            file.write(f"{_atom(entry)}\n".encode())
        file.write(b"</feed>\n")
        return entries.count


class JsonFeed(StreamFormat):
    """JSON Feed 1.1, the newest item first."""

    name = "jsonfeed"
    suffixes = (".feed.json",)
    use = "JSON Feed: what revisits found changed, for programs that read feeds."
    noun = "change"

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
        items = Counted(map(_json, feed_entries(pages)))
        title = f"Changes: {pages.store.facts.topic.name}"
        head = msgspec.json.encode({"version": JSON_FEED, "title": title})
        file.write(head[:-1] + b',"items":[')
        for item in items:
            file.write((b"," if items.count > 1 else b"") + msgspec.json.encode(item))
        file.write(b"]}\n")
        return items.count


def feed_entries(pages: Pages) -> Iterator[FeedEntry]:
    """Yield the substantive changes that meet the conditions, the newest first."""
    store, threshold, wanted = pages.store, pages.store.facts.threshold, pages.selection
    left = wanted.top or -1
    for version in store.each_version(wanted.since, newest_first=True):
        label = store.label(version.url)
        held = version.relevance if label is None else float(label)
        if left and version.substantive and _is_wanted(held, label, threshold, wanted):
            page = store.page(version.url)
            if not wanted.languages or (page and page.language in wanted.languages):
                left -= 1
                yield _entry(version, page.title if page else "")


def _is_wanted(held: float, label: bool | None, threshold: float, wanted: Selection) -> bool:
    if wanted.labelled and label is None:
        return False
    return held >= wanted.min_relevance and (held >= threshold or not wanted.relevant)


def _entry(version: Version, title: str) -> FeedEntry:
    lines = tuple(changed_lines(version.diff))
    came = " ".join(each.text.strip() for line in lines for each in line if each.fate is Fate.CAME)
    return FeedEntry(
        f"{version.url}#{version.visit}",
        version.url,
        title or version.url,
        moment(version.at),
        came[:SUMMARY] or version.kind.value,
        lines,
    )


def _feed_id(pages: Pages) -> str:
    """Return what stays the same of a crawl: its first seed."""
    seeds = pages.store.facts.seeds
    return f"{seeds[0]}#news" if seeds else "urn:thresher:news"


def _tag(name: str, text: str) -> str:
    return f"<{name}>{escape(clean(text))}</{name}>"


def _atom(entry: FeedEntry) -> str:
    link = f'<link href="{escape(clean(entry.url))}"/>'
    author = f"<author>{_tag('name', hostname_of(entry.url))}</author>"
    head = "".join(
        (_tag("id", entry.id), _tag("title", entry.title), link, _tag("updated", entry.at), author)
    )
    content = f'<content type="html">{escape(clean(_html(entry)))}</content>'
    return f"<entry>{head}{_tag('summary', entry.summary)}{content}</entry>"


def _json(entry: FeedEntry) -> dict[str, str]:
    return {
        "id": entry.id,
        "url": entry.url,
        "title": entry.title,
        "summary": entry.summary,
        "content_html": _html(entry),
        "date_modified": entry.at,
    }


def _html(entry: FeedEntry) -> str:
    """Return the lines that went and came; what a page wrote is text here, never markup."""
    return "".join(f"<p>{''.join(map(_marked, line))}</p>" for line in entry.lines)


def _marked(piece: WordRun) -> str:
    text = escape(piece.text)
    return f"<{_TAGS[piece.fate]}>{text}</{_TAGS[piece.fate]}>" if piece.fate in _TAGS else text


_TAGS = {Fate.WENT: "del", Fate.CAME: "ins"}
