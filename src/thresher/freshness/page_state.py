"""What is remembered of a page that is looked at again and again, and what each revisit does to it."""

from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.enums import NOT_RENDERED, SCRIPTED, ChangeKind, Detail, Outcome
from thresher.core.records import Change, Page, Url, Visit
from thresher.freshness.change import ChangeForm, change_between
from thresher.freshness.diff import blocks, lines_of
from thresher.freshness.policies import FIRST_INTERVAL, GROWTH, LONGEST, SHORTEST, SHRINKAGE

DAY = 86_400.0
STREAK = 3  # revisits in a row that found changes before a page is suspected to differ on each load
PROBE = 600.0  # seconds within which a second load tells noise from changes
CLEARED = -12  # looks until a page that was cleared of the suspicion can come under it again
MOST_NOISE = 64  # places of one page


class Availability(IntEnum):
    """Whether a page is still there."""

    ALIVE = 0
    VANISHED = 1
    BROKEN = 2
    MOVED = 3


class Patience(Struct, frozen=True):
    """How many revisits in a row must agree before a page is given up."""

    missing: int = 3  # 404s and soft 404s; 410 is a plain word and needs no second
    failed: int = 5


class Watched(Struct, frozen=True):
    """One page under watch; intervals are days, moments seconds since the epoch."""

    url: Url
    last: float  # when it was looked at last
    relevance: float = 0.0
    revisits: float = 0.0
    changes: float = 0.0
    changed_days: float = 0.0
    days: float = 0.0
    interval: float = FIRST_INTERVAL
    brought: float = 0.0  # relevant pages found by links that appeared on it
    hinted: float = 0.0  # when it last changed, by what a sitemap or feed said since the last revisit
    standing: int = Availability.ALIVE
    misses: int = 0  # revisits in a row that brought no page
    streak: int = 0  # revisits in a row that found changes
    unmodified: int = 0  # revisits in a row that the server answered with 304
    etag: str = ""
    modified: str = ""
    noise: tuple[int, ...] = ()

    @property
    def is_suspect(self) -> bool:
        """Whether its next revisit should follow at once, to tell noise from changes."""
        return self.streak >= STREAK


def judged(
    state: Watched,
    before: Page | None,
    visit: Visit,
    patience: Patience = Patience(),
    form: ChangeForm = ChangeForm.SOUND,
) -> Visit:
    """Return the visit with what it found changed; one that brought nothing new ends as unchanged."""
    if visit.outcome is Outcome.FETCHED and visit.page is not None:
        return _seen(state, before, visit.page, visit, form)
    if visit.outcome is Outcome.UNCHANGED:
        back = state.standing in (Availability.VANISHED, Availability.BROKEN)
        return replace(visit, change=_back(state) if back else None)
    if visit.outcome is Outcome.MOVED:
        return _moved(state, visit)
    if lost := _lost(state, visit, patience):
        return replace(visit, change=Change(lost, substantive=True, diff=f"- {state.url}"))
    return visit


def after_visit(state: Watched, visit: Visit) -> Watched:
    """Return what is remembered of a page after a revisit of it."""
    if is_probe(state, visit):
        return _probed(state, visit)
    if visit.outcome not in _ANSWERS:
        broken = Availability.BROKEN if visit.change else state.standing
        failed = visit.outcome is Outcome.FAILED
        return replace(state, last=visit.at, misses=state.misses + failed, standing=broken)
    state = replace(state, hinted=0.0)  # what was said before this revisit has been put to the test
    substantive = visit.change is not None and visit.change.substantive
    gap = max(0.0, visit.at - state.last) / DAY
    return _answered(
        replace(
            state,
            last=visit.at,
            revisits=state.revisits + 1,
            changes=state.changes + substantive,
            changed_days=state.changed_days + (gap if substantive else 0.0),
            days=state.days + gap,
            interval=min(LONGEST, max(SHORTEST, state.interval * (SHRINKAGE if substantive else GROWTH))),
            streak=max(0, state.streak) + 1
            if substantive and state.streak >= 0
            else min(0, state.streak + 1),
        ),
        visit,
    )


def is_probe(state: Watched, visit: Visit) -> bool:
    """Tell whether a revisit follows another so closely that only noise can have changed the page."""
    return state.is_suspect and visit.at - state.last <= PROBE


_ANSWERS = frozenset({Outcome.FETCHED, Outcome.UNCHANGED, Outcome.MOVED, Outcome.GONE})


