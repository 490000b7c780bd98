"""`thresher resume`: a crawl goes on where it stopped, and Ctrl-C is one of the ways to stop it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.core.records import Url
from thresher.store.folder import CrawlFolder


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "impatient.py").write_text(IMPATIENT)


IMPATIENT = """
import signal
from thresher.strategies.best_first import BestFirst

class Once(BestFirst):
    presses = 1
    def learn(self, visit, memory):
        self.seen = getattr(self, "seen", 0) + 1
        for _ in range(self.presses if self.seen == 10 else 0):
            signal.raise_signal(signal.SIGINT)
        return super().learn(visit, memory)

class Twice(Once):
    presses = 2

class Terminated(Once):
    def learn(self, visit, memory):
        self.presses = 0
        offers = super().learn(visit, memory)
        if self.seen == 10:
            signal.raise_signal(signal.SIGTERM)
        return offers
"""


def visited(folder: str) -> list[Url]:
    store = CrawlFolder(Path(folder)).open()
    urls = [visit.candidate.url for visit in store.visits()]
    store.close()
    return urls


def test_resume_goes_on_to_a_higher_limit_and_fetches_nothing_twice():
    thresher("crawl", "beekeeping", "--pages", "15", "--delay", "0")
    before = visited("beekeeping")
    ran = thresher("resume", "beekeeping", "--pages", "40", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["pages"] == 40
    after = visited("beekeeping")
    assert after[: len(before)] == before
    assert max(Counter(after).values()) == 1


def test_what_was_refused_before_still_counts_after():
    thresher("crawl", "beekeeping", "--pages", "30", "--depth", "1")
    before = json.loads(thresher("report", "--json").out)["crawls"][0]
    assert before["refused"]["too deep"] > 0
    thresher("resume", "--set", "scope.depth=0", "--pages", "40")
    after = json.loads(thresher("report", "--json").out)["crawls"][0]
    assert after["refused"]["too deep"] == before["refused"]["too deep"]
    assert after["seconds"] > before["seconds"]


def test_resume_takes_the_only_crawl_here_and_a_new_seed():
    seed = "http://nobody.localhost/"
    thresher("crawl", "beekeeping", "--pages", "5", "--delay", "0")
    assert thresher("resume", "--pages", "0", "--relevant", "20", "--seed", seed).code == 0
    assert seed in visited("beekeeping")


def test_a_crawl_that_was_there_is_refused_with_the_word_resume():
    thresher("crawl", "beekeeping", "--pages", "5", "--delay", "0")
    ran = thresher("crawl", "beekeeping")
    assert ran.code == 2
    assert "'thresher resume beekeeping'" in ran.err


def test_resume_of_nothing_names_what_is_there():
    thresher("crawl", "beekeeping", "--pages", "5", "--delay", "0")
    ran = thresher("resume", "beekeepin")
    assert (ran.code, ran.err) == (2, "No crawl in beekeepin. Did you mean 'beekeeping'?\n")


@pytest.mark.parametrize("how", ["Once", "Terminated"])
def test_the_first_signal_finishes_what_is_under_way(how):
    ran = thresher("crawl", "beekeeping", "--pages", "0", "--delay", "0", "--strategy", f"impatient:{how}")
    assert ran.code == 11
    assert "Stopped: interrupted." in ran.out
    assert ran.err == "Stopping after what is under way; Ctrl-C again stops now.\n"
    assert 10 < len(visited("beekeeping")) < 100  # the signal is heard when the event loop turns next
    goes_on = thresher("resume", "--pages", "150", "--set", "strategy.name=best_first")
    assert goes_on.code == 0, goes_on.err
    assert max(Counter(visited("beekeeping")).values()) == 1


def test_the_second_signal_stops_now_and_can_still_be_resumed():
    ran = thresher("crawl", "beekeeping", "--pages", "0", "--delay", "0", "--strategy", "impatient:Twice")
    assert ran.code == 11
    assert "Stopped: interrupted." in ran.out
    before = visited("beekeeping")
    assert len(before) < 100
    assert thresher("resume", "--pages", "150", "--set", "strategy.name=best_first").code == 0
    after = visited("beekeeping")
    assert after[: len(before)] == before
    assert max(Counter(after).values()) == 1
