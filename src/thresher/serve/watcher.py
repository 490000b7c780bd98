"""One look at each crawl now and then: it catches its index up, and wakes whoever watches."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from thresher.core.errors import ThresherError
from thresher.search.index import behind, catch_up
from thresher.serve.answers import State
from thresher.serve.desk import Desk, Found, state_of

PULSE = 0.25  # seconds between two looks
GROUPS = 2  # of pages that are indexed in one look, so that no crawl waits for another


@dataclass
class Watcher:
    """A thread that looks, and an event of the loop that it sets when something was new."""

    desk: Desk
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    states: dict[str, State] = field(default_factory=dict)
    lags: dict[str, int] = field(default_factory=dict)
    _ended: threading.Event = field(default_factory=threading.Event)
    _seen: dict[str, tuple[int, int, State]] = field(default_factory=dict)

    @contextmanager
    def watching(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Look as long as the context lasts."""
        thread = threading.Thread(target=self._run, args=(loop,), name="watcher", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join(10)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)  # indexing gives way to answers
        while not self._ended.wait(PULSE):
            self.desk.processes.reap()
            changed = [found.id for found in list(self.desk.crawls().values()) if self._look(found)]
            if changed and not loop.is_closed():
                asyncio.run_coroutine_threadsafe(self._tell(), loop)

    def _look(self, found: Found) -> bool:
        """Look at one crawl, and tell whether anything is new."""
        try:
            state, *_ = state_of(found.folder)
            lag = behind(found.folder)
            if lag.visits and not self._ended.is_set():
                lag = catch_up(found.folder, most=GROUPS)
        except (ThresherError, OSError):
            state, lag = State.UNREADABLE, None
        now = (lag.indexed if lag else 0, lag.visits if lag else 0, state)
        self.states[found.id], self.lags[found.id] = state, now[1]
        is_new = self._seen.get(found.id) != now
        self._seen[found.id] = now
        return is_new

    async def _tell(self) -> None:
        async with self.news:
            self.news.notify_all()
