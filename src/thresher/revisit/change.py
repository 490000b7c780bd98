"""What changed between two looks at a page: as Mali & Meshram ask it, and as it can be answered soundly.

The paper compares three codes in turn (structure, text, images) and stops at the first that differs. The
codes are blind in places: see docs/papers. The sound form compares the visible lines themselves, says how
much of the main text changed, and tells news from the furniture of a page.
"""

from collections.abc import Collection

from thresher.core.records import Change, Fingerprint, Page
from thresher.revisit.lines import Block, blocks, edits, line_key, lines_of, shown

MOST_EDITS = 500  # remembered of one change; a page with more is news whatever other pages do


def paper_change(before: Fingerprint, after: Fingerprint) -> str:
    """Return what differs first by the paper's codes: structure, text, images, or nothing."""
    if before.structure != after.structure:
        return "structure"
    if before.text_code != after.text_code:
        return "text"
    return "images" if _pictures(before) != _pictures(after) else ""


def sound_change(before: Page, after: Page, noise: Collection[int] = ()) -> Change | None:
    """Return what differs, or None; lines in the places of `noise` differ on each load and do not count."""
    old, new = lines_of(f"{before.title}\n{before.text}"), lines_of(f"{after.title}\n{after.text}")
    every = blocks(old, new)
    found = [block for block in every if block.place not in noise]
    if found:
        return _of_lines(before, after, found)
    if before.fingerprint.tags != after.fingerprint.tags and not every:
        return Change("structure")
    if _looks(before.fingerprint) != _looks(after.fingerprint) and not every:
        return Change("images", news=bool(after.fingerprint.image_code))
    if not old and not new and _targets(before) != _targets(after):
        return Change("links")  # a sitemap: what it lists is all it says
    return Change("noise") if every else None


def _of_lines(before: Page, after: Page, found: list[Block]) -> Change:
    told = edits(found)
    distance = (before.fingerprint.simhash ^ after.fingerprint.simhash).bit_count()
    keys = tuple(sorted(line_key(sign, line) for sign, line in told)) if len(told) <= MOST_EDITS else ()
    return Change("text" if told else "furniture", bool(told), distance, shown(found), keys)


def _targets(page: Page) -> frozenset[str]:
    return frozenset(link.target for link in page.links)


def _pictures(mark: Fingerprint) -> tuple[tuple[str, ...], str]:
    return mark.images, mark.image_code


def _looks(mark: Fingerprint) -> tuple[tuple[str, ...], str]:
    """Return what the pictures of a page are: for a page their addresses, for a picture its bytes."""
    return mark.images, mark.digest if mark.image_code else ""
