"""A longer rest for slow hosts: as long as their answers usually take (Scrapy's AutoThrottle)."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from thresher.core.caches import Bounded
from thresher.core.records import Fetched

HOSTS = 20_000  # of which it is remembered how long they take
LONGEST = 60.0  # seconds, however slow a host is


@dataclass
class Throttle:
    """How long each host usually takes; an answer counts as much as all before it."""

    delay: float  # who answers within the usual rest needs no longer one; 0: nobody rests
    now: Callable[[], float] = time.monotonic
    _usual: Bounded[str, float] = field(default_factory=lambda: Bounded(HOSTS))

    async def timed(self, host: str, ask: Callable[[], Awaitable[Fetched]]) -> Fetched:
        """Ask once, and note how long the answer took."""
        begun = self.now()
        fetched = await ask()
        self.note(host, self.now() - begun, fetched.status == 200)
        return fetched

    def note(self, host: str, seconds: float, went_well: bool = True) -> None:
        """Note how long an answer took; one that says no in a moment does not make its host a quick one."""
        before = self._usual.get(host)
        usual = seconds if before is None else (before + seconds) / 2
        if before is None or usual > before or went_well:
            self._usual.put(host, usual)

    def rest(self, host: str) -> float:
        """Return how long a host should rest because it is slow, or 0."""
        usual = self._usual.get(host) or 0.0
        return min(usual, LONGEST) if usual > self.delay > 0 else 0.0
