"""How much the server does at once, and how long one question may take."""

import sqlite3
import time
from collections import deque
from dataclasses import dataclass, field

from thresher.serve.problems import Problem, too_many

BODY = 1 << 20  # bytes
STREAMS = 32
AT_WORK = 10  # requests
WAITING = 100  # requests behind them
QUERY_SECONDS = 5.0
STEPS = 20_000  # of SQLite between two looks at the clock


def bounded(connection: sqlite3.Connection, seconds: float = QUERY_SECONDS) -> sqlite3.Connection:
    """Let nothing that is asked of a connection from now on take longer than this in all."""
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    return connection


def took_too_long() -> Problem:
    """Return the problem of a question that was given up."""
    return Problem(
        "too-slow", "This takes too long", 503, f"The question was given up after {QUERY_SECONDS:g} s.",
        "Nothing was changed.", "Ask for less: another word, one host, a shorter time.",
    )  # fmt: skip


@dataclass
class Rate:
    """At most so many a second."""

    most: int
    _times: deque[float] = field(default_factory=deque)

    def admit(self) -> None:
        """Count one, or raise that there were too many."""
        now = time.monotonic()
        while self._times and self._times[0] < now - 1:
            self._times.popleft()
        if len(self._times) >= self.most:
            raise too_many(f"At most {self.most} of these a second are answered.", 1)
        self._times.append(now)
