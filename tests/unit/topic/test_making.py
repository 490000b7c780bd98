"""From what the user gave to a topic, in any mix: words, a node, a concept, example pages."""

import pytest

from thresher.core.errors import AmbiguousTopic, SettingsError
from thresher.core.records import Topic
from thresher.knowledge.index import shipped_knowledge
from thresher.topic.build import NAMELESS, TopicRequest, make_topic, terms, word_weights

QUBITS = {"a.html": "Qubits and gates: a quantum computer with qubits.", "b.html": "Qubits lose coherence."}


@pytest.fixture
def lexicon():
    with shipped_knowledge() as index:
        yield index


@pytest.mark.parametrize("name", ["basketball", "Go", "Birds", "Media", "篮球"])
def test_a_name_is_never_silently_taken_for_a_node(lexicon, name):
    """Go became a board game, Birds pets, Media news."""
    topic = make_topic(TopicRequest(name), lexicon)
    assert topic.path == ()
    assert topic.keywords == {name: 1.0}
    assert topic.facets == ((name,),)


def test_a_node_adds_its_names_and_leaves_the_question_as_it_is(lexicon):
    topic = make_topic(TopicRequest("hoops", node="篮球"), lexicon)
    assert topic.facets == (("hoops", "Basketball", "篮球"),)


@pytest.mark.parametrize("node", ["basketball", "篮球", "籃球", "Basketball"])
def test_a_node_gets_its_path_and_both_languages(lexicon, node):
    topic = make_topic(TopicRequest("x", node=node), lexicon)
    assert topic.path == ("Sports", "Basketball")
    assert topic.labels == {"en": "Basketball", "zh": "篮球"}
    assert topic.keywords == pytest.approx(
        {"Basketball": 1 / 3, "篮球": 1 / 3, "Sports": 1 / 6, "体育": 1 / 6}
    )


def test_path_labels_weigh_by_their_depth(lexicon):
    """Chen et al. 2009: w_i = i/D; here as shares of the sum."""
    topic = make_topic(TopicRequest("x", node="Sports/Basketball/NBA"), lexicon)
    assert topic.keywords["NBA"] / topic.keywords["Sports"] == pytest.approx(3.0)


def test_weights_sum_to_one(lexicon):
    """Mali & Meshram 2011; whatever the user wrote."""
    topic = make_topic(TopicRequest("ping pong", {"table tennis": 4, "paddle": 2}), lexicon)
    assert topic.keywords == pytest.approx({"ping pong": 0.4, "table tennis": 0.4, "paddle": 0.2})


def test_given_keywords_are_not_mixed_with_a_node_that_only_shares_the_name(lexicon):
    topic = make_topic(TopicRequest("python", {"snake": 1.0, "reptile": 1.0}), lexicon)
    assert set(topic.keywords) == {"python", "snake", "reptile"}
    assert topic.path == ()


def test_a_node_and_keywords_mix_when_both_are_asked_for(lexicon):
    topic = make_topic(TopicRequest("x", {"slam dunk": 1.0}, node="篮球"), lexicon)
    assert {"slam dunk", "Basketball", "篮球"} <= set(topic.keywords)


def test_a_node_of_a_chinese_path_is_found(lexicon):
    assert make_topic(TopicRequest("x", node="体育/篮球"), lexicon).path == ("Sports", "Basketball")


def test_a_node_that_does_not_exist_is_refused_with_the_nearest_in_both_languages(lexicon):
    with pytest.raises(SettingsError, match=r"Nothing here is called 'basketbal'.*Basketball / 篮球"):
        make_topic(TopicRequest("x", node="basketbal"), lexicon)


def test_a_label_of_several_nodes_is_refused_with_their_paths(lexicon):
    with pytest.raises(AmbiguousTopic, match="write the path of one"):
        make_topic(TopicRequest("x", node="Crafts"), lexicon)


def test_a_query_takes_exactly_one_concept_and_its_lexicon(lexicon):
    topic = make_topic(TopicRequest("x", query="苹果", context="新款手机和电脑发布"), lexicon)
    assert topic.concept == "ext:apple_inc"
    assert {"Apple", "苹果公司"} <= set(topic.lexicon)
    assert topic.spellings == (("apple|appleinc|applecomputer", "", "pingguo|pingguogongsi", ""),)


def test_examples_keep_the_name(lexicon):
    topic = make_topic(TopicRequest("quantum computing", examples=QUBITS), lexicon)
    assert topic.keywords == {"quantum computing": 1.0}
    assert topic.facets == (("quantum computing",),)


def test_examples_give_keywords_vocabularies_and_a_centroid(lexicon):
    topic = make_topic(TopicRequest(NAMELESS, examples=QUBITS), lexicon)
    assert max(topic.keywords, key=lambda word: topic.keywords[word]) == "qubits"
    assert topic.examples == ("a.html", "b.html")
    assert topic.vocabularies == (("qubit",),)
    assert topic.centroid["qubit"] == max(topic.centroid.values())


def test_the_url_spellings_of_a_users_table_stand_before_ours(lexicon):
    own = {"Basketball": ("bball", "bb", "", "")}
    topic = make_topic(TopicRequest("basketball", node="basketball", spellings=own), lexicon)
    assert topic.spellings[1] == ("bball", "bb", "lanqiu", "")


def test_a_query_is_a_name_of_the_concept_it_names(lexicon):
    """Through a dictionary a word may name what the ontology calls otherwise."""
    topic = make_topic(TopicRequest("x", query="脸书", context="社交网络"), lexicon)
    assert topic.concept == "ext:meta"
    assert topic.labels["zh"] == "脸书"
    assert topic.keywords["脸书"] == topic.keywords["Facebook"]


def test_words_of_a_description_are_stemmed_once():
    """Stemmed again, basketbal would become basketb, which no page has."""
    found = word_weights(terms(Topic("x", description="Basketball courses, a course")))
    assert found == {"basketbal": 0.5, "cours": 0.5}
