"""Chinese: words cut out of running text, one script, spellings in Latin letters."""

import pytest
from rjieba import has_word

from thresher.text.chinese import initials, pinyin, segment, simplify
from thresher.text.words import words

SENTENCES = ("今天我们讨论{}的问题。", "这篇文章介绍了{}及其历史。", "关于{}，专家认为应该谨慎", "{}")


@pytest.mark.parametrize("word", ["篮球", "泡芙", "酮糖", "茶隼", "通膨", "月鳢"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_word_of_two_characters_survives_in_running_text(word, sentence):
    """泡芙 and those after it are not in the segmenter's dictionary; the pairs of characters keep them."""
    assert word in words(sentence.format(word))


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
