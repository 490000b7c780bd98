"""The quality floor: a change that ruins a strategy fails here."""

import pytest

from tests.contracts.forms import FORMS
from tests.floors import floors, mean_area, recorded
from tests.nightly import cases


@pytest.fixture(scope="module")
def practice(tmp_path_factory):
    folder = tmp_path_factory.mktemp("floors")
    return recorded(folder), folder / "cache"


@pytest.mark.parametrize("strategy", cases(FORMS, here=("best_first", "jamali", "thresher")))
def test_a_strategy_keeps_to_its_floor_and_falls_below_it_when_its_prices_are_negated(practice, strategy):
    corpus, cache = practice
    assert strategy in floors(), "no floor yet: python -m tests.floors pins one"
    assert mean_area(corpus, cache, strategy) >= floors()[strategy]
    assert mean_area(corpus, cache, strategy, ruined=True) < floors()[strategy]


def test_no_floor_is_left_of_a_strategy_that_is_gone():
    assert set(floors()) <= set(FORMS)
