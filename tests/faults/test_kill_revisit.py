"""The short form of the killed revisit: nine kills, one at each named point."""

import pytest

from tests.faults.killing.revisit import LIVES, kill_revisit


def test_a_revisit_killed_before_its_version_and_after_the_archive_loses_none_and_stores_none_twice(tmp_path):
    done = kill_revisit(tmp_path, pages=120, kills=2, seed=1)
    assert set(done.kills) == set(LIVES[:2])


@pytest.mark.slow
@pytest.mark.timeout(300)  # it starts eleven processes, one after the other
def test_a_revisit_that_is_killed_again_and_again_loses_no_version_and_stores_none_twice(tmp_path):
    done = kill_revisit(tmp_path, pages=250, kills=len(LIVES), seed=1)
    assert done.kills.total() == len(LIVES)
    assert set(done.kills) == set(LIVES)
