"""The order of visits is pinned: a change that was not meant to touch it fails here."""

import pytest

from tests.contracts.forms import FORMS
from tests.floors import TOPICS, recorded
from tests.orders import digests, pinned


@pytest.fixture(scope="module")
def practice(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders")
    return recorded(folder), folder / "cache"


@pytest.mark.parametrize("strategy", list(FORMS))
def test_a_strategy_visits_in_the_order_it_is_known_for(practice, strategy):
    corpus, cache = practice
    assert [*digests(corpus, cache, TOPICS, strategy)] == pinned()[strategy], "python -m tests.orders pins it"
