"""Chinese: words cut out of running text, one script, spellings in Latin letters."""

import pytest
from rjieba import has_word

from thresher.text.chinese import initials, pinyin, segment, simplify
from thresher.text.tokenize import plain_words, word_counts, words

SENTENCES = (
    "今天我们讨论{}的问题。",
    "他说{}很重要",
    "这篇文章介绍了{}及其历史。",
    "关于{}，专家认为应该谨慎",
    "{}",
)


@pytest.mark.parametrize("word", ["篮球", "泡芙", "酮糖", "茶隼", "通膨", "月鳢", "了却", "会堂", "出事"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_word_of_two_characters_survives_in_running_text(word, sentence):
    """泡芙 to 了却 are not in the segmenter's dictionary, and it joins the last two to what stands before."""
    assert word in words(sentence.format(word))


def test_a_long_word_is_found_where_the_text_is_cut_otherwise():
    counts = word_counts("数据库管理系统与大家庭")
    assert counts["数据库"] == counts["管理系统"] == counts["大家庭"] == 1
    assert counts["数据流"] == counts["database"] == 0


def test_a_name_consists_of_words_that_do_not_overlap():
    assert plain_words("机器学习入门") == ["机器", "学习", "入门"]


def test_a_reader_counts_about_as_many_words_as_there_are():
    text = "这篇文章介绍了数据库及其历史，希望大家关注。" * 20
    assert word_counts(text).length() == pytest.approx(len(plain_words(text)), rel=0.25)
    assert word_counts("Plain English words").length() == 3


def test_the_dictionary_does_lack_the_words_the_pairs_are_for():
    assert not has_word("泡芙")


def test_a_particle_swallowed_by_a_guess_is_taken_off():
    assert "通膨" in segment("讨论通膨的问题")


def test_traditional_characters_are_folded_one_by_one():
    assert simplify("臺灣的經濟發展與歷史") == "台湾的经济发展与历史"


def test_simplified_text_is_left_alone():
    assert simplify("著名的干部乾隆了解面条") == "著名的干部乾隆了解面条"


@pytest.mark.parametrize(
    ("text", "full", "first"),
    [
        ("篮球", "lanqiu", "lq"),
        ("上海", "shanghai", "sh"),
        ("银行", "yinhang", "yh"),
        ("行走", "xingzou", "xz"),
        ("音乐", "yinyue", "yy"),
        ("籃球", "lanqiu", "lq"),
        ("NBA", "", ""),
    ],
)
def test_the_reading_of_a_character_depends_on_its_word(text, full, first):
    assert (pinyin(text), initials(text)) == (full, first)
