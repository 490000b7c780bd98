"""How much processor time a piece of work takes, so that neither a busy nor a slow machine matters."""

import time
from collections.abc import Callable

MOMENT = 0.05
"""Seconds that no single step of ours may take: for so long nobody else is served, a signal included."""

ENTRIES = 58_000  # of a dictionary, made in 0.01 s by the processor that all bounds were set on


def cpu_seconds(work: Callable[[], object], tries: int = 3) -> float:
    """Return the least processor time that the work took in a few tries, in seconds of that processor."""
    return min(_timed(work) / slowness() for _ in range(tries))


def slowness() -> float:
    """Return how many times as long as there the same work takes here and now, 1 at least."""
    made = sorted(_timed(lambda: {str(number): number for number in range(ENTRIES)}) for _ in range(3))
    return max(1.0, made[1] / 0.01)


def _timed(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun
