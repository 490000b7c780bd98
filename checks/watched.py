"""Runs the command line and writes down how long each step of its event loop took.

python checks/watched.py STEPS.json crawl ...
"""

import asyncio.events
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

STEPS: Counter[int] = Counter()  # milliseconds, rounded down


def main() -> None:
    """Time every callback of the standard event loop, then do what was asked."""
    file, sys.argv = Path(sys.argv[1]), ["thresher", *sys.argv[2:]]
    run = asyncio.events.Handle._run

    def timed(handle: Any) -> None:
        begun = time.perf_counter()
        run(handle)
        STEPS[int(1000 * (time.perf_counter() - begun))] += 1

    asyncio.events.Handle._run = timed  # type: ignore[method-assign]
    try:
        from thresher.cli.main import main as thresher

        thresher()
    finally:
        file.write_text(json.dumps(STEPS), encoding="utf-8")


def at_percentile(steps: dict[str, int], share: float) -> int:
    """Return the milliseconds that this share of the steps stayed within."""
    left = share * sum(steps.values())
    for milliseconds, count in sorted((int(name), count) for name, count in steps.items()):
        left -= count
        if left <= 0:
            return milliseconds
    return 0


if __name__ == "__main__":
    main()
