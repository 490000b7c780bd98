"""The short form of `make kill`: nine kills, of which two fall between the archive and the commit."""

import random
from statistics import mean

import pytest

from tests.faults.killing.harness import LIVES, UNCOMMITTED, KilledCrawl
from tests.faults.killing.site import Sites
from thresher.core import files


def test_a_crawl_killed_before_its_commit_and_in_its_recovery_loses_nothing(
    tmp_path,
):
    lives = (files.BEFORE_COMMIT, files.IN_RECOVERY)
    with Sites(120) as sites:
        crawl = KilledCrawl(tmp_path / "crawl", sites, random.Random(1), lives=lives)
        crawl.run(len(lives))
    assert set(crawl.kills) == set(lives)


@pytest.mark.slow
@pytest.mark.timeout(300)  # it starts eleven processes, one after the other
def test_a_crawl_that_is_killed_again_and_again_loses_nothing_and_stores_nothing_twice(tmp_path):
    with Sites(250) as sites:
        crawl = KilledCrawl(tmp_path / "crawl", sites, random.Random(1))
        crawl.run(len(LIVES))
    assert crawl.kills.total() == len(LIVES)
    assert all(crawl.kills[point] for point in UNCOMMITTED)
    assert mean(crawl.again) <= 12  # of nine kills; `make kill` holds a hundred to 8
