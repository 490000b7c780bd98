"""Thresher as a library: the same topic with two strategies, compared in one table."""

import sys
from pathlib import Path

from thresher import crawl


def compare(folder: Path, pages: int = 300) -> dict[str, float]:
    """Return the harvest rate of each strategy after so many pages of the practice web."""
    rates = {}
    for strategy in ("breadth_first", "best_first"):
        found = crawl(
            "beekeeping", folder=folder / strategy, strategy=strategy, pages=pages, web={"delay": 0}
        )
        rates[strategy] = found.result.harvest_rate
    return rates


if __name__ == "__main__":
    for name, rate in compare(Path(sys.argv[1] if len(sys.argv) > 1 else "comparison")).items():
        print(f"{name:<16}{rate:.1%}")
