"""Revisits: which pages are due, what a second visit shows, and the hooks that run then."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Protocol

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import REVISITS, Outcome, Request
from thresher.core.interfaces import Clock
from thresher.core.platform import kill_process_group, words_of
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.fetch.post import post
from thresher.filters.urls import Scope
from thresher.freshness.change import ChangeForm
from thresher.freshness.page_state import DAY, Patience, Watched, after_visit, judged
from thresher.freshness.schedule import PVALUE, WatchTable, choose, split
from thresher.frontier.revisit import Plans, RevisitBudget
from thresher.settings.model import RevisitSettings
from thresher.store.queries import Version
from thresher.store.revisits import RevisitDatabase

# The planner


SHORTEST, LONGEST = 60.0, 3600.0  # seconds a plan is for
UNKNOWN = 0.2  # expected relevance of a new page before any was found
MEMORY = 0.95  # of the worth of earlier discoveries, with each new one


class RevisitTask(Struct, frozen=True):
    """What a revisit is to do: how many requests a day or in one pass, and for which pages."""

    budget: float = 0.0  # requests a day, or in the pass; 0: every page once
    once: bool = False
    policy: str = "harmonic"
    discover: float = -1.0  # share of the requests for new pages; below 0: where they are worth more


@dataclass
class Planner(Plans):
    """Plans from the store, and remembers what discoveries were worth."""

    store: RevisitDatabase
    errand: RevisitTask
    scope: Scope = Scope()  # what the user has put out of it since is not looked at
    threshold: float = 0.0  # what is less relevant was not worth finding
    credit: float = 0.0
    discovery: float = UNKNOWN

    @override
    def plan(self, now: float, waiting: int) -> RevisitBudget:
        self.store.enrol()
        return self._pass(now, waiting) if self.errand.once else self._hour(now, waiting)

    def note(self, visit: Visit) -> None:
        """Remember what a new page was worth."""
        if visit.candidate.kind not in REVISITS and visit.outcome is Outcome.FETCHED:
            worth = visit.relevance if visit.relevance >= self.threshold else 0.0
            self.discovery = MEMORY * self.discovery + (1 - MEMORY) * worth

    def _hour(self, now: float, waiting: int) -> RevisitBudget:
        """Plan for an hour, or for as long as it takes to look at every page once."""
        table = self.store.table()
        hour = min(LONGEST, max(SHORTEST, DAY * len(table) / self.errand.budget))
        self.credit += self.errand.budget * hour / DAY
        count, self.credit = int(self.credit), self.credit % 1.0
        revisits = self._choose(table, now, count, hour, waiting)
        step = hour / max(1, len(revisits))
        spaced = [replace(each, not_before=now + step * place) for place, each in enumerate(revisits)]
        return RevisitBudget(spaced, count - len(revisits), now + hour)

    def _pass(self, now: float, waiting: int) -> RevisitBudget:
        """Plan a pass, or go on with one that was cut off: its revisits wait on the shelf."""
        left = self.store.facts.pass_new_pages
        if left is not None and self.store.revisits_waiting():
            return RevisitBudget([], left, inf)
        table = self.store.table()
        count = int(self.errand.budget) or len(table)
        revisits = self._choose(table, now, count, 0.0, waiting)
        new_pages = count - len(revisits) if self.errand.budget else 0
        self.store.facts.pass_new_pages = new_pages
        return RevisitBudget(revisits, new_pages, inf)

    def _choose(
        self, table: WatchTable, now: float, count: int, ahead: float, waiting: int
    ) -> list[Candidate]:
        budget = self.errand.budget or max(1.0, float(len(table)))
        table = self.store.with_pvalues(table) if self.errand.policy == PVALUE else table
        chosen = choose(table, now, budget, ahead, count, self.errand.policy)
        revisits = self._share(chosen.values, count, waiting)
        keys = table.key[chosen.rows[:revisits]].tolist()
        values = chosen.values[:revisits].tolist()
        found = [
            replace(each, kind=Request.REVISIT, priority=value, not_before=0.0, replaces_priority=True)
            for each, value in zip(self.store.candidates(keys), values, strict=True)
        ]
        refused = [each.url for each in found if each.via and self.scope.refuses(each)]
        self.store.skip(refused, now)
        return [each for each in found if each.url not in refused]

    def _share(self, values: "np.ndarray[tuple[int], np.dtype[np.float64]]", count: int, waiting: int) -> int:
        """Return how many of the requests are revisits: as the user says, or while a revisit finds more.

        One pass is for the pages that are known; new ones get what these leave.
        """
        if self.errand.discover >= 0 and self.errand.budget:
            return count - min(waiting, round(self.errand.discover * count))
        if self.errand.once:
            return count
        return split(values, count, self.discovery, waiting)


# The comparison of a page with what it was: what changed, and whether to fetch it once more


PAUSE = 30.0  # seconds before a page is loaded again to tell noise from changes


class WatchMemory(Protocol):
    """What is remembered of the pages under watch."""

    def watched(self, url: Url) -> Watched | None:
        """Return what is remembered of one."""

    def page(self, url: Url) -> Page | None:
        """Return it as it was seen last."""


@dataclass(frozen=True)
class Compare:
    """The check that tells a revisit what changed, before it is kept."""

    memory: WatchMemory
    clock: Clock
    patience: Patience = Patience()
    form: ChangeForm = ChangeForm.SOUND
    pause: float = PAUSE

    def __call__(self, visit: Visit) -> Visit:
        """Return the visit with what it found changed, and with a second load where noise is suspected."""
        url = visit.candidate.url
        if visit.candidate.kind not in REVISITS or (state := self.memory.watched(url)) is None:
            return visit
        before = self.memory.page(url) if visit.outcome is Outcome.FETCHED else None
        visit = judged(state, before, replace(visit, at=self.clock.now()), self.patience, self.form)
        if visit.outcome is Outcome.FETCHED and after_visit(state, visit).is_suspect:
            due = visit.at + self.pause if self.pause else 0.0
            probe = replace(visit.candidate, kind=Request.PROBE, not_before=due, priority=0.0, redirects=0)
            return replace(visit, redirect=probe)
        return visit

    def __str__(self) -> str:
        return "compare with the version before"


# Hooks: a command or a web address is told of every relevant change, once, after it is stored


log = logging.getLogger(__name__)

Hook = Callable[[bytes], Awaitable[bool]]

BETWEEN = 30.0  # seconds between two checks for something to tell
LONGEST_HOOK = 60.0  # seconds a hook may take


@dataclass
class HookRunner:
    """Tells what is substantive after a while: by then it shows whether the whole host changed so."""

    store: RevisitDatabase
    settings: RevisitSettings
    threshold: float
    clock: Clock
    allow_networks: Sequence[str] = ()  # private ones that a webhook may be in

    def begin(self) -> None:
        """Remember from when on changes are told; what was found before a hook was set stays untold."""
        if self._hooks() and self.store.facts.hooks_since is None:
            self.store.facts.hooks_since = self.clock.now()

    async def keep_telling(self) -> None:
        """Tell what has stood long enough, again and again, until cancelled."""
        with suppress(asyncio.CancelledError):
            while self._hooks():
                await asyncio.sleep(BETWEEN)
                await self.tell(self.clock.now() - self.settings.hold)

    async def tell(self, until: float = float("inf")) -> None:
        """Tell everything that was found until a moment and not told yet."""
        if not self._hooks():
            return
        self.store.commit()
        told = [each.visit for each in self._untold(until) if await self._tell(each)]
        self.store.mark_told(told)
        self.store.commit()

    def _untold(self, until: float) -> Sequence[Version]:
        since = self.store.facts.hooks_since
        if since is None:
            return []
        return [each for each in self.store.versions(since) if not each.told and each.at <= until]

    async def _tell(self, version: Version) -> bool:
        """Call every hook if the change matters; return whether it is done with."""
        if not version.substantive or not self._is_wanted(version):
            return True
        document = msgspec.json.encode(version)
        heard = [await hook(document) for hook in self._hooks()]
        return all(heard)

    def _is_wanted(self, version: Version) -> bool:
        said = self.store.label(version.url)
        return max(version.was, version.relevance) >= self.threshold if said is None else said

    def _hooks(self) -> list[Hook]:
        asked = self.settings
        return [hook for hook, set_up in ((self._run, asked.command), (self._post, asked.webhook)) if set_up]

    async def _run(self, document: bytes) -> bool:
        """Run the user's command with the change on its standard input; it ends in time, or is ended."""
        pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *words_of(self.settings.command), stdin=pipe, stdout=none, start_new_session=True
            )
        except (OSError, ValueError) as error:
            return _failed("The command", error)
        try:
            await asyncio.wait_for(process.communicate(document), LONGEST_HOOK)
        except TimeoutError:
            return _failed("The command", f"it took longer than {LONGEST_HOOK:g} seconds")
        except OSError as error:
            return _failed("The command", error)
        finally:
            if process.returncode is None:
                await _end(process)
        return process.returncode == 0 or _failed("The command", f"exit code {process.returncode}")

    async def _post(self, document: bytes) -> bool:
        """Send the change to the user's web address."""
        why = await post(self.settings.webhook.reveal(), document, self.allow_networks, LONGEST_HOOK)
        return not why or _failed("The webhook", why)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command with everything it started."""
    kill_process_group(process.pid)
    await process.wait()


def _failed(hook: str, error: object) -> bool:
    """Say that a hook did not hear of a change; it will be told again with the next ones."""
    log.warning("%s was not told of a change (%s); it is told again later.", hook, error)
    return False
