"""What to look at next, from the store: a plan for the next hour, or for one pass over the pages."""

from dataclasses import dataclass
from math import inf

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from thresher.core.enums import LOOKS, Outcome, Request
from thresher.core.records import Candidate, Visit
from thresher.filters.urls import Scope
from thresher.freshness.page_state import DAY
from thresher.freshness.schedule import PVALUE, WatchTable, choose, split
from thresher.frontier.revisit import Quota
from thresher.store.revisits import WatchedDatabase

SHORTEST, LONGEST = 60.0, 3600.0  # seconds a plan is for
UNKNOWN = 0.2  # expected relevance of a new page before any was found
MEMORY = 0.95  # of the worth of earlier discoveries, with each new one


class Errand(Struct, frozen=True):
    """What a revisit is to do: how many requests a day or in one pass, and for whom."""

    budget: float = 0.0  # requests a day, or in the pass; 0: every page once
    once: bool = False
    policy: str = "harmonic"
    discover: float = -1.0  # share of the requests for new pages; below 0: where they are worth more


@dataclass
class Planner:
    """Plans from the store, and remembers what discoveries were worth."""

    store: WatchedDatabase
    errand: Errand
    scope: Scope = Scope()  # what the user has put out of it since is not looked at
    threshold: float = 0.0  # what is less relevant was not worth finding
    credit: float = 0.0
    discovery: float = UNKNOWN

    def plan(self, now: float, waiting: int) -> Quota:
        """Return what may be asked until the next plan; `waiting` new pages could be."""
        self.store.enrol()
        return self._pass(now, waiting) if self.errand.once else self._hour(now, waiting)

    def note(self, visit: Visit) -> None:
        """Remember what a new page was worth."""
        if visit.candidate.kind not in LOOKS and visit.outcome is Outcome.FETCHED:
            worth = visit.relevance if visit.relevance >= self.threshold else 0.0
            self.discovery = MEMORY * self.discovery + (1 - MEMORY) * worth

    def _hour(self, now: float, waiting: int) -> Quota:
        """Plan for an hour, or for as long as it takes to look at every page once."""
        table = self.store.table()
        hour = min(LONGEST, max(SHORTEST, DAY * len(table) / self.errand.budget))
        self.credit += self.errand.budget * hour / DAY
        count, self.credit = int(self.credit), self.credit % 1.0
        looks = self._choose(table, now, count, hour, waiting)
        step = hour / max(1, len(looks))
        spaced = [replace(each, due=now + step * place) for place, each in enumerate(looks)]
        return Quota(spaced, count - len(looks), now + hour)

    def _pass(self, now: float, waiting: int) -> Quota:
        """Plan a pass, or go on with one that was cut off: its looks wait on the shelf."""
        left = self.store.facts.pass_new_pages
        if left is not None and self.store.revisits_waiting():
            return Quota([], left, inf)
        table = self.store.table()
        count = int(self.errand.budget) or len(table)
        looks = self._choose(table, now, count, 0.0, waiting)
        news = count - len(looks) if self.errand.budget else 0
        self.store.facts.pass_new_pages = news
        return Quota(looks, news, inf)

    def _choose(
        self, table: WatchTable, now: float, count: int, ahead: float, waiting: int
    ) -> list[Candidate]:
        budget = self.errand.budget or max(1.0, float(len(table)))
        table = self.store.with_pvalues(table) if self.errand.policy == PVALUE else table
        chosen = choose(table, now, budget, ahead, count, self.errand.policy)
        looks = self._share(chosen.values, count, waiting)
        keys = table.key[chosen.rows[:looks]].tolist()
        values = chosen.values[:looks].tolist()
        found = [
            replace(each, kind=Request.REVISIT, priority=value, due=0.0, reprice=True)
            for each, value in zip(self.store.candidates(keys), values, strict=True)
        ]
        refused = [each.url for each in found if each.via and self.scope.refuses(each)]
        self.store.skip(refused, now)
        return [each for each in found if each.url not in refused]

    def _share(self, values: "np.ndarray[tuple[int], np.dtype[np.float64]]", count: int, waiting: int) -> int:
        """Return how many of the requests are looks: as the user says, or while a look finds more.

        One pass is for the pages that are known; new ones get what these leave.
        """
        if self.errand.discover >= 0 and self.errand.budget:
            return count - min(waiting, round(self.errand.discover * count))
        if self.errand.once:
            return count
        return split(values, count, self.discovery, waiting)
