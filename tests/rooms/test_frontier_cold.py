"""The URLs that were ever offered: none is forgotten, none is offered twice."""

import pytest

from thresher.core.records import Candidate, Url
from thresher.frontier import cold
from thresher.frontier.cold import SeenKeys
from thresher.frontier.workbench import Workbench


@pytest.fixture(autouse=True)
def _only_a_few_are_recent(monkeypatch):
    monkeypatch.setattr(cold, "RECENT", 8)


def test_a_key_is_known_before_and_after_it_grows_old():
    keys = SeenKeys()
    for key in range(0, 100, 2):
        keys.add(key)
        assert key in keys and key + 1 not in keys
    assert len(keys) == 50
    assert keys.among_old(range(100)).count(True) >= 40


def test_a_url_stays_known_while_recent_ones_grow_old_in_the_middle_of_an_offer():
    """A page may link to what it links to above: the key must not slip between recent and old."""
    frontier = Workbench()
    pages = [Candidate(Url(f"http://a.test/{number}")) for number in range(40)]
    assert frontier.offer([*pages, *pages]) == 40
    assert frontier.offer(pages) == 0
    assert len(frontier) == 40
