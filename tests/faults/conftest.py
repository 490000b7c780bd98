"""What every test against the misbehaving server needs."""

import asyncio.events
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faults.server import ALLOWED
from tests.stopwatch import slowness
from thresher.engine.workers import relaxed_gc
from thresher.fetch.limits import ResponseLimits
from thresher.fetch.live import LiveWeb

MODEST = ResponseLimits(max_bytes=2_000_000)
HASTY = ResponseLimits(total=1.5, idle=0.6, max_bytes=2_000_000, min_rate=1_000)
"""For servers that keep us waiting; long enough for a busy machine."""


@pytest.fixture
async def live(nobody_waits):
    """Make webs that may visit the server's addresses, and never really wait."""
    webs: list[LiveWeb] = []

    def make(**options: Any) -> LiveWeb:
        usual: dict[str, Any] = {"allow_networks": [ALLOWED], "limits": MODEST, "delay": 0.0}
        webs.append(LiveWeb(**usual | {"sleep": waits_nothing([])} | options))
        return webs[-1]

    yield make
    for web in webs:
        await web.close()


def waits_nothing(naps: list[float]) -> Callable[[float], Any]:
    """A sleep that only notes how long it should have been."""

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    return sleep


LONGEST_STEP = 0.1  # seconds of processor time in one step of the loop


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a server sends, no step of the event loop takes long: the others, and signals, wait for it.

    As in a crawl, the collector leaves alone what was there before: that of all tests takes it 0.1 s.
    """
    run, longest = asyncio.events.Handle._run, [0.0]

    def timed(handle: asyncio.events.Handle) -> None:
        begun = time.thread_time()
        run(handle)
        longest[0] = max(longest[0], time.thread_time() - begun)

    monkeypatch.setattr(asyncio.events.Handle, "_run", timed)
    with relaxed_gc():
        yield
    assert longest[0] / slowness() < LONGEST_STEP
