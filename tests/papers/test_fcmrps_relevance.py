"""Chen et al. 2009: path weights, the cosine with the topic vector, and the relevance of URLs."""

from typing import Literal

import pytest

from thresher.core.records import Page, Topic, Url
from thresher.core.url import blocks
from thresher.judges.baselines import Cosine
from thresher.knowledge.index import shipped_knowledge
from thresher.topic.build import TopicRequest, make_topic, path_weights
from thresher.topic.url_spellings import UrlRelevance, spelling_row

SPORTS, BASKETBALL, NBA = ("sports", "", "tiyu", ""), ("basketball", "", "lanqiu", ""), ("nba", "", "", "")
SHANGHAI, SOFTWARE = ("shanghai", "", "shanghai", "sh"), ("software", "soft", "ruanjian", "")


def r_url(url: str, *rows: tuple[str, ...], rule: Literal["strict", "substring"] = "substring") -> float:
    found = UrlRelevance(rows, rule)(blocks(Url(url)))
    assert UrlRelevance(rows, rule).of(url, blocks) == found  # the shorter way leads to the same place
    return found


def test_labels_weigh_by_their_depth():
    """w_i = i/D; the root 'Top' does not count, so NBA has D = 3."""
    assert path_weights(["Sports", "Basketball", "NBA"]) == pytest.approx(
        {"Sports": 1 / 3, "Basketball": 2 / 3, "NBA": 1.0}
    )


def test_cosine_of_the_worked_page():
    """Page {nba 2, sports 1, ticket 2} against the topic vector of NBA."""
    judge = Cosine(Topic("NBA", path=("Sports", "Basketball", "NBA")))
    page = Page(Url("http://a.com/"), text="NBA NBA sports ticket tickets")
    assert judge.score(page) == pytest.approx(0.6236095644623237)


def test_equal_cosines_are_equal():
    """'sports basketball' and 'nba tree' both have 1 / (sqrt(2) x 1.2472) with v_t(NBA), however rounded."""
    judge = Cosine(Topic("NBA", path=("Sports", "Basketball", "NBA")))
    assert judge.similarity("sports basketball") == judge.similarity("nba tree")


@pytest.mark.parametrize(
    ("url", "rows", "relevance"),
    [
        ("http://sports.sohu.com/lanqiu.shtml", (SPORTS, BASKETBALL), 1.0),
        ("http://www.dzwww.com/tiyu", (SPORTS, BASKETBALL), 1 / 3),
        ("http://sports.sohu.com/2008/20080229.htm", (SPORTS, BASKETBALL, NBA), 1 / 6),
        ("http://cn.sports.yahoo.com/basketball", (SPORTS, BASKETBALL), 1.0),
        ("http://cn.sports.yahoo.com/basketball", (SPORTS, BASKETBALL, NBA), 1 / 2),
        ("http://www.sh.xinhuanet.com/", (SHANGHAI,), 0.2),
        ("http://shop.example.com/", (SHANGHAI,), 0.2),
        ("http://soft.example.com/x", (SOFTWARE,), 0.5),
        ("http://auto.sohu.com/20080305/n255526265.shtml", (SPORTS, BASKETBALL, NBA), 0.0),
    ],
)
def test_url_relevance_as_printed(url, rows, relevance):
    """Section 3.5, substring rule."""
    assert r_url(url, *rows) == pytest.approx(relevance)


def test_the_strict_rule_does_not_find_sh_in_shop():
    """The paper's own false hit; a short spelling must be a whole token."""
    assert r_url("http://shop.example.com/", SHANGHAI, rule="strict") == 0.0
    assert r_url("http://www.sh.xinhuanet.com/", SHANGHAI, rule="strict") == pytest.approx(0.2)
    lanqiu = "http://sports.sohu.com/lanqiu.shtml"
    assert r_url(lanqiu, SPORTS, BASKETBALL, rule="strict") == pytest.approx(1.0)


def test_strict_is_the_default():
    assert UrlRelevance((SHANGHAI,))(["shop"]) == 0.0


def test_a_label_that_is_in_no_table_is_spelt_by_itself_and_its_pinyin():
    """The paper's {label, NULL, full pinyin, NULL}."""
    assert spelling_row([("en", "Chess"), ("zh", "国际象棋")]) == ("chess", "", "guojixiangqi", "")


def rows_of(label: str) -> tuple[tuple[str, ...], ...]:
    with shipped_knowledge() as lexicon:
        return make_topic(TopicRequest(label, node=label), lexicon).spellings


def test_the_shipped_taxonomy_makes_up_no_initials():
    """Section 3.5 writes NULL for Sports and Basketball; 'ty' is in type, style and party."""
    assert r_url("http://www.type.com/", *rows_of("Basketball")) == 0.0
    assert r_url("http://www.party.example.com/lqx/", *rows_of("Basketball")) == 0.0
    assert r_url("http://sports.sohu.com/lanqiu.shtml", *rows_of("Basketball")) == pytest.approx(1.0)


def test_the_row_of_shanghai_is_that_of_table_1():
    assert rows_of("Shanghai")[-1] == ("shanghai", "", "shanghai", "sh")


def test_first_letters_of_pinyin_weigh_as_first_letters():
    """Health's 'jk' (jian kang) is no abbreviation of the English label: alpha_4 = 0.2."""
    assert r_url("http://jk.example.com/", *rows_of("Health")) == pytest.approx(0.2)
