"""What plain strategies can and cannot do on the practice web: behaviour, never evidence of merit."""

import pytest

from tests.nightly import cases
from tests.unit.practice_crawl import STRATEGIES, found_by, score, web_of

DEMO = "beekeeping"


@pytest.mark.parametrize(
    "web",
    cases(
        [*((seed, DEMO) for seed in range(1, 6)), (1, "cider"), (2, "茶艺")],
        here=[(1, DEMO), (2, "茶艺")],
    ),
)
def test_best_first_finds_twice_what_breadth_first_finds(web):
    seed, topic = web
    breadth = found_by(seed, topic, STRATEGIES["breadth first"], downloads=500)
    best = found_by(seed, topic, STRATEGIES["best first"], downloads=500)
    assert len(best) >= 2 * len(breadth) > 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_simple_strategy_finds_nine_tenths_in_half_the_pages(strategy):
    """Neither of all relevant pages, nor of those that links lead to."""
    atlas = web_of(1).atlas
    found = found_by(1, DEMO, STRATEGIES[strategy], downloads=len(atlas.pages) // 2)
    relevant = [address for address, page in atlas.pages.items() if page.label == DEMO]
    assert len(found) < 0.9 * (len(relevant) - len(atlas.islands[DEMO]))


def test_the_words_of_a_topic_tell_most_but_not_all_of_its_pages_apart():
    """At the threshold of 0.1: some relevant pages are missed, and keyword stuffers are taken in."""
    atlas = web_of(1).atlas
    sample = list(atlas.pages)[::2]
    taken = {address for address in sample if score(1, DEMO, address) >= 0.1}
    relevant = {address for address in sample if atlas.pages[address].label == DEMO}
    assert 0.75 * len(relevant) < len(taken & relevant) < len(relevant)
    assert 0 < len(taken - relevant) < 0.1 * len(taken)
