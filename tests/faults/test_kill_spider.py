"""A spider with a JOBDIR that is killed and started again asks for every page, and for few of them twice."""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.spider_site import Site, serve

KILLS = int(os.environ.get("SPIDER_KILLS", "2"))
AT_ONCE = 4
UNDER_WAY = 3 * AT_ONCE  # with responses that wait for their callback, or are in it


def start(job: Path, base: str) -> "subprocess.Popen[str]":
    settings = {
        "SCHEDULER": "thresher.scrapy.FocusedScheduler",
        "THRESHER_TOPIC": "beekeeping",
        "JOBDIR": str(job),
        "BASE": base,
        "CONCURRENT_REQUESTS": AT_ONCE,
        "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
    }
    command = [sys.executable, "-m", "tests.spider_site", json.dumps(settings)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]") -> None:
    out, errors = process.communicate(timeout=300)
    assert json.loads(out)["stats"]["finish_reason"] == "finished", errors


@pytest.mark.timeout(60 + 30 * KILLS)
def test_a_killed_spider_loses_no_page_and_repeats_only_what_was_under_way(tmp_path):
    base, chance = serve(), random.Random(1)
    ended(start(tmp_path / "whole", base))
    whole, Site.asked = set(Site.asked), []
    for _ in range(KILLS):
        process, before = start(tmp_path / "job", base), len(Site.asked)
        wanted = before + chance.randrange(1, max(2, len(whole) // KILLS))
        while len(Site.asked) < wanted and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        process.communicate()
    ended(start(tmp_path / "job", base))
    times = Counter(Site.asked)
    assert set(times) == whole, (whole - set(times), set(times) - whole)
    assert times.total() - len(times) <= KILLS * UNDER_WAY
