"""Fish-Search and Shark-Search, worked by hand from the formulas in the heads of their files."""

import pytest

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.classic import FishSearch, SharkSearch, SharkSimple

TOPIC = Topic("bees", {"bee": 1.0})
JUDGE = Cosine(TOPIC)
PAGE = Url("http://a.test/")
fish = FishSearch(judge=JUDGE, topic=TOPIC)
shark = SharkSearch(judge=JUDGE, topic=TOPIC)
simple = SharkSimple(judge=JUDGE, topic=TOPIC)


def visit(
    relevance: float, links: int = 20, life: int = 3, inherited: float = 0.0, anchor: str = "x"
) -> Visit:
    made = tuple(Link(PAGE, Url(f"http://a.test/{n}"), anchor, f"{anchor} around") for n in range(links))
    candidate = Candidate(PAGE, hops_left=life, inherited=inherited)
    return Visit(candidate, Outcome.FETCHED, 0.0, Page(PAGE, links=made), relevance)


def learned(strategy, *arguments, **named):
    return list(strategy.on_visit(visit(*arguments, **named), Database()))


def test_a_relevant_page_breeds_one_and_a_half_times_the_width():
    """w = 10, alpha = 1.5: the first 15 links score 1, the rest 0."""
    assert [offer.priority for offer in learned(fish, 0.4)] == [1.0] * 15 + [0.0] * 5


def test_an_irrelevant_page_breeds_the_width_at_half_the_score():
    assert [offer.priority for offer in learned(fish, 0.0)] == [0.5] * 10 + [0.0] * 10


def test_food_restores_the_life_of_fish_and_hunger_takes_one():
    assert {offer.hops_left for offer in learned(fish, 0.4, life=1)} == {3}
    assert {offer.hops_left for offer in learned(fish, 0.0, life=2)} == {1}


@pytest.mark.parametrize("strategy", [fish, shark])
def test_a_page_without_life_is_not_expanded_even_if_it_is_relevant(strategy):
    assert learned(strategy, 0.4, life=0) == []


@pytest.mark.parametrize("strategy", [fish, shark, simple])
def test_seeds_start_with_a_full_life(strategy):
    assert [seed.hops_left for seed in strategy.start([PAGE])] == [3]


def test_a_school_survives_three_irrelevant_pages_and_not_a_fourth():
    life, expanded = 3, 0
    while offers := learned(fish, 0.0, life=life):
        life, expanded = offers[0].hops_left, expanded + 1
    assert expanded == 3


def test_a_second_mention_keeps_the_higher_score_and_the_longer_life():
    """Both papers; here it is the frontier's rule for every strategy."""
    frontier, url = Workbench(delay=0.0), Url("http://b.test/")
    frontier.offer([Candidate(url, 1.0, hops_left=1), Candidate(url, 0.5, hops_left=3)])
    taken = frontier.take(0.0)
    assert taken is not None and (taken.priority, taken.hops_left) == (1.0, 3)


def test_two_links_to_one_page_take_one_place_in_the_width():
    links = tuple(Link(PAGE, Url(f"http://a.test/{n // 2}"), str(n)) for n in range(40))
    twice = Visit(Candidate(PAGE, hops_left=3), Outcome.FETCHED, 0.0, Page(PAGE, links=links))
    assert [offer.priority for offer in fish.on_visit(twice, Database())] == [0.5] * 20 + [0.0] * 20


@pytest.mark.parametrize(
    ("similarity", "handed_down", "anchor", "context", "potential"),
    [
        (0.6, 0.3, 0.5, 0.1, 0.54),
        (0.6, 0.3, 0.0, 0.1, 0.076),
        (0.0, 0.3, 0.0, 0.1, 0.046),
        (0.0, 0.3, 0.0, 0.0, 0.03),
    ],
)
def test_the_potential_of_a_link(similarity, handed_down, anchor, context, potential):
    """delta = 0.5, beta = 0.8, gamma = 0.2; an anchor that fits makes its context count as 1."""
    inherited = shark.inherited(similarity, handed_down)
    assert shark.potential(inherited, anchor, context) == pytest.approx(potential)


def test_shark_prices_a_link_by_the_judge_and_hands_its_worth_down():
    """anchor 'bee' fits wholly: 0.2 * (0.5 * 0.6) + 0.8 * (0.8 * 1 + 0.2 * 1) = 0.86."""
    (offer,) = learned(shark, 0.6, links=1, anchor="bee")
    assert (offer.priority, offer.inherited, offer.hops_left) == (pytest.approx(0.86), pytest.approx(0.3), 3)


def test_the_worth_of_an_ancestor_fades_by_half_with_every_page_that_has_none():
    (offer,) = learned(shark, 0.0, links=1, inherited=0.3)
    assert (offer.inherited, offer.hops_left) == (pytest.approx(0.15), 2)


def test_the_simple_shark_weighs_the_page_one_to_four():
    """Chen et al. 2009, section 5.2.1: RS = 0.2 R_PC + 0.8 R_AT."""
    assert simple.priority(0.6, 0.5) == pytest.approx(0.52)


def test_the_simple_shark_turns_to_the_context_only_when_the_anchor_says_nothing():
    link = Link(PAGE, Url("http://b.test/"), "more", "bee")
    page = Page(PAGE, links=(link,))
    (offer,) = simple.on_visit(Visit(Candidate(PAGE, hops_left=3), Outcome.FETCHED, 0.0, page), Database())
    assert offer.priority == pytest.approx(0.8)


def test_the_simple_shark_does_not_follow_a_link_that_has_no_life_left():
    assert learned(simple, 0.0, life=1) == []
    assert learned(simple, 0.5, life=1)[0].hops_left == 3


def test_shark_tells_what_a_price_was_made_of():
    """The terms are worked out again from the candidate: 0.2 x 0.3 + 0.8 x (0.8 x 1 + 0.2 x 1) = 0.86."""
    (offer,) = learned(shark, 0.6, links=1, anchor="bee")
    assert shark.explain(offer, Database()) == [
        "potential 0.860 = 0.2 x inherited 0.300 + 0.8 x (0.8 x anchor 1.000 + 0.2 x context 1.000)"
    ]


def test_the_simple_shark_tells_its_two_terms():
    memory, seen = Database(), visit(0.5, links=1, anchor="bee")
    memory.add(seen)
    (offer,) = simple.on_visit(seen, memory)
    assert simple.explain(offer, memory) == ["RS 0.900 = 0.2 x R_PC 0.500 + 0.8 x R_AT 1.000"]
