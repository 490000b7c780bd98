"""The same crawl with the same seed gives the same log, whatever order Python's sets are in."""

import json
import os
import subprocess
import sys

import pytest

LOG = """
import json, sys, tempfile
from pathlib import Path
from thresher import crawl
from thresher.store.folder import CrawlFolder
with tempfile.TemporaryDirectory() as place:
    crawl("beekeeping", folder=f"{place}/log", pages=150, strategy=sys.argv[1])
    store = CrawlFolder(Path(place) / "log").open()
    log = [
        [visit.candidate.url, visit.candidate.priority, visit.outcome.value, visit.relevance, visit.reason]
        for visit in store.visits()
    ]
    store.close()
print(json.dumps(log))
"""


def log_of(strategy: str, hash_seed: int) -> list[list[object]]:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [sys.executable, "-c", LOG, strategy], env=environment, capture_output=True, text=True, check=True
    )
    log: list[list[object]] = json.loads(done.stdout)
    return log


@pytest.mark.parametrize("strategy", ["breadth_first", "best_first"])
def test_the_log_does_not_depend_on_the_order_of_hashes(strategy: str) -> None:
    first, second = log_of(strategy, 1), log_of(strategy, 2)
    assert len(first) >= 150
    assert first == second
