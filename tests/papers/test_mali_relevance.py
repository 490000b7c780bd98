"""Mali & Meshram 2011, layer 1: the topic vector and the similarity of a page."""

import pytest

from thresher.core.records import Topic
from thresher.relevance.topic_vector import TopicVector

FOOTBALL = Topic("football", keywords={"football": 0.5, "goal": 0.3, "league": 0.2})


def test_sim_of_the_worked_page():
    """(2/6) * 0.5 + (1/6) * 0.3 = 0.2166667."""
    page = "football football goal match team win"
    assert TopicVector(FOOTBALL).similarity(page) == pytest.approx(0.2166666667)


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
