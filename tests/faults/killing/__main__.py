"""The long form: python -m tests.faults.killing [--kills 100] [--pages 600] [--seed 1] [--workers 0]."""

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean

from tests.faults.killing.harness import UNCOMMITTED, KilledCrawl
from tests.faults.killing.site import Sites


def main() -> None:
    """Kill crawls until enough kills are done, and say what came of it."""
    asked = arguments()
    dice, kills, began = random.Random(asked.seed), Counter[str](), time.monotonic()
    while kills.total() < asked.kills:
        with tempfile.TemporaryDirectory() as folder, Sites(asked.pages) as sites:
            crawl = KilledCrawl(Path(folder) / "crawl", sites, dice, asked.workers)
            crawl.run(asked.kills - kills.total())
            counts = any(crawl.kills[point] for point in UNCOMMITTED)
            print(
                f"{crawl.kills.total()} kills, {len(sites.hits)} URLs, each stored once; "
                f"{crawl.refetched} requests made again; answered ones for one kill: "
                f"{max(crawl.again)} at most, {mean(crawl.again):.1f} in the mean"
                f"{'' if counts else ' (does not count: no kill between archive and commit)'}",
                flush=True,
            )
            kills.update(crawl.kills if counts else {})
    where = ", ".join(f"{count} at {point}" for point, count in kills.most_common())
    print(f"{kills.total()} kills in {time.monotonic() - began:.0f} s: {where}. Nothing lost, nothing twice.")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.killing", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pages", type=int, default=600, help="of each of the two sites")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
