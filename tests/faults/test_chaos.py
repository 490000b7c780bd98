"""The short form of `make chaos`: two workers over sockets, and three plugs."""

import random

import pytest

from tests.faults.chaos.run import Chaos
from tests.faults.chaos.sites import WatchfulSites


@pytest.mark.timeout(180)
@pytest.mark.slow
def test_workers_and_crawl_are_killed_and_the_folder_is_that_of_a_single_crawl(tmp_path):
    with WatchfulSites(25, 4, latency=0.005) as sites:
        chaos = Chaos(tmp_path / "crawl", sites, random.Random(4), workers=2)
        chaos.run(3, 150.0)
    assert chaos.events.total() == 3
