"""What example pages have in common: sub-domains, a centroid, terms worth adding."""

import pytest

from thresher.topic.suggest import neighbourhood
from thresher.topic.vocabulary import centroid, sub_domains, suggestions

CHESS = [f"The chess player moved the queen and the rook against the king, game {n}." for n in range(6)]
TENNIS = [f"The tennis player served an ace on the court and won the set, match {n}." for n in range(6)]


def test_few_pages_are_one_sub_domain_of_the_words_that_occur_twice():
    """minOccurrence = 2, read as at least two."""
    assert sub_domains(["the cat sat", "the cat ran"]) == (("cat",),)
    assert sub_domains(["the cat sat", "the cat ran"], min_occurrence=1) == (("cat", "ran", "sat"),)


def test_many_pages_are_clustered_into_their_sub_domains():
    vocabularies = sub_domains([*CHESS, *TENNIS])
    assert any("queen" in vocabulary and "ace" not in vocabulary for vocabulary in vocabularies)
    assert any("ace" in vocabulary and "queen" not in vocabulary for vocabulary in vocabularies)


def test_clusters_are_the_same_every_time():
    assert sub_domains([*CHESS, *TENNIS]) == sub_domains([*CHESS, *TENNIS])


def test_no_pages_have_no_sub_domains():
    assert sub_domains([]) == ()


def test_negative_examples_make_weights_negative():
    weights = centroid(["jaguar rainforest deer"], ["jaguar car dealer"])
    assert weights["rainforest"] > 0 > weights["dealer"]
    assert sum(weight * weight for weight in weights.values()) == pytest.approx(1.0, abs=1e-3)


def test_a_word_of_one_page_among_many_is_chance():
    assert "zebra" not in centroid(["cat and dog zebra", "cat and dog", "cat with dog"])


def test_suggestions_are_written_as_on_the_pages_and_leave_out_what_is_known():
    terms = [term for term, _ in suggestions(CHESS, known=["chess"])]
    assert "queen" in terms
    assert "chess" not in terms
    assert suggestions([]) == []


def test_the_neighbourhood_of_a_topic_spans_both_languages():
    near = neighbourhood({"basketball": 1.0})
    assert near["basketbal"] == near["篮球"] == 1.0


def test_the_topic_as_a_whole_decides_between_the_senses_of_a_word():
    """In a topic on language models an agent is no spy."""
    software = {"language model": 1.0, "agent": 1.0, "software": 1.0, "computer": 1.0, "programming": 1.0}
    assert "clandestin" not in neighbourhood(software)
    assert "clandestin" in neighbourhood({"agent": 1.0, "spy": 1.0, "espionage": 1.0})


def test_a_word_below_the_floor_is_near_nothing():
    """The words of news had baize near green tea, and trv and lipman near HTTP."""
    assert not {"baiz", "coffe", "saffron"} & neighbourhood({"green tea": 1.0}).keys()
    assert {"web", "browser", "request"} < neighbourhood({"HTTP": 1.0}).keys()
    assert not {"trv", "nn", "lipman"} & neighbourhood({"HTTP": 1.0}).keys()


def test_words_the_table_lacks_have_no_neighbourhood():
    assert neighbourhood({"xyzzyplugh": 1.0}) == {}
