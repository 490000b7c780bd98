"""What the language of queries means, and how words are marked."""

import pytest

from thresher.core.errors import UsageError
from thresher.search.query import index_text, marked, parse, snippet

NOW = 1_800_000_000.0


def test_since_is_the_moment_of_the_fetch():
    query = parse("honey since:2d", NOW)
    assert query.since == NOW - 2 * 86400
    assert parse("since:2026-03-01", NOW).since == 1772323200.0


@pytest.mark.parametrize("text", ["color:red", "since:yesterday", "relevant:maybe", "label:perhaps"])
def test_what_cannot_be_read_as_a_filter_is_searched_as_words_and_said(text):
    query = parse(text, NOW)
    assert len(query.terms) == 2
    assert text in query.remarks[0]


def test_a_query_without_end_is_refused():
    with pytest.raises(UsageError, match="400 are read"):
        parse("a" * 401, NOW)
    with pytest.raises(UsageError, match="16 are read"):
        parse("a " * 17, NOW)


def test_words_are_marked_in_the_text_as_it_was_written():
    terms = parse("queen 產卵", NOW).terms
    assert marked("Two Queens", terms) == ("Two ", "Queens", "")
    assert marked("蜂王产卵了", terms) == ("蜂王", "产卵", "了")


def test_a_snippet_is_cut_where_the_words_stand_closest():
    text = "honey " + "nothing here " * 60 + "honey of the bee " + "nothing more " * 60
    cut = snippet(text, parse("honey bee", NOW).terms)
    assert cut[1::2] == ("honey", "bee")
    assert cut[0].startswith("… ")
    assert cut[-1].endswith(" …")


def test_chinese_is_indexed_by_pairs_and_the_last_character():
    assert index_text("蜂王好 Bees’ hives") == "蜂王 王好 好 bee hive"
