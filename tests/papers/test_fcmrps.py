"""Chen et al. 2009, FCMRPS: R_AT, R_LT and RS worked by hand, and the rule of depth."""

import pytest

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.url import LinkType, blocks
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.fcmrps import GAMMA, Fcmrps, r_lt
from thresher.topic.url_spellings import spelling_row

SPORTS = spelling_row([("en", "Sports"), ("zh", "体育")])
BASKETBALL = spelling_row([("en", "Basketball"), ("zh", "篮球")])
TOPIC = Topic(
    "Basketball",
    {"Sports": 0.5, "Basketball": 1.0, "体育": 0.5, "篮球": 1.0},
    path=("Sports", "Basketball"),
    spellings=(SPORTS, BASKETBALL),
)
HERE = Url("http://sports.sohu.com/x/y/p.html")


def fcmrps(**parameters) -> Fcmrps:
    return Fcmrps(judge=Cosine(TOPIC), topic=TOPIC, **parameters)


def link(target: str, anchor: str = "", context: str = "") -> Link:
    return Link(HERE, Url(target), anchor, context)


def visit(relevance: float, *links: Link, life: int = 3) -> Visit:
    page = Page(HERE, links=links)
    return Visit(Candidate(HERE, hops_left=life), Outcome.FETCHED, 0.0, page, relevance)


@pytest.mark.parametrize(
    ("direction", "gammas"),
    [
        (LinkType.DOWNWARD, (0.4, 0.2)),
        (LinkType.SIBLING, (0.2, 0.1)),
        (LinkType.CROSSWISE, (0.1, 0.1)),
        (LinkType.OUTWARD, (0.2, 0.01)),
        (LinkType.UPWARD, (0.2, 0.0)),
    ],
)
def test_the_gammas_as_printed(direction, gammas):
    """Section 5.2.3."""
    assert GAMMA[direction] == gammas


def test_a_url_is_cut_at_slashes_and_full_stops_and_stop_tokens_are_dropped():
    """Section 3.5: tokens {sports, sohu}, {lanqiu}."""
    assert blocks(Url("http://sports.sohu.com/lanqiu.shtml")) == ("sports", "sohu", "lanqiu")


def test_the_direction_counts_by_what_page_and_anchor_say():
    """Eq. (7): gamma_1 if both speak, gamma_2 if the anchor is silent, 0 if both are."""
    assert r_lt(LinkType.DOWNWARD, 0.5, 0.3) == 0.4
    assert r_lt(LinkType.DOWNWARD, 0.0, 0.3) == 0.2
    assert r_lt(LinkType.DOWNWARD, 0.0, 0.0) == 0.0


def test_an_anchor_that_speaks_on_a_silent_page_has_gamma_1():
    """Eq. (7) leaves this case open; it needs words that are not part of the page's text."""
    assert r_lt(LinkType.OUTWARD, 0.5, 0.0) == 0.2


def test_a_sibling_of_a_page_that_only_lists_has_no_link_type():
    """Section 3.6: "if page_current is a content page and the urltype is sibling"."""
    sibling, child = (
        link("http://sports.sohu.com/x/y/q.html", "basketball"),
        link("http://a.com/", "basketball"),
    )
    story, menu = "A long report of last night's match in the capital", "basketball"
    told = [Page(HERE, text=text, links=(sibling, child)) for text in (story, menu)]
    r_lts = [
        [
            offer.priority
            for offer in fcmrps(page_weight=0.0, anchor_weight=0.0, url_weight=0.0).on_visit(seen, Database())
        ]
        for seen in (Visit(Candidate(HERE, hops_left=3), Outcome.FETCHED, 0.0, page, 0.6) for page in told)
    ]
    assert r_lts == [[0.2, 0.2], [0.0, 0.2]]


def test_the_anchor_speaks_first_and_the_context_for_it():
    """Eq. (4)."""
    strategy = fcmrps()
    assert strategy.r_at(link("http://a.com/", "basketball")) == pytest.approx(
        Cosine(TOPIC).similarity("basketball")
    )
    assert strategy.r_at(link("http://a.com/", "more", "sports")) == Cosine(TOPIC).similarity("sports") > 0
    assert strategy.r_at(link("http://a.com/", "more", "of this")) == 0.0


