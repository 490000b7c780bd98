"""An event loop in which waiting takes no time: what runs in it need not know."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from thresher.core.clock import RealClock

T = TypeVar("T")


class _Leap(selectors.DefaultSelector):
    """Waits for nothing but time, which it lets pass at once."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise AssertionError("everybody waits, and nothing is going to happen")
        self.passed += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Timers in their order, without their pauses."""

    def __init__(self) -> None:
        self._leap = _Leap()
        super().__init__(self._leap)

    def time(self) -> float:
        return 1000.0 + self._leap.passed


class LoopClock(RealClock):
    """The time of the running loop, as the wall clock of a crawl."""

    def now(self) -> float:
        return 1.7e9 + asyncio.get_running_loop().time()


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    """Return what comes of some work, however long it waits."""
    loop = VirtualLoop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.001))
        asyncio.set_event_loop(None)
        loop.close()
