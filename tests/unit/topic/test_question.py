"""A topic as a question: what is wanted, how else it may be said, by which words it is found."""

import pytest

from thresher.core.records import Topic
from thresher.topic.question import did_you_mean, phrase_of, question_of


def names(text: str) -> list[tuple[str, ...]]:
    facet = question_of(Topic(text, facets=((text,),))).facets[0]
    return [phrase.words for phrase in facet.names]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("regular expressions", [("regular", "express")]),
        ("Politics and economics", [("polit",), ("econom",)]),
        ("C and C++", [("C",), ("c++",)]),
        ("TCP/IP", [("tcp", "ip")]),
        ("政治与经济", [("政治",), ("经济",)]),
        ("和平", [("和平",)]),  # 和 is "and" only where it is a word
    ],
)
def test_what_stands_beside_and_is_either(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("磁盘分区", ("磁盘", "分区")),
        ("人工智能", ("人工", "智能")),
        ("正则表达式", ("正则", "表达式")),
        ("計算機科學", ("计算机", "科学")),
        ("数据库", ("数据库",)),
    ],
)
def test_a_chinese_compound_is_found_by_its_parts(text, parts):
    """Each of these is one word of the dictionary; 磁盘分区 found 0 of 300 pages as one."""
    assert phrase_of(text).words == parts


@pytest.mark.parametrize("text", ["C", "R", "Go", "IT", ".NET", "The Who"])
def test_a_name_without_a_word_that_tells_is_found_letter_by_letter(text):
    phrase = phrase_of(text)
    assert phrase.literal
    assert phrase.text == text


def test_one_letter_is_a_name_however_it_is_typed():
    assert phrase_of("c").text == "C"


@pytest.mark.parametrize("text", ["go", "the of", "", "♥"])
def test_stop_words_and_signs_say_nothing(text):
    assert not phrase_of(text).words


def test_two_words_may_be_spelt_as_one():
    facet = question_of(Topic("time zones", facets=(("time zones",),))).facets[0]
    assert [phrase.text for phrase in facet.spellings] == ["timezones"]


def test_further_words_are_alternatives_and_what_is_wanted_besides_is_a_facet_of_its_own():
    question = question_of(Topic("x", facets=(("regular expressions", "regex"), ("editor", "vim"))))
    assert [[phrase.text for phrase in facet.further] for facet in question.facets] == [["regex"], ["vim"]]


def test_a_topic_of_weighted_words_asks_for_the_heaviest():
    """As the lab and the practice web make them: the labels first, then what is heaviest."""
    words = question_of(Topic("id-1", {"bees": 1.0, "hive": 0.5})).facets[0]
    assert [phrase.text for phrase in words.names] == ["bees"]
    assert [phrase.text for phrase in words.further] == ["hive"]
    labelled = question_of(Topic("id-2", {"Sports": 0.5}, ("Sports", "Golf"), {"en": "Golf", "zh": "高尔夫"}))
    assert [phrase.text for phrase in labelled.facets[0].names] == ["golf", "高尔夫"]
    assert labelled.facets[0].further == ()


def test_words_of_the_name_are_no_words_of_the_description():
    question = question_of(Topic("x", description="Bees and hives", facets=(("bees",),)))
    assert question.description == ("hive",)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("regluar expresions", "regular expressions"),
        ("garbage colection", "garbage collection"),
        ("kubernetes", "kubernetes"),
        ("regular expressions", "regular expressions"),
    ],
)
def test_a_slip_is_questioned(typed, meant):
    assert did_you_mean(typed) == meant
