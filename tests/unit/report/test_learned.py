"""The report of a crawl that learned: what it learned, and which labels would help, in three formats."""

import json
import shlex

import pytest

from tests.command_line import thresher
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.report.crawl_report import page_of
from thresher.report.figures import figures_of
from thresher.report.learned import LearnedReport, best_anchor_words
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> CrawlFolder:
    folder = tmp_path_factory.mktemp("learned") / "my bees"
    asked = ["--strategy", "thresher", "--pages", "80", "--delay", "0", "-o", str(folder)]
    assert thresher("crawl", "beekeeping", *asked).code == 0
    return CrawlFolder(folder)


def learned_in(crawl: CrawlFolder) -> LearnedReport:
    learned = figures_of(crawl).learned
    assert learned is not None
    return learned


def test_what_paid_comes_first_and_a_trap_stands_for_its_host_once(crawl):
    learned = learned_in(crawl)
    for lessons in (learned.hosts, learned.folders, learned.sections, learned.words):
        gains = [lesson.gain for lesson in lessons]
        assert gains == sorted(gains, reverse=True)
        assert gains[-1] > 0
    assert all(trap.gain < 0 for trap in learned.traps)
    assert len({trap.host for trap in learned.traps}) == len(learned.traps) > 0


def test_numbers_of_chapters_are_no_words_that_led_anywhere():
    """Said of a manual in Chinese: 第 and 节 led here, 38 % of the time."""
    url = Url("http://a.test/")
    visits = [
        Visit(Candidate(url, via=Link(url, url, anchor)), Outcome.FETCHED, 1.0, relevance=1.0)
        for anchor in ("第 7 节 图层", "第十二章 图层", "iv. 图层 B 2.1")
    ]
    assert [each.name for each in best_anchor_words(visits, 0.5)] == ["图层"]


def test_a_word_is_worth_what_its_links_brought_in_all_its_forms():
    """Bees lead to relevant pages and mills do not; one visit to honey says nothing yet."""
    anchors = {"Bees!": 0.9, "the bees": 0.9, "a bee": 0.2, "mill": 0.1, "Mill, mills": 0.1, "mills": 0.4}
    anchors["honey"] = 0.9
    link = [Link(Url("http://a.test/"), Url("http://a.test/x"), anchor) for anchor in anchors]
    visits = [
        Visit(Candidate(each.target, via=each), Outcome.FETCHED, 1.0, relevance=relevance)
        for each, relevance in zip(link, anchors.values(), strict=True)
    ]
    first, *others = best_anchor_words(visits, 0.5)
    assert (first.name, first.visits) == ("bees", 3)
    assert first.brought == pytest.approx(2 / 3)
    assert first.gain == pytest.approx(2 - 3 * 3 / 7)
    assert [(word.name, word.visits) for word in others] == [("mills", 3)]
    assert others[0].gain < 0


def test_the_report_and_the_terminal_and_the_json_have_the_same_twenty_commands(crawl):
    ran = thresher("report", str(crawl.path), "--learned", "--labels")
    told = json.loads(thresher("report", str(crawl.path), "--json").out)["crawls"][0]["learned"]
    commands = [suggestion["command"] for suggestion in told["suggestions"]]
    assert len(set(commands)) == 20
    assert [
        line.strip() for line in ran.out.splitlines() if line.strip().startswith("thresher label")
    ] == commands
    page = crawl.report.read_text()
    assert page.count("<code>thresher label") == 20
    assert "Worst traps for time" in page
    assert "Best words of anchors" in page
    assert "Best words" in ran.out


def test_a_command_that_is_pasted_works_and_its_page_is_not_asked_about_again(crawl):
    first = learned_in(crawl).suggestions[0]
    verb, *words = shlex.split(first.command)[1:]
    assert thresher(verb, *words).code == 0
    assert Labels(crawl.labels).all()[first.url] is True
    assert first.url not in [suggestion.url for suggestion in learned_in(crawl).suggestions]


def test_nobody_is_asked_about_a_page_whose_words_are_not_kept(crawl, monkeypatch):
    monkeypatch.setattr("thresher.report.learned.ASKED", 1000)
    store = crawl.open()
    fetched = [visit.candidate.url for visit in store.visits() if visit.outcome is Outcome.FETCHED]
    bare = {url for url in fetched if not store.page(url).text}
    store.close()
    asked = {suggestion.url for suggestion in learned_in(crawl).suggestions}
    assert bare, "the practice web has pages that want no place in an index"
    assert not bare & asked
    assert len(asked) > len(fetched) / 2


def test_a_crawl_whose_strategy_does_not_learn_has_nothing_to_say(tmp_path):
    folder = tmp_path / "bees"
    assert (
        thresher("crawl", "beekeeping", "--strategy", "best_first", "--pages", "5", "-o", str(folder)).code
        == 0
    )
    run = figures_of(CrawlFolder(folder))
    assert run.learned is None
    assert "What the crawl learned" not in page_of([run])
    assert "label" not in thresher("report", str(folder)).out
