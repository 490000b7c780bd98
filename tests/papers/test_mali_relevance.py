"""Mali & Meshram 2011, layer 1: the topic vector and the similarity of a page."""

import pytest

from thresher.core.records import Page, Topic, Url
from thresher.judges.baselines import TopicVector

FOOTBALL = Topic("football", keywords={"football": 0.5, "goal": 0.3, "league": 0.2})


def test_sim_of_the_worked_page():
    """(2/6) * 0.5 + (1/6) * 0.3 = 0.2166667."""
    page = "football football goal match team win"
    assert TopicVector(FOOTBALL).similarity(page) == pytest.approx(0.2166666667)


def test_sim_of_a_page_is_that_of_its_title_and_text():
    """Layer 1, step 3: whether a page has phrases of the topic, words of it or neither."""
    topic = Topic("ml", keywords={"machine learning": 1.0, "model": 1.0})
    judge, text = TopicVector(topic), "Models of machine learning, and one machine: learning goes on."
    assert judge.score(Page(Url("http://a/"), "", text)) == pytest.approx(judge.similarity(text))
    assert judge.score(Page(Url("http://a/"), "A model", "of a machine")) == pytest.approx(0.25)
    assert judge.score(Page(Url("http://a/"), "Nothing", "of the kind")) == 0.0
    assert judge.score(Page(Url("http://a/"))) == 0.0


def test_weights_are_brought_to_a_sum_of_one():
    judge = TopicVector(Topic("football", keywords={"football": 5, "goal": 3, "league": 2}))
    assert judge.weights == pytest.approx({"football": 0.5, "goal": 0.3, "league": 0.2})


def test_a_phrase_is_counted_as_a_phrase():
    judge = TopicVector(Topic("x", keywords={"machine learning": 1.0}))
    assert judge.similarity("machine learning helps") == pytest.approx(1 / 3)
    assert judge.similarity("learning about a machine") == 0.0


def test_stop_words_are_not_counted():
    """|UD| is what is left when they are gone."""
    assert TopicVector(FOOTBALL).similarity("the goal of the match") == pytest.approx(0.3 / 2)
