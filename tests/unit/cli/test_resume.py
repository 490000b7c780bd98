"""`thresher resume`: a crawl goes on where it stopped, and Ctrl-C is one of the ways to stop it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.core.records import Url
from thresher.store.folder import CrawlFolder

pytestmark = pytest.mark.posix


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "impatient.py").write_text(IMPATIENT)


IMPATIENT = """
import signal
from thresher.strategies.classic import BestFirst

class Once(BestFirst):
    presses = 1
    def on_visit(self, visit, memory):
        self.seen = getattr(self, "seen", 0) + 1
        for _ in range(self.presses if self.seen == 10 else 0):
            signal.raise_signal(signal.SIGINT)
        return super().on_visit(visit, memory)

class Twice(Once):
    presses = 2

class Terminated(Once):
    def on_visit(self, visit, memory):
        self.presses = 0
        offers = super().on_visit(visit, memory)
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
    Path("crawls").mkdir()
    Path("beekeeping").rename("crawls/beekeeping")
    assert "Did you mean 'crawls/beekeeping'?" in thresher("resume", "crwals/beekeeping").err


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


NONSENSE = {
    "fewer pages than there are": (["--pages", "10"], 2, "The crawl has 15 already: --pages counts them"),
    "another practice web": (["--set", "web.seed=2"], 2, "web.seed is what beekeeping was begun with"),
    "another web": (["--set", "web.kind=live"], 2, "web.kind is what beekeeping was begun with"),
    "a limit below nothing": (
        ["--pages", "-1"],
        4,
        "stop.pages: expected a whole number of at least 0",
    ),
    "an unknown setting": (["--set", "web.dely=1"], 4, "Did you mean 'web.delay'?"),
}


@pytest.mark.parametrize("case", NONSENSE)
def test_nonsense_is_refused_in_one_sentence_and_the_crawl_is_as_it_was(case):
    thresher("crawl", "beekeeping", "--pages", "15", "--delay", "0")
    before = Path("beekeeping/crawl.toml").read_text(encoding="utf-8")
    arguments, code, words = NONSENSE[case]
    ran = thresher("resume", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert Path("beekeeping/crawl.toml").read_text(encoding="utf-8") == before


def test_a_crawl_that_has_reached_its_limit_says_so_again():
    thresher("crawl", "beekeeping", "--pages", "15", "--delay", "0")
    ran = thresher("resume")
    assert ran.code == 0
    assert "Stopped: page limit of 15 reached." in ran.out


def test_a_strategy_that_failed_learns_the_rest_when_it_is_mended(tmp_path):
    """Nothing is asked for twice, and the links of the page at which it failed are not lost."""
    (tmp_path / "mended.py").write_text(MENDED)
    broken = ["crawl", "beekeeping", "--pages", "60", "--delay", "0", "--concurrency", "1"]
    assert thresher(*broken, "--strategy", "mended:Clumsy").code == 1
    before = visited("beekeeping")
    (tmp_path / "well").touch()
    assert thresher("resume").code == 0
    after = visited("beekeeping")
    assert after[: len(before)] == before
    assert max(Counter(after).values()) == 1
    assert len(after) >= 60


MENDED = """
from pathlib import Path
from thresher.strategies.classic import BestFirst

class Clumsy(BestFirst):
    def on_visit(self, visit, memory):
        offers = super().on_visit(visit, memory)
        if visit.candidate.via is None and not Path("well").exists():
            raise LookupError("where was I?")
        return offers
"""


def test_a_strategy_takes_up_its_state_where_the_last_transaction_left_it(tmp_path):
    (tmp_path / "counting.py").write_text(COUNTING)
    thresher("crawl", "beekeeping", "--pages", "15", "--delay", "0", "--strategy", "counting:Counting")
    thresher("resume", "--pages", "40")
    store = CrawlFolder(Path("beekeeping")).open()
    learned = [visit for visit in store.visits() if visit.outcome.value != "moved"]
    state = store.facts.state
    store.close()
    assert state and int(state.head) >= len(learned) >= 40


COUNTING = """
from thresher import StrategyState
from thresher.strategies.classic import BestFirst

class Counting(BestFirst):
    learned = 0

    def on_visit(self, visit, memory):
        self.learned += 1
        return super().on_visit(visit, memory)

    def save(self):
        return StrategyState(str(self.learned))

    def load(self, state):
        self.learned = int(state.head)
"""
