"""The long form: python -m tests.faults.chaos [--runs 10] [--events 8] [--workers 4] [--sockets]."""

import argparse
import random
import tempfile
import time
from pathlib import Path

from tests.faults.chaos.run import Chaos
from tests.faults.chaos.sites import WatchfulSites


def main() -> None:
    """Pull plugs in crawl after crawl, and say what came of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--events", type=int, default=8)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--pages", type=int, default=80, help="of each of twelve hosts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sockets", action="store_true", help="processes of the crawl instead of NATS")
    asked = parser.parse_args()
    for number in range(asked.runs):
        dice, began = random.Random(asked.seed + number), time.monotonic()
        with tempfile.TemporaryDirectory() as folder, WatchfulSites(asked.pages, 12) as sites:
            chaos = Chaos(Path(folder) / "crawl", sites, dice, not asked.sockets, asked.workers)
            chaos.run(asked.events, 600.0)
            happened = ", ".join(f"{count} {event}" for event, count in sorted(chaos.events.items()))
            print(
                f"run {number}: {len(sites.expected())} visits as in a single crawl, {chaos.repeated} "
                f"requests made again, shortest pause {sites.shortest_gap * 1000:.0f} ms; "
                f"{happened}; {time.monotonic() - began:.0f} s",
                flush=True,
            )
    print(f"{asked.runs} of {asked.runs}: nothing lost, nothing twice.")


if __name__ == "__main__":
    main()
