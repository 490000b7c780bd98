"""Beside the count of a paper's judge stands that of the default judge, with the setting that helps."""

import pytest

from tests.unit.judges.test_boilerplate import TOPIC, portal
from thresher.build.reading import make_judge
from thresher.build.second_count import outside_main_text, second_count
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Visit
from thresher.export.wording import by_default_judge
from thresher.settings.components import JudgeSettings
from thresher.settings.model import Settings
from thresher.store.database import Database


@pytest.fixture(scope="module")
def counted():
    """A portal of 200 pages with the topic's word in its menu, 25 about the topic, as tfidf judges them."""
    settings, store = JudgeSettings("tfidf"), Database()
    judge = make_judge(Settings(judge=settings), TOPIC)
    for page in portal(200):
        store.add(Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page, judge.score(page)))
    return second_count(store, judge, TOPIC, settings)


def test_the_count_of_the_default_judge_stands_beside_that_of_a_paper(counted):
    assert (counted.pages, counted.relevant) == (100, 11)  # 25 of all 200 are about the topic
    assert (
        by_default_judge(counted)[0] == "Of 100 pages looked at, the judge question would call 11 relevant."
    )


def test_a_word_in_a_menu_is_told_with_the_setting_that_helps(counted):
    menu, _ = counted.sentences
    assert menu == (
        "'beekeeping' stands outside the main text alone on 89 of 100 pages, in a menu, as it seems. "
        "The judge tfidf counts words wherever they stand and calls 100 relevant; by main text alone it "
        "would be 11. Set judge.skip_boilerplate=true, or sort by relevance."
    )


def test_a_judge_that_nearly_all_pages_pass_says_why(counted):
    _, passed = counted.sentences
    assert passed.startswith("200 of 200 pages pass: the judge tfidf asks for 0.035")
    assert passed.endswith("Raise judge.threshold, or set judge.name=question.")


def test_the_default_judge_says_that_such_lines_do_not_count():
    settings = JudgeSettings("question")
    judge = make_judge(Settings(judge=settings), TOPIC)
    told = outside_main_text(portal(120), judge, TOPIC, settings)
    assert told.endswith("Lines that a host repeats do not count for the judge question.")
    assert outside_main_text(portal(99), judge, TOPIC, settings) == ""
    assert outside_main_text(portal(120, every=1), judge, TOPIC, settings) == ""


def test_a_sample_of_pages_is_the_same_every_time_and_never_more_than_there_are():
    store = Database()
    for page in portal(50):
        store.add(Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page, 0.0))
    every = [visit.candidate.url for visit in store.pages()]
    chosen = [page.url for page in store.page_sample(10)]
    assert len(chosen) == 10
    assert chosen == [url for url in every if url in set(chosen)]
    assert [page.url for page in store.page_sample(80)] == every
