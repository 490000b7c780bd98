"""What every judge promises, and what each of them is good at."""

import pytest

from thresher.core.errors import UnknownName
from thresher.core.records import Page, Topic, Url
from thresher.judges import JUDGES, make_judge
from thresher.judges.baselines import Cosine
from thresher.judges.question.judge import QuestionJudge
from thresher.topic.vocabulary import centroid, sub_domains

EXAMPLES = ["The basketball team won; the coach praised the players.", "A basketball game of the NBA."]
BASKETBALL = Topic(
    "basketball",
    keywords={"basketball": 1.0, "slam dunk": 0.5},
    path=("Sports", "Basketball"),
    vocabularies=sub_domains(EXAMPLES),
    centroid=centroid(EXAMPLES),
)
GAME = "The basketball players of both teams met for a game; a slam dunk decided the basketball match."
RECIPE = "Stir the flour into the milk, add two eggs and bake the cake for an hour."


def page(text: str, title: str = "") -> Page:
    return Page(Url("http://a.com/"), title, text)


@pytest.fixture(params=sorted(JUDGES))
def name(request):
    return request.param


@pytest.fixture
def judge(name):
    return make_judge(BASKETBALL, name)


def test_a_page_on_the_topic_is_relevant_and_another_is_not(judge):
    assert judge.score(page(GAME)) >= judge.threshold > judge.score(page(RECIPE))


@pytest.mark.parametrize("text", ["", "the of and", "\x00\x01", "basketball " * 5000, "篮球", "٣ ½ ﷺ"])
def test_scores_lie_between_0_and_1(judge, text):
    assert 0.0 <= judge.score(page(text)) <= 1.0
    assert 0.0 <= judge.similarity(text) <= 1.0


def test_a_short_text_is_judged_too(judge):
    assert judge.similarity("basketball scores") > judge.similarity("cake recipes")


def test_a_page_is_explained_by_its_words_the_strongest_first(judge):
    reasons = judge.explain(page(GAME))
    assert any(reason.term.lower().startswith("basketbal") for reason in reasons)
    weights = [reason.weight for reason in reasons]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(judge.score(page(GAME)))
    assert judge.explain(page("")) == []


def test_the_title_counts(judge):
    assert judge.score(page("Read the report.", "Basketball")) > judge.score(page("Read the report."))


def test_the_same_topic_and_page_give_the_same_score(judge, name):
    assert make_judge(BASKETBALL, name).score(page(GAME)) == judge.score(page(GAME))


def test_a_threshold_of_your_own_replaces_the_judges(name):
    assert make_judge(BASKETBALL, name, 0.25).threshold == 0.25


def test_an_unknown_judge_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="Did you mean 'cosine'"):
        make_judge(BASKETBALL, "cosin")


def test_a_topic_ranks_its_pages_in_the_other_language_above_others():
    chinese, cake = "篮球比赛中球员投篮得分，教练指挥球队。", "加入面粉和鸡蛋，烤一小时。"
    english = QuestionJudge(Topic("basketball", {"basketball": 1.0}))
    assert english.score(page(chinese)) > 3 * english.score(page(cake))
    from_chinese = QuestionJudge(Topic("篮球", {"篮球": 1.0}))
    assert from_chinese.score(page(GAME)) > 3 * from_chinese.score(page(RECIPE))


def test_a_chinese_word_is_found_at_the_end_of_a_compound():
    """篮球比赛 is one word of the segmenter's dictionary."""
    assert QuestionJudge(Topic("篮球", {"篮球": 1.0})).similarity("篮球比赛") >= 0.5


def test_counting_words_alone_does_not_cross_languages():
    assert Cosine(Topic("basketball", {"basketball": 1.0})).similarity("篮球比赛") == 0.0


def test_examples_move_the_default_judge():
    """Pages like the examples gain, whatever the keyword."""
    topic = Topic("news", {"news": 1.0}, centroid=centroid(EXAMPLES))
    without = Topic("news", {"news": 1.0})
    assert QuestionJudge(topic).score(page(GAME)) > QuestionJudge(without).score(page(GAME))


def test_negative_examples_take_away():
    good, bad = "Jaguars hunt deer in the rainforest at night.", "The jaguar dealer sells a new car engine."
    judge = QuestionJudge(Topic("jaguar", {"jaguar": 1.0}, centroid=centroid([good], [bad])))
    assert judge.score(page("jaguar rainforest")) > judge.score(page("jaguar car engine"))
