"""What a fit ranks anew when too many URLs wait for all of them to be."""

import numpy as np
import pytest

from tests.unit.strategies.test_thresher import crawled, make, page, visit
from thresher.store.database import Database
from thresher.strategies.learned import model
from thresher.strategies.learned import strategy as strategy_module


@pytest.fixture
def learner():
    """A crawl of one host, before which three hundred URLs of another wait."""
    strategy = make()
    crawled(strategy, 30)
    others = [f"http://b.test/{number}" for number in range(300)]
    list(strategy.on_visit(visit(page("http://a.test/list", "bee " * 20, others)), Database()))
    return strategy


def hosts(strategy, rows) -> list[str]:
    urls = strategy._evidence.table.urls.of(rows.tolist(), Database())
    return [url.split("/")[2] for url in urls]


def test_all_that_waits_is_ranked_anew_while_it_is_no_more_than_may_be(learner):
    waiting = learner._evidence.table.waiting()
    assert learner._priority_model._within_reach(len(waiting)).tolist() == waiting.tolist()


def test_of_more_the_best_are_and_half_of_them_are_of_hosts_that_were_visited(learner):
    table = learner._evidence.table
    rows = learner._priority_model._within_reach(20)
    assert rows.tolist() == sorted(set(rows.tolist())) and len(rows) == 20
    assert hosts(learner, rows).count("a.test") >= 10
    told = table.cells["told"]
    left = np.setdiff1d(table.waiting(), rows)
    assert told[rows].max() >= told[left].max()


def test_the_tail_of_a_host_is_not_ranked_anew(learner, monkeypatch):
    monkeypatch.setattr(model, "OF_A_HOST", 7)
    rows = learner._priority_model._within_reach(150)
    assert sorted(hosts(learner, rows)) == ["a.test"] * 7 + ["b.test"] * 7


def test_what_changed_is_told_in_parts_and_never_over_a_later_priority(learner, monkeypatch):
    monkeypatch.setattr(strategy_module, "TOLD_AT_ONCE", 3)
    monkeypatch.setattr(model, "WORTH_TELLING", -1.0)  # so that every row has changed
    first = learner._rank_again(Database())
    rows, priorities, _ = (column.copy() for column in learner._untold)
    assert len(first) == 3 and len(rows) > 20
    table = learner._evidence.table
    gone, later = (table.urls.of([row], Database())[0] for row in rows[:2].tolist())
    table.remove(gone)
    table.tell(rows[1:2], np.array([0.123]))
    told = {offer.url: offer.priority for offer in learner._tell_more(5, Database())}
    assert len(told) == 3 and gone not in told and later not in told
    assert set(told.values()) == set(priorities[2:5].tolist())
