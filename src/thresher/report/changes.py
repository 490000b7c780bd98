"""What changed on the pages of a crawl, for people and for programs."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from thresher.core.enums import ChangeKind
from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher.export.wording import moment, plain
from thresher.freshness.word_diff import changed_lines
from thresher.freshness.word_diff import told as as_told
from thresher.settings.load import seconds_of
from thresher.store.folder import CrawlFolder
from thresher.store.queries import Version

LINES = 12  # of a diff that are shown unless all of it is asked for


class ChangeItem(Struct, frozen=True):
    """One change of one page."""

    url: Url
    found_at: str
    since: str  # the revisit before: it changed between the two
    kind: ChangeKind
    substantive: bool
    relevance_before: float
    relevance: float
    is_relevant: bool
    left_topic: bool  # it was relevant and is no longer
    distance: int
    title: str
    diff: tuple[str, ...]
    words: tuple[str, ...]  # the same lines, those that were edited as one: [-went-]{+came+}


def changes_of(folder: CrawlFolder, since: float = 0.0) -> list[ChangeItem]:
    """Return the changes found since a moment, oldest first."""
    with folder.open() as store:
        threshold = store.facts.threshold
        titles = {version.url: store.page(version.url) for version in store.versions(since)}
        return [
            _item(
                version,
                threshold,
                page.title if (page := titles[version.url]) else "",
                store.label(version.url),
            )
            for version in store.versions(since)
        ]


def is_wanted(item: ChangeItem, relevant: bool, everything: bool) -> bool:
    """Tell whether a change is asked for: as substantive or as any, on a relevant page or on any."""
    topical = item.is_relevant or item.left_topic
    return (item.substantive or everything) and (topical or not relevant)


def told(items: Sequence[ChangeItem], lines: int = LINES) -> Iterator[str]:
    """Yield what a person reads: a heading for each change, and its lines that went and came."""
    for item in items:
        mark = "left the topic" if item.left_topic else f"relevance {item.relevance:.2f}"
        yield f"{item.found_at}  {item.kind.value}{'' if item.substantive else ', minor'}  {mark}  {item.url}"
        if item.title:
            yield f"  {plain(item.title, 100)}"
        yield from (f"  {plain(line, 400)}" for line in item.words[:lines])
        if len(item.words) > lines:
            yield f"  … {len(item.words) - lines} lines more; --full shows them"
        yield ""


def moment_of(text: str, now: float) -> float:
    """Return the moment that a user means by 2d (so long ago) or 2026-03-01 or 2026-03-01T09:30 (UTC)."""
    if re.fullmatch(r"\d+(\.\d+)?\s*[smhd]", text.strip()):
        return now - seconds_of(text)
    try:
        parsed = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise UsageError(
            f"{text!r} is not a moment; write 12h or 2d for so long ago, or 2026-03-01 or 2026-03-01T09:30."
        ) from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def _item(version: Version, threshold: float, title: str, label: bool | None) -> ChangeItem:
    relevant = version.relevance >= threshold if label is None else label
    return ChangeItem(
        url=version.url,
        found_at=moment(version.at),
        since=moment(version.since),
        kind=version.kind,
        substantive=version.substantive,
        relevance_before=version.was,
        relevance=version.relevance,
        is_relevant=relevant,
        left_topic=label is None and version.was >= threshold and not relevant,
        distance=version.distance,
        title=title,
        diff=tuple(version.diff.splitlines()),
        words=tuple(map(as_told, changed_lines(version.diff))),
    )
