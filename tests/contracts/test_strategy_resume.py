"""Every form of every strategy goes on after kill -9 as if nothing had happened.

THRESHER_KILLS=10 pytest tests/contracts/test_strategy_resume.py     ten kills of each form, as in `make kill`
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.forms import FORMS

KILLS = int(os.environ.get("THRESHER_KILLS", "2"))
PAGES = 20 + 7 * KILLS
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(120 + 60 * KILLS)
def test_killed_at_random_visits_and_resumed_the_whole_log_is_that_of_a_crawl_never_killed() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.faults.killing.strategies", f"--kills={KILLS}", f"--pages={PAGES}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr[-2_000:]
    assert [line.partition(":")[0] for line in told.stdout.splitlines()] == list(FORMS)
