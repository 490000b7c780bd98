"""How labels are spelt in URLs: the table, the user's own over it, and what a crawl teaches."""

import pytest

from thresher.core.records import Topic
from thresher.topic.url_spellings import UrlRelevance, spelling_row, tokens_to_review

BASKETBALL = Topic(
    "basketball", spellings=(("sports|sport", "", "tiyu", "ty"), ("basketball", "bb", "lanqiu", "lq"))
)


def test_a_row_has_four_columns():
    labels = [("en", "Video Games"), ("zh", "电子游戏"), ("abbr", "vg")]
    assert spelling_row(labels) == ("videogames", "vg", "dianziyouxi", "")


def test_an_abbreviation_by_first_letters_stands_in_their_column():
    """Table 1 of Chen et al. 2009: ShangHai alone has one."""
    labels = [("en", "Shanghai"), ("zh", "上海"), ("abbr", "sh")]
    assert spelling_row(labels) == ("shanghai", "", "shanghai", "sh")


def test_a_label_of_two_scripts_has_no_pinyin_of_a_part():
    assert spelling_row([("zh", "Java编程")]) == ("", "", "", "")


def test_a_users_row_fills_only_the_columns_it_has():
    own = {"Chess": ("schach", "", "", "")}
    assert spelling_row([("en", "Chess"), ("zh", "国际象棋")], own) == ("schach", "", "guojixiangqi", "")


@pytest.mark.parametrize("token", ["table-tennis", "table_tennis", "table%20tennis", "tabletennis"])
def test_what_joins_words_in_urls_does_not_matter(token):
    topic = Topic("", spellings=(("table tennis", "", "", ""),))
    assert UrlRelevance(topic.spellings)([token]) == 1.0


def test_several_spellings_in_one_column_all_count():
    assert UrlRelevance(BASKETBALL.spellings)(["sport"]) == pytest.approx(1 / 3)


def test_frequent_tokens_that_no_spelling_has_are_listed_for_review():
    """The paper's feedback loop: tokens of a crawl seen at least 500 times."""
    counts = {"lanqiu": 900, "nba": 700, "cba": 650, "news": 499, "2008": 5000, "basketball": 800}
    assert tokens_to_review(counts, BASKETBALL) == [("nba", 700), ("cba", 650)]
    assert tokens_to_review(counts, BASKETBALL, at_least=499)[-1] == ("news", 499)


def test_a_topic_without_spellings_says_nothing_of_a_url():
    assert UrlRelevance(Topic("x").spellings)(["basketball"]) == 0.0
