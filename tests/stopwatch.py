"""How much processor time a piece of work takes, so that a busy machine does not matter."""

import time
from collections.abc import Callable

MOMENT = 0.05
"""Seconds that no single step of ours may take: for so long nobody else is served, a signal included."""


def cpu_seconds(work: Callable[[], object], tries: int = 3) -> float:
    """Return the least processor time that the work took in a few tries."""
    return min(_timed(work) for _ in range(tries))


def _timed(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun
