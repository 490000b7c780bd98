"""A strategy that needs what the topic lacks says what stands in for it, or the crawl is not begun."""

from pathlib import Path

import pytest

from tests.command_line import thresher

DEMANDING = """
from thresher.core.errors import SettingsError
from thresher.strategies.classic import BestFirst

class Demanding(BestFirst):
    def missing(self):
        raise SettingsError(f"Topic {self.topic.name!r} has no path; name a node with --set topic.node=PATH.")
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demanding.py").write_text(DEMANDING)


def test_what_stands_in_for_example_pages_is_said_and_the_crawl_goes_on():
    ran = thresher("crawl", "beekeeping", "--strategy", "jamali", "--pages", "5", "--delay", "0")
    assert ran.code == 0
    assert "'beekeeping' has no example pages: jamali takes its sub-domains from" in ran.err


def test_without_anything_that_could_stand_in_the_crawl_is_not_begun():
    ran = thresher("crawl", "beekeeping", "--strategy", "demanding:Demanding", "--pages", "5")
    assert ran.code == 4
    assert "has no path; name a node" in ran.err
    assert not Path("beekeeping").exists()


def test_why_tells_the_rank_of_a_page():
    thresher("crawl", "beekeeping", "--strategy", "jamali", "--pages", "30", "--delay", "0", "-o", "crawl")
    last = thresher("export", "crawl").out.splitlines()[-1].split('"')[3]
    ran = thresher("why", last, "crawl")
    assert "How jamali came to the priority\n  promoted: http" in ran.out, ran.out
    assert " links x (0.1 + similarity " in ran.out
