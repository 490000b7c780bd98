"""A look at a page that is known: held against what it was, and expanded only where it has changed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from thresher.core.protocols import Memory, Strategy
from thresher.core.records import Candidate, Outcome, Page, Url, Visit
from thresher.revisit.change import ChangeForm
from thresher.revisit.page_state import Patience, Watched, judged


class WatchMemory(Protocol):
    """What is remembered of the pages under watch."""

    def watched(self, url: Url) -> Watched | None:
        """Return what is remembered of one."""

    def page(self, url: Url) -> Page | None:
        """Return it as it was seen last."""


@dataclass
class Comparison:
    """The review of a visit, after the usual one: a look learns what changed before it is kept."""

    review: Callable[[Visit], Visit]
    memory: WatchMemory
    now: Callable[[], float]
    patience: Patience = Patience()
    form: ChangeForm = ChangeForm.SOUND

    def __call__(self, visit: Visit) -> Visit:
        """Return the visit with what it found changed."""
        visit, url = self.review(visit), visit.candidate.url
        if not visit.candidate.not_before or (state := self.memory.watched(url)) is None:
            return visit
        before = self.memory.page(url) if visit.outcome is Outcome.FETCHED else None
        return judged(state, before, replace(visit, at=self.now()), self.patience, self.form)


@dataclass
class LookingMind:
    """The strategy behind it: it learns from new pages, and prices the links of changed ones again."""

    inner: Strategy
    obey_nofollow: bool = True
    probe: Callable[[Visit], Iterable[Candidate]] = lambda visit: ()

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer nothing: what is looked at is planned by the frontier."""
        return ()

    def learn(self, visit: Visit, memory: Memory) -> list[Candidate]:
        """Return what a new or changed page suggests, and a second load where noise is suspected."""
        if not visit.candidate.not_before:
            return list(self.inner.learn(visit, memory))
        offers = list(self.probe(visit))
        if visit.outcome is Outcome.FETCHED and visit.change is not None:
            news = list(self.inner.learn(visit, memory))
            closed = self.obey_nofollow and visit.page is not None and visit.page.nofollow
            offers += [] if closed else news
        return offers

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Offer nothing more."""
        return ()
