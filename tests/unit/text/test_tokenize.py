"""The one tokeniser: the same words for pages, anchors and URLs, in English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.core.records import Candidate, Fetched, Page, Url
from thresher.parse import parse
from thresher.text.tokenize import fold, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats were running", ["cat", "run"]),
        ("Don't panic: it's the dog's bone", ["panic", "dog", "bone"]),
        ("state-of-the-art", ["state", "art"]),
        ("C++ and C# and F#", ["c++", "c#", "f#"]),
        ("World War 2, 1945", ["world", "war", "1945"]),
        ("call 5551234567 now", ["call"]),
        ("snake_case", ["snake", "case"]),
        ("", []),
        ("!!! --- ???", []),
    ],
)
def test_english_words_are_stemmed_and_stop_words_are_gone(text, expected):
    assert words(text) == expected


def test_full_width_letters_are_plain_letters():
    assert words("ＮＢＡ２０２４") == words("NBA2024")


def test_a_typographic_apostrophe_is_an_apostrophe():
    assert words("the players’ union isn’t") == words("the players' union isn't")


def test_traditional_characters_give_the_words_of_simplified_ones():
    assert words("籃球運動員參加國際比賽") == words("篮球运动员参加国际比赛")


def test_chinese_and_latin_words_that_touch_are_told_apart():
    assert words("学习Python编程") == ["学习", "python", "编程"]


def test_a_page_in_gbk_and_the_same_page_in_utf8_give_the_same_words():
    gbk, utf8 = (
        _parsed("<title>篮球新闻</title><p>NBA球员投进了三分球。", name) for name in ("gbk", "utf-8")
    )
    assert words(f"{gbk.title} {gbk.text}") == words(f"{utf8.title} {utf8.text}")
    assert (gbk.charset, utf8.charset) == ("gb18030", "utf-8")
    assert "篮球" in words(gbk.title)


def _parsed(body: str, charset: str) -> Page:
    url = Url("http://a.cn/")
    headers = (("content-type", f"text/html; charset={charset}"),)
    return parse(Fetched(Candidate(url), url, 200, headers, body.encode(charset)))


def test_accented_words_stay_whole():
    assert words("l'été à Zürich") == ["lété", "zürich"]


def test_an_upper_case_stop_word_is_still_a_stop_word():
    """A topic called IT has no words; topic.make_topic says so."""
    assert words("IT") == []


@given(st.text())
def test_any_text_gives_words_without_stop_words_and_never_fails(text):
    assert all(word and word == word.strip() for word in words(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_way_for_plain_text_finds_what_the_slow_one_does(text):
    plain = text.replace("+", " ").replace("#", " ").replace("'", " ")
    assert tokens(fold(plain)) == tokens(fold(plain + " é"))[:-1]


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_words_of_two_lines_are_those_of_each(left, right):
    assert words(f"{left}\n{right}") == words(left) + words(right)
