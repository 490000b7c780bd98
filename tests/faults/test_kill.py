"""The short form of `make kill`: ten kills, of which several fall between the archive and the commit."""

import random

from tests.faults.killing.harness import UNCOMMITTED, KilledCrawl
from tests.faults.killing.site import Sites


def test_a_crawl_that_is_killed_again_and_again_loses_nothing_and_stores_nothing_twice(tmp_path):
    with Sites(300) as sites:
        crawl = KilledCrawl(tmp_path / "crawl", sites, random.Random(1))
        crawl.run(10)
    assert crawl.kills.total() == 10
    assert any(crawl.kills[point] for point in UNCOMMITTED)
