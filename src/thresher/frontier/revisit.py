"""A frontier that spends a budget over time: revisits of known pages, and new ones, each their share."""

from dataclasses import dataclass, field
from math import inf

from typing_extensions import override

from thresher.core.enums import REVISITS
from thresher.core.records import USUAL, Candidate, QueuedRequest
from thresher.frontier.frontier import Workbench
from thresher.frontier.host import Host


@dataclass(frozen=True)
class RevisitBudget:
    """What may be asked until the next plan: these revisits, and so many new pages, evenly spaced."""

    revisits: list[Candidate] = field(default_factory=list)
    discoveries: int = 0
    until: float = inf  # when to plan anew; without end, the frontier is empty when the quota is spent


class Plans:
    """Decides which page is revisited next; by default none."""

    def plan(self, now: float, waiting: int) -> RevisitBudget:
        """Return what may be asked until the next plan; `waiting` new pages could be."""
        return RevisitBudget()


@dataclass
class RevisitFrontier(Workbench):
    """A workbench in which a revisit that is due goes before everything new, and the new waits its turn.

    Invariant: revisits have a lane of their own; if the best of all ready hosts is new, no revisit is
    due on any of them.
    """

    planner: Plans = field(default_factory=Plans)
    _quota: RevisitBudget = RevisitBudget()
    _planned: float = -inf
    _spent: int = 0
    _revisits: int = 0

    def __post_init__(self) -> None:
        """Take up what an earlier run left on the shelf."""
        super().__post_init__()
        self._revisits = len(self._postponed)

    def __str__(self) -> str:
        return f"revisits that are due, then what is new; {super().__str__()}"

    def __len__(self) -> int:
        """Return how many candidates will have their turn; a budget without end always has one to come."""
        if self._quota.until < inf or self._planned == -inf:
            return 1 + self._waiting
        new_pages = self._waiting - self._revisits
        return self._revisits + min(new_pages, self._quota.discoveries - self._spent)

    @override
    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate whose turn has come, or None."""
        if self._plan_is_due(now):
            self._plan_anew(now)
        self._wake_up(now)
        if self._next_is_new() and self._allowed(now) <= self._spent:
            return None
        candidate = super().take(now)
        self._spent += candidate is not None and candidate.kind not in REVISITS
        return candidate

    @override
    def needs_more(self, now: float, busy: int) -> bool:
        """Tell whether the strategy should be asked for more: a plan is due, and nothing new waits."""
        return self._plan_is_due(now) and self._waiting == self._revisits

    @override
    def wake(self) -> float | None:
        """Return when a host has rested, or a revisit, a new page or the next plan has its turn."""
        times = [time for time in (super().wake(), self._next_turn(), self._quota.until) if time is not None]
        return min((time for time in times if time < inf), default=None)

    def _plan_is_due(self, now: float) -> bool:
        return now >= self._quota.until or self._planned == -inf

    def _plan_anew(self, now: float) -> None:
        new_pages = self._waiting - self._revisits
        self._quota, self._planned, self._spent = self.planner.plan(now, new_pages), now, 0
        self.offer(self._quota.revisits)

    def _next_is_new(self) -> bool:
        """Tell whether the best candidate of all ready hosts is new."""
        rank = self._best_ready()
        return rank is not None and rank[0] == USUAL

    def _allowed(self, now: float) -> int:
        """Return how many new pages may have been asked by now."""
        quota = self._quota
        if quota.until == inf:
            return quota.discoveries
        share = (now - self._planned) / (quota.until - self._planned)
        return min(quota.discoveries, 1 + int(share * quota.discoveries + 1e-6))

    def _next_turn(self) -> float | None:
        quota = self._quota
        if quota.until == inf or self._spent >= quota.discoveries or self._waiting <= self._revisits:
            return None
        turn = self._planned + self._spent * (quota.until - self._planned) / quota.discoveries
        return turn if turn > self._now else None  # it has come: what it waits for is a host

    def _queue(self, host: Host, key: int, candidate: Candidate) -> None:
        self._revisits += candidate.kind in REVISITS
        super()._queue(host, key, candidate)

    def _hand_out(self, host: Host, best: QueuedRequest) -> Candidate:
        self._revisits -= best.candidate.kind in REVISITS
        return super()._hand_out(host, best)
