"""What changed between two visits to a page: as Mali & Meshram ask it, and as it can be answered soundly.

The paper compares three codes in turn (structure, text, images) and stops at the first that differs. The
codes are blind in places: see docs/papers/mali.md. The sound form compares the visible lines, says how
much of the main text changed, and tells content from the boilerplate of a page.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import Enum

from thresher.core.enums import ChangeKind
from thresher.core.records import Change, Fingerprint, Page
from thresher.freshness.diff import DiffBlock, blocks, edits, is_long, line_key, lines_of, shown

TRIVIAL = 3  # bits of 64 in which SimHashes differ when a date or a counter runs on
ALIKE = 4  # bits of 64 in which two pictures that look alike may differ
LETTERS = 40  # of a structure that are shown
WORDLESS = "other words, of which the author wants none to be kept (noindex)"
MOST_EDITS = 500  # remembered of one change; a page with more is substantive whatever other pages do


class ChangeForm(Enum):
    """By what two visits to a page are compared."""

    SOUND = "sound"
    PAPER = "paper"


def change_between(
    before: Page, after: Page, noise: Collection[int] = (), form: ChangeForm = ChangeForm.SOUND
) -> Change | None:
    """Return what differs between two visits, or None; only the sound form knows of noise."""
    if form is ChangeForm.SOUND:
        return sound_change(before, after, noise)
    return paper_change(before.fingerprint, after.fingerprint)


def paper_change(before: Fingerprint, after: Fingerprint) -> Change | None:
    """Return what differs first by the paper's codes (structure, text, images), with both codes.

    A page whose codes were not taken before has them taken now; that is minor.
    """
    if before.tags and not any(before.structure):
        return Change(ChangeKind.STRUCTURE, diff="the codes were taken for the first time")
    if before.structure != after.structure:
        codes = " -> ".join(" / ".join(map(_short, mark.structure)) for mark in (before, after))
        return Change(ChangeKind.STRUCTURE, substantive=True, diff=f"structure {codes}")
    if before.text_code != after.text_code:
        codes = f"text code {before.text_code:.10g} -> {after.text_code:.10g}"
        return Change(ChangeKind.TEXT, substantive=True, diff=codes)
    if before.image_code != after.image_code:
        codes = f"images, Ival {before.image_code or 'none'} -> {after.image_code or 'none'}"
        return Change(ChangeKind.IMAGES, substantive=True, diff=codes)
    if before.images != after.images:
        return Change(ChangeKind.IMAGES, substantive=True, diff=_other_pictures(before.images, after.images))
    return None


def _short(letters: str) -> str:
    return letters if len(letters) <= LETTERS else f"{letters[:LETTERS]}..."


def _other_pictures(before: Sequence[str], after: Sequence[str]) -> str:
    gone = [f"- {url}" for url in before if url not in after]
    come = [f"+ {url}" for url in after if url not in before]
    return "\n".join(["images", *gone, *come])


def sound_change(before: Page, after: Page, noise: Collection[int] = ()) -> Change | None:
    """Return what differs, or None; lines in the places of `noise` differ on each load and do not count."""
    old, new = lines_of(f"{before.title}\n{before.text}"), lines_of(f"{after.title}\n{after.text}")
    every = blocks(old, new)
    found = [block for block in every if block.place not in noise]
    if found:
        return _of_lines(before, after, found)
    if every:
        return Change(ChangeKind.NOISE)
    return _of_appearance(before, after) if old else _without_words(before, after)


def _of_lines(before: Page, after: Page, found: list[DiffBlock]) -> Change:
    """Describe a change of lines; where some are substantive, only what stands round them is shown."""
    told = edits(found)
    lines = {line for _, line in told}
    telling = [block for block in found if not lines.isdisjoint((*block.gone, *block.come))]
    distance = _distance(before.fingerprint, after.fingerprint)
    few = len(told) <= MOST_EDITS and not is_long(line for _, line in told)
    keys = tuple(sorted(line_key(sign, line) for sign, line in told)) if few else ()
    kind = ChangeKind.TEXT if told else ChangeKind.BOILERPLATE
    return Change(kind, bool(told), distance, shown(telling or found), keys)


def _of_appearance(before: Page, after: Page) -> Change | None:
    """Describe a change of a page whose words are the same; which pictures it shows may rotate."""
    if before.fingerprint.tags != after.fingerprint.tags:
        return Change(ChangeKind.STRUCTURE)
    return Change(ChangeKind.IMAGES) if before.fingerprint.images != after.fingerprint.images else None


def _without_words(before: Page, after: Page) -> Change | None:
    """Describe a change of a picture, by its bytes and its appearance, or of a sitemap, by what it lists.

    Of a page whose author wants no word of it kept, we can say that its words changed, and not how.
    """
    one, other = before.fingerprint, after.fingerprint
    if one.digest != other.digest and other.tags and one.version == other.version:
        distance = _distance(one, other)
        return Change(ChangeKind.TEXT, substantive=distance > TRIVIAL, distance=distance, diff=WORDLESS)
    if one.digest != other.digest and not other.tags:
        distance = (one.likeness ^ other.likeness).bit_count()
        substantive, told = (
            distance > ALIKE or not other.likeness,
            f"another picture, {distance} of 64 bits differ",
        )
        return Change(ChangeKind.IMAGES, substantive=substantive, distance=distance, diff=told)
    return Change(ChangeKind.LINKS) if _targets(before) != _targets(after) else None


def _distance(one: Fingerprint, other: Fingerprint) -> int:
    """Return in how many bits the SimHashes differ; those of different versions of main text say nothing."""
    return (one.simhash ^ other.simhash).bit_count() if one.version == other.version else 0


def _targets(page: Page) -> frozenset[str]:
    return frozenset(link.target for link in page.links)


MANY = 20  # other pages of the host on which the same line came or went
SEVERAL = 5  # other pages, where these are
HALF = 0.5  # of all pages of the host that changed


class HostBoilerplate:
    """The lines that came or went on the pages of each host, counted once a page."""

    def __init__(self, changes: Iterable[tuple[int, int, Sequence[int]]]) -> None:
        """Count host, page and edits of every change."""
        pages = {(host, page, edit) for host, page, edits in changes for edit in (*edits, None)}
        self._pages = Counter((host, edit) for host, _, edit in pages)

    def covers(self, host: int, edits: Sequence[int]) -> bool:
        """Tell whether everything that changed on a page changed on many others of its host alike."""
        return bool(edits) and all(self._is_shared(host, edit) for edit in edits)

    def _is_shared(self, host: int, edit: int) -> bool:
        others, changed = self._pages[host, edit] - 1, self._pages[host, None]
        return others >= MANY or (others >= SEVERAL and others + 1 >= HALF * changed)
