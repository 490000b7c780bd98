"""The comparison of a look with what the page was: what changed, and whether to look a second time."""

from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from thresher.core.enums import LOOKS, Outcome, Request
from thresher.core.interfaces import Clock
from thresher.core.records import Page, Url, Visit
from thresher.freshness.change import ChangeForm
from thresher.freshness.page_state import Patience, Watched, judged, looked

PAUSE = 30.0  # seconds before a page is loaded again to tell noise from news


class WatchMemory(Protocol):
    """What is remembered of the pages under watch."""

    def watched(self, url: Url) -> Watched | None:
        """Return what is remembered of one."""

    def page(self, url: Url) -> Page | None:
        """Return it as it was seen last."""


@dataclass(frozen=True)
class Compare:
    """The check that tells a look what changed, before it is kept."""

    memory: WatchMemory
    clock: Clock
    patience: Patience = Patience()
    form: ChangeForm = ChangeForm.SOUND
    pause: float = PAUSE

    def __call__(self, visit: Visit) -> Visit:
        """Return the visit with what it found changed, and with a second load where noise is suspected."""
        url = visit.candidate.url
        if visit.candidate.kind not in LOOKS or (state := self.memory.watched(url)) is None:
            return visit
        before = self.memory.page(url) if visit.outcome is Outcome.FETCHED else None
        visit = judged(state, before, replace(visit, at=self.clock.now()), self.patience, self.form)
        if visit.outcome is Outcome.FETCHED and looked(state, visit).is_suspect:
            due = visit.at + self.pause if self.pause else 0.0
            probe = replace(visit.candidate, kind=Request.PROBE, due=due, priority=0.0, redirects=0)
            return replace(visit, onward=probe)
        return visit

    def __str__(self) -> str:
        return "compare with the version before"
