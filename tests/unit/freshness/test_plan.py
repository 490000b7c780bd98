"""Which pages are looked at next, and what a wrong clock or a trusted hint does to that."""

from typing import Any

import numpy as np
import pytest

from thresher.freshness.change import HostBoilerplate
from thresher.freshness.page_state import DAY, Availability, Trust
from thresher.freshness.policies import POLICIES, ChangeHistory
from thresher.freshness.schedule import WatchTable, choose, split

NOW = 1_700_000_000.0


def table(size: int = 100, days: float = 5.0, revisits: int = 5, changes: int = 1, **columns) -> WatchTable:
    evidence = ChangeHistory.none(size)
    for number in range(revisits):
        evidence.add(np.arange(size), np.ones(size), np.full(size, number < changes))
    usual: dict[str, Any] = {
        "key": np.arange(size, dtype=np.int64) * 7919,
        "host": np.arange(size, dtype=np.int64) % 10,
        "section": np.arange(size, dtype=np.int64) % 20,
        "last": np.full(size, NOW - days * DAY),
        "evidence": evidence,
        "relevance": np.full(size, 0.5),
        "brought": np.zeros(size),
        "hinted": np.zeros(size),
        "standing": np.zeros(size, np.int64),
    }
    return WatchTable(**usual | columns)


def chosen(watch: WatchTable, count: int = 10, **options) -> list[int]:
    return choose(watch, NOW, 100.0, 0.0, count, **options).rows.tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_as_many_pages_are_chosen_as_may_be_looked_at(policy):
    assert len(set(chosen(table(), 10, policy=policy))) == 10
    assert len(chosen(table(), 1000, policy=policy)) == 100
    assert chosen(table(), 0, policy=policy) == []


def test_planning_twice_gives_the_same_plan():
    assert chosen(table(), 30) == chosen(table(), 30)


def test_the_page_that_waited_longest_among_equals_comes_first():
    last = np.full(100, NOW - DAY)
    last[42] = NOW - 20 * DAY
    assert chosen(table(last=last), 1) == [42]


def test_the_relevant_and_the_hub_come_before_the_rest():
    relevance, brought = np.full(100, 0.05), np.zeros(100)
    relevance[7], brought[8] = 1.0, 6.0
    assert set(chosen(table(relevance=relevance, brought=brought), 2)) == {7, 8}


def test_a_page_that_vanished_is_hardly_looked_at():
    standing = np.zeros(100, np.int64)
    standing[:50] = Availability.VANISHED
    assert min(chosen(table(standing=standing), 50)) >= 50


def test_a_page_seen_in_the_future_counts_as_seen_now():
    last = np.full(100, NOW + 365 * DAY)
    last[:50] = NOW - 5 * DAY
    assert max(chosen(table(last=last), 50)) < 50
    assert len(chosen(table(last=last), 100)) == 100


def test_a_trusted_host_names_the_page_to_look_at():
    hinted = np.zeros(100)
    hinted[33] = NOW - DAY
    assert chosen(table(hinted=hinted, trusted=np.array([3])), 1) == [33]


def test_what_a_trusted_sitemap_says_is_unchanged_can_wait():
    hinted = np.where(np.arange(100) % 10 == 3, NOW - 90 * DAY, 0.0)
    assert not [row for row in chosen(table(hinted=hinted, trusted=np.array([3])), 80) if row % 10 == 3]


def test_a_host_nobody_trusts_is_not_listened_to():
    hinted = np.zeros(100)
    hinted[33] = NOW - DAY
    assert chosen(table(hinted=hinted), 5) == chosen(table(), 5)


def test_dates_are_trusted_after_five_of_which_four_were_right():
    assert not Trust(right=4).dates
    assert Trust(right=4, wrong=1).dates
    assert not Trust(right=7, wrong=3).dates


def test_requests_go_to_looks_while_they_find_more_than_new_pages_do():
    values = np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.05, 0.01, 0.0, 0.0, 0.0])
    assert split(values, 10, discovery=0.25, waiting=50) == 3
    assert split(values, 10, discovery=0.25, waiting=0) == 10
    assert split(values, 10, discovery=5.0, waiting=50) == 1  # never nothing for either
    assert split(values, 10, discovery=-1.0, waiting=50) == 9


def test_a_line_that_came_on_twenty_one_pages_of_a_host_is_furniture():
    same = [(1, page, (77,)) for page in range(21)]
    more = [(1, page, (page,)) for page in range(100, 160)]
    boilerplate = HostBoilerplate([*same, *more, (2, 500, (77,))])
    assert boilerplate.covers(1, (77,))
    assert not boilerplate.covers(1, (77, 78))
    assert not boilerplate.covers(2, (77,))
    assert not HostBoilerplate([*same[:20], *more]).covers(1, (77,))


def test_on_a_small_host_half_of_the_changed_pages_are_enough():
    same = [(1, page, (77,)) for page in range(6)]
    assert HostBoilerplate(same).covers(1, (77,))
    assert not HostBoilerplate(same[:5]).covers(1, (77,))
