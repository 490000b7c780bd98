"""Workers as tasks of one event loop."""

import asyncio
import gc
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from thresher.core.enums import Detail, Outcome
from thresher.core.interfaces import Clock
from thresher.core.records import Candidate, Visit

STUBBORN = 2.0  # seconds a visit may take to notice that it was dropped
Begun = Visit | Callable[[], Visit]
"""A visit, or what is left of one to do without waiting."""

PULSE = 1.0  # seconds after which a waiting loop may look round: commit, or notice that it should stop


class Visits(Protocol):
    """Who turns candidates into visits."""

    def stages(self) -> Sequence[tuple[str, object]]:
        """Return what a candidate passes: fetch, read, check."""

    async def begin(self, candidate: Candidate) -> Begun:
        """Do all of a visit that has to wait for others, and return the visit, or the rest of the work."""

    async def close(self) -> None:
        """Let go of every process and connection."""


class LocalWorkers:
    """A fixed number of hands. Exactly one visit comes back per candidate sent.

    What can be done without waiting is done when the visit is handed back: so only bytes wait in memory,
    not the pages they become.
    """

    def __init__(self, visitor: Visits, limit: int, clock: Clock) -> None:
        """Take who visits, how many at once, and the clock that times the waiting."""
        self.visitor = visitor
        self._limit = limit
        self._clock = clock
        self._tasks: dict[asyncio.Task[None], tuple[Candidate, float]] = {}
        self._finished: deque[Begun] = deque()
        self._news = asyncio.Event()
        self._owed = 0
        self._dropping = False

    @property
    def free(self) -> int:
        """How many more candidates could be sent now."""
        return self._limit - self._owed

    @property
    def busy(self) -> int:
        """How many visits have not been handed back yet."""
        return self._owed

    def under_way(self) -> list[tuple[Candidate, float]]:
        """Return what is being visited, each with the seconds since it was sent."""
        now = self._clock.now()
        return [(candidate, now - since) for candidate, since in self._tasks.values()]

    def stages(self) -> Sequence[tuple[str, object]]:
        """Return what a candidate passes until it comes back as a visit."""
        return self.visitor.stages()

    async def open(self) -> None:
        """Be there for the first candidate: tasks are, always."""

    def send(self, candidate: Candidate) -> None:
        """Start a visit."""
        self._owed += 1
        task = asyncio.create_task(self._run(candidate))
        self._tasks[task] = (candidate, self._clock.now())
        task.add_done_callback(self._tasks.pop)

    async def next(self, timeout: float | None) -> Visit | None:
        """Return a finished visit, or None when the timeout passes first."""
        if not self._owed:
            await self._clock.sleep(timeout or 0.0)
            return None
        if self._finished:
            await self._clock.sleep(0.0)  # what the wire has brought meanwhile is taken in first
        else:
            self._news.clear()
            await self._clock.wait(self._news.wait(), min(PULSE, PULSE if timeout is None else timeout))
        if not self._finished:
            return None
        self._owed -= 1
        begun = self._finished.popleft()
        return begun if isinstance(begun, Visit) else begun()

    async def cancel(self) -> None:
        """Drop what is under way; its candidates were never acknowledged."""
        self._dropping, tasks = True, list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STUBBORN)
        self._owed = len(self._finished)

    async def close(self) -> None:
        """Drop what is under way, and let go of every process and connection."""
        await self.cancel()
        await self.visitor.close()

    async def _run(self, candidate: Candidate) -> None:
        try:
            begun = await self.visitor.begin(candidate)
        except asyncio.CancelledError:
            if self._dropping:
                raise
            reason = "cancelled from within"  # by a library: the candidate is owed its visit all the same
            now, detail = self._clock.now(), Detail.CANCELLED
            begun = Visit(candidate, Outcome.FAILED, now, reason=reason, detail=detail)
        self._finished.append(begun)
        self._news.set()


SELDOM = 10_000  # new containers before the youngest are looked through; Python's own 700 cost 2 % of a crawl


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Leave alone what was there before, and look through what is new less often."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(SELDOM, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