def _seen(state: Watched, before: Page | None, page: Page, visit: Visit, form: ChangeForm) -> Visit:
    if before is None:
        return visit
    is_shell = visit.detail in NOT_RENDERED and len(page.text) < len(before.text)  # that was rendered then
    if is_shell:
        visit = replace(visit, relevance=state.relevance)
    change = None if is_shell else change_between(before, page, state.noise, form)
    if change and form is ChangeForm.PAPER and page.fingerprint.image_code and visit.candidate.via:
        change = replace(change, page=visit.candidate.via.source)  # a picture is a part of its page
    if change and is_probe(state, visit):
        change = Change(ChangeKind.NOISE, noise=_places(before, page))
    if state.standing in (Availability.VANISHED, Availability.BROKEN):
        change = (
            replace(change, kind=ChangeKind.BACK, substantive=True)
            if change and change.diff
            else _back(state)
        )
    if change is None or change.kind is ChangeKind.NOISE:
        visit = replace(visit, outcome=Outcome.UNCHANGED, page=None, change=change)
        differs = Detail.DIFFERS_ON_EACH_LOAD
        return replace(visit, detail=differs, reason=differs.value) if change else visit
    return replace(visit, change=change)


def _back(state: Watched) -> Change:
    return Change(ChangeKind.BACK, substantive=True, diff=f"+ {state.url}")


def _moved(state: Watched, visit: Visit) -> Visit:
    """Say so once; where it leads is a page like any other, asked for if it is not known yet."""
    onward = visit.redirect
    if state.standing == Availability.MOVED or visit.status not in (301, 308) or onward is None:
        return visit
    change = Change(ChangeKind.MOVED, substantive=True, diff=f"- {state.url}\n+ {onward.url}")
    return replace(visit, change=change)


def _lost(state: Watched, visit: Visit, patience: Patience) -> ChangeKind | None:
    if state.standing in (Availability.VANISHED, Availability.BROKEN):
        return None
    tries = state.misses + 1
    if visit.outcome is Outcome.GONE:
        return ChangeKind.VANISHED if visit.status == 410 or tries >= patience.missing else None
    broken = visit.outcome is Outcome.FAILED and tries >= patience.failed
    return ChangeKind.BROKEN if broken else None


def _answered(state: Watched, visit: Visit) -> Watched:
    """Note how the page stands, and by what words the server will know our copy again."""
    standing = _STANDINGS.get(visit.change.kind, state.standing) if visit.change else state.standing
    if visit.outcome is Outcome.GONE:
        return replace(state, misses=state.misses + 1, standing=standing)
    if visit.outcome is Outcome.MOVED:
        return replace(state, misses=0, standing=standing)
    state = replace(state, misses=0, standing=Availability.ALIVE)
    if visit.status == 304:
        return replace(state, unmodified=state.unmodified + 1)
    relevance = visit.relevance if visit.outcome is Outcome.FETCHED else state.relevance
    return replace(_validated(state, visit), unmodified=0, relevance=relevance)


def _validated(state: Watched, visit: Visit) -> Watched:
    if visit.fetched is None:
        return state
    if visit.detail in SCRIPTED:  # the server vouches for the shell, not for what scripts make of it
        return replace(state, etag="", modified="")
    return replace(state, etag=visit.fetched.header("etag"), modified=visit.fetched.header("last-modified"))


def _probed(state: Watched, visit: Visit) -> Watched:
    """Learn what differs on each load and take back what was counted for it, or clear the page."""
    places = visit.change.noise if visit.change else ()
    state = replace(_validated(state, visit), last=visit.at, streak=CLEARED)
    if not places:
        return state
    noise = tuple(dict.fromkeys((*state.noise, *places)))[-MOST_NOISE:]
    return replace(state, noise=noise, streak=0, changes=0.0, changed_days=0.0, days=0.0, revisits=0.0)


def _places(before: Page, after: Page) -> tuple[int, ...]:
    return tuple(block.place for block in blocks(*map(_lines, (before, after))))


def _lines(page: Page) -> Sequence[str]:
    return lines_of(f"{page.title}\n{page.text}")


_STANDINGS = {
    ChangeKind.VANISHED: Availability.VANISHED,
    ChangeKind.BROKEN: Availability.BROKEN,
    ChangeKind.MOVED: Availability.MOVED,
}
LOST = frozenset(_STANDINGS)  # kinds after which a page is no longer where it was


ENOUGH = 5  # checked predictions before the dates of a host can be trusted
RIGHT = 0.8  # share of them that must have been right
MOST_UNMODIFIED = 10  # 304s in a row before we look for ourselves


class Trust(Struct, frozen=True):
    """What one host said of its pages, and what was found."""

    right: int = 0  # dates of sitemaps and feeds that agreed with what we saw
    wrong: int = 0
    lies: int = 0  # 304s behind which a page had changed
    fickle: int = 0  # new validators of pages that had not changed

    @property
    def dates(self) -> bool:
        """Whether the dates of its sitemaps and feeds are worth following."""
        checked = self.right + self.wrong
        return checked >= ENOUGH and self.right >= RIGHT * checked

    @property
    def validators(self) -> bool:
        """Whether its 304s can be believed."""
        return self.lies == 0