def test_rs_is_the_mean_of_the_four_predictions():
    """Eq. (8) with w = 1/4: R_PC .6, R_AT 1/sqrt(2.5) (one word of four), R_url 1, R_LT .2 (outward)."""
    r_at = 1.0 / 2.5**0.5
    worked = 0.25 * (0.6 + r_at + 1.0 + 0.2)
    child = Link(Url("http://a.com/"), Url("http://sports.sohu.com/lanqiu.shtml"), "basketball")
    assert fcmrps().rs(child, 0.6) == pytest.approx(worked)


@pytest.mark.parametrize(
    ("name", "off", "expected"),
    [
        ("FCMRPS1", ("anchor", "url", "type"), 0.6),
        ("FCMRPS2", ("page", "url", "type"), 1.0 / 2.5**0.5),
        ("FCMRPS3", ("page", "anchor", "type"), 1.0),
        ("FCMRPS13", ("anchor", "type"), (0.6 + 1.0) / 2),
        ("FCMRPS124", ("url",), (0.6 + 1.0 / 2.5**0.5 + 0.2) / 3),
    ],
)
def test_the_variants_leave_predictions_out(name, off, expected):
    """Sections 5.3.2 and 5.3.3: the weights that are left share the whole."""
    strategy = fcmrps(**{f"{part}_weight": 0.0 for part in off})
    child = Link(Url("http://a.com/"), Url("http://sports.sohu.com/lanqiu.shtml"), "篮球")
    assert strategy.rs(child, 0.6) == pytest.approx(expected)


def test_a_link_lives_three_hops_after_a_relevant_page_and_one_less_after_another():
    """Section 4: depth D = 3, delta = 0.1 (section 5.2.3)."""
    child = link("http://sports.sohu.com/x/")
    (fed,) = fcmrps().on_visit(visit(0.11, child, life=1), Database())
    (hungry,) = fcmrps().on_visit(visit(0.1, child, life=3), Database())
    assert (fed.hops_left, hungry.hops_left) == (3, 2)
    assert fcmrps().on_visit(visit(0.1, child, life=1), Database()) == []


def test_the_sound_form_keeps_what_has_no_life_behind_all_others():
    child = link("http://sports.sohu.com/x/")
    (last,) = fcmrps(sound=True).on_visit(visit(0.0, child, life=1), Database())
    assert last.hops_left == 0
    assert last.priority == pytest.approx(0.25 / 3 - 1.0)


def test_the_sound_form_does_not_take_a_shop_for_shanghai():
    """Section 3.5: the paper's own false hit."""
    topic = Topic("Shanghai", path=("Shanghai",), spellings=(spelling_row([("zh", "上海"), ("abbr", "sh")]),))
    shop = Link(HERE, Url("http://shop.example.com/"))
    faithful, sound = (
        Fcmrps(0.0, 0.0, 1.0, 0.0, judge=Cosine(topic), topic=topic, sound=sound) for sound in (False, True)
    )
    assert faithful.rs(shop, 0.0) == pytest.approx(0.2)
    assert sound.rs(shop, 0.0) == 0.0


def test_a_topic_without_a_path_is_spelt_as_it_is_called():
    strategy = Fcmrps(judge=Cosine(TOPIC), topic=Topic("Basketball", {"basketball": 1.0}))
    assert strategy.r_url(["sports", "basketball"]) == pytest.approx(1.0)


def test_why_shows_the_terms():
    store = Database()
    parent = visit(0.6, child := link("http://a.com/nba.html", "basketball"))
    store.add(parent)
    (offer,) = fcmrps().on_visit(parent, store)
    assert fcmrps().explain(offer, store) == [
        "RS 0.358 = 0.25 x R_PC 0.600 + 0.25 x R_AT 0.632 + 0.25 x R_url 0.000 + 0.25 x R_LT 0.200",
        "the link leads outward",
    ]
    assert offer.via == child


def test_a_topic_without_a_path_is_told_so():
    assert "no path" in Fcmrps(judge=Cosine(TOPIC), topic=Topic("Basketball")).missing()
    assert fcmrps().missing() == ""
