"""Workers as tasks of one event loop."""

import asyncio
from collections.abc import Awaitable, Callable

from thresher.core.doors import Clock
from thresher.core.records import Candidate, Outcome, Visit

STUBBORN = 2.0  # seconds a visit may take to notice that it was dropped
PULSE = 1.0  # seconds after which a waiting loop may look round: commit, or notice that it should stop


class LocalWorkers:
    """A fixed number of hands. Exactly one visit comes back per candidate sent."""

    def __init__(self, visit: Callable[[Candidate], Awaitable[Visit]], limit: int, clock: Clock) -> None:
        """Take the way to visit, how many at once, and the clock that times the waiting."""
        self._visit = visit
        self._limit = limit
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[Visit] = asyncio.Queue()
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

    def send(self, candidate: Candidate) -> None:
        """Start a visit."""
        self._owed += 1
        task = asyncio.create_task(self._run(candidate))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def next(self, timeout: float | None) -> Visit | None:
        """Return a finished visit, or None when the timeout passes first."""
        if not self._owed:
            await self._clock.sleep(timeout or 0.0)
            return None
        visit = await self._clock.wait(
            self._finished.get(), min(PULSE, PULSE if timeout is None else timeout)
        )
        self._owed -= visit is not None
        return visit

    async def cancel(self) -> None:
        """Drop what is under way; its candidates were never acknowledged."""
        self._dropping, tasks = True, list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STUBBORN)
        self._owed = self._finished.qsize()

    async def _run(self, candidate: Candidate) -> None:
        try:
            visit = await self._visit(candidate)
        except asyncio.CancelledError:
            if self._dropping:
                raise
            reason = "cancelled from within"  # by a library: the candidate is owed its visit all the same
            visit = Visit(candidate, Outcome.FAILED, self._clock.now(), reason=reason)
        self._finished.put_nowait(visit)
