"""Stems are for machines: people read words."""

import pytest

from thresher.text.tokenize import plain_words, readable, typed_forms
from thresher.text.vectors import shipped_vectors


@pytest.mark.parametrize("word", ["basketball", "football", "varsity", "colony"])
def test_a_stem_is_read_as_its_usual_word(word):
    stem = plain_words(word)[0]
    assert stem != word
    assert readable(stem) == word


def test_what_was_typed_is_shown_as_it_was_typed():
    typed = typed_forms(["beekeeping", "winter colonies", "蜂王"])
    assert readable("beekeep", typed) == "beekeeping"
    assert readable("coloni", typed) == "colonies"


@pytest.mark.parametrize("name", ["honey", "in its URL", "蜂王", ""])
def test_what_is_no_stem_stays_as_it_is(name):
    assert readable(name) == name


def test_every_word_of_the_table_has_the_stem_it_stands_for():
    vectors = shipped_vectors()
    wrong = [stem for stem in vectors.words[: vectors.english] if plain_words(readable(stem)) != [stem]]
    assert len(wrong) < 0.01 * vectors.english, wrong[:10]
