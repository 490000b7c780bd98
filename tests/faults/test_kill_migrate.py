"""A migration that is killed leaves the old crawl or the new one, never neither."""

from tests.faults.killing.migrate import kill
from thresher.store.rewrite import FORMER
from thresher.store.schema import VERSION


def test_a_crawl_whose_migration_is_killed_is_there_in_the_old_form_or_in_the_new(tmp_path):
    found = kill(tmp_path, pages=1_200, kills=4)
    assert found == [FORMER, FORMER, FORMER, VERSION]
