"""The collector comes less often while a crawl runs, and as before when it is over."""

import gc

import pytest

from thresher.engine.workers import SELDOM, relaxed_gc


def test_the_collector_comes_less_often_and_then_as_before():
    before = gc.get_threshold()
    with pytest.raises(RuntimeError), relaxed_gc():
        assert gc.get_threshold()[0] >= SELDOM
        raise RuntimeError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
