"""What the shelf alone holds leaves best first; of the URLs that were ever offered none is forgotten."""

from random import Random

import pytest

from thresher.core.records import Candidate, QueuedRequest, Url
from thresher.frontier import host
from thresher.frontier.frontier import Workbench
from thresher.frontier.host import Cold, SeenKeys


@pytest.fixture(autouse=True)
def _only_a_few_are_recent(monkeypatch):
    monkeypatch.setattr(host, "RECENT", 8)


def test_a_key_is_known_before_and_after_it_grows_old():
    keys = SeenKeys()
    for key in range(0, 100, 2):
        keys.recent.add(key)
        assert [*map(keys.recent.__contains__, (key, key + 1))] == [True, False]
        keys.among_old([key])
    assert keys.among_old(range(0, 100, 2)).count(True) >= 40
    assert not any(keys.among_old(range(1, 100, 2)))


def test_a_url_stays_known_while_recent_ones_grow_old_in_the_middle_of_an_offer():
    """A page may link to what it links to above: the key must not slip between recent and old."""
    frontier = Workbench()
    pages = [Candidate(Url(f"http://a.test/{number}")) for number in range(40)]
    assert frontier.offer([*pages, *pages]) == 40
    assert frontier.offer(pages) == 0
    assert len(frontier) == 40


def test_whatever_comes_and_goes_the_best_leave_first_and_equals_in_the_order_of_their_arrival():
    chance, held, left = Random(7), Cold(), dict[int, tuple[float, int]]()
    for arrival in range(4_000):
        key = chance.randrange(1_000)
        if key in left:
            held.discard(key)
            del left[key]
        else:
            candidate = Candidate(
                Url(f"http://a.test/{key}"), priority=chance.choice([0.1, 0.2, chance.random()])
            )
            held.add(QueuedRequest(key, "a.test", arrival, candidate))
            left[key] = (-candidate.priority, arrival)
        if not arrival % 40:
            best = sorted(left.values())[: chance.randrange(30)]
            assert held.take_best(len(best)) == [arrival for _, arrival in best]
            left = {key: rank for key, rank in left.items() if rank not in best}
        assert len(held) == len(left)
        assert (rank := held.best()) is None or rank[1:] == min(left.values())
