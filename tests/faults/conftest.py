"""What every test against the misbehaving server needs."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.server import ALLOWED
from thresher.fetch.limits import Limits
from thresher.fetch.live import LiveWeb

MODEST = Limits(max_bytes=2_000_000)
HASTY = Limits(total=1.5, idle=0.6, max_bytes=2_000_000, min_rate=1_000)
"""For servers that keep us waiting; long enough for a busy machine."""


@pytest.fixture
async def live():
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
