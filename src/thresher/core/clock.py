"""Real time, and virtual time in which a day's wait costs nothing."""

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from typing_extensions import override

from thresher.core.interfaces import Clock

T = TypeVar("T")


class RealClock(Clock):
    """The wall clock and the event loop's own waiting."""

    @override
    def now(self) -> float:
        return time.time()

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    @override
    async def wait(self, arrival: Awaitable[T], seconds: float | None) -> T | None:
        try:
            async with asyncio.timeout(seconds):  # unlike wait_for, without a task of its own
                return await arrival
        except TimeoutError:
            return None


class VirtualClock(Clock):
    """Time that moves only when it is waited for: replay is exact and takes no time."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    @override
    def now(self) -> float:
        """Return the virtual seconds since the epoch."""
        return self._now

    @override
    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once, and the other tasks run."""
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)

    @override
    async def wait(self, arrival: Awaitable[T], seconds: float | None) -> T | None:
        """Return what arrives: what is under way takes no virtual time of its own."""
        return await arrival


class SteadyClock(RealClock):
    """Real time that only moves forward: a system clock set back or ahead meanwhile changes nothing."""

    def __init__(self) -> None:
        """Read the wall clock once."""
        self._offset = time.time() - since_boot()

    @override
    def now(self) -> float:
        """Return the seconds since the epoch, as the wall clock would have counted on."""
        return self._offset + since_boot()


def since_boot() -> float:
    """Return seconds of a clock that cannot be set; on Linux those of a machine that sleeps count, too."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
