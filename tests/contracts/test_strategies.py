"""What every strategy must do: return candidates, touch nothing, and never surprise."""

import copy
from dataclasses import fields, is_dataclass

import pytest

from tests.contracts.forms import FORMS
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.judges.baselines import Cosine
from thresher.store.database import Database

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})
SEEDS = [Url("http://a.test/"), Url("http://b.test/")]


@pytest.fixture(params=list(FORMS))
def strategy(request: pytest.FixtureRequest) -> Strategy:
    kind, parameters = FORMS[request.param]
    return kind(judge=Cosine(TOPIC), topic=TOPIC, **parameters)


def visits(count: int = 30) -> list[Visit]:
    """A small crawl: page i links to pages 2i+1 and 2i+2 with anchors on and off topic."""
    made = []
    for number in range(count):
        url = Url(f"http://h{number % 5}.test/{number}")
        links = tuple(
            Link(
                url,
                Url(f"http://h{child % 5}.test/{child}"),
                anchor="honey bee" if child % 3 == 0 else "other",
            )
            for child in (2 * number + 1, 2 * number + 2)
        )
        page = Page(url, text="bee honey" if number % 3 == 0 else "nothing", links=links)
        relevance = 0.9 if number % 3 == 0 else 0.0
        made.append(Visit(Candidate(url, 0.5, hops_left=2), Outcome.FETCHED, float(number), page, relevance))
    return made


def offers(strategy: Strategy) -> list[list[Candidate]]:
    memory = Database()
    told = [list(strategy.start(SEEDS))]
    for visit in visits():
        memory.add(visit)
        told.append(list(strategy.on_visit(visit, memory)))
    told.append(list(strategy.on_empty(memory)))
    return told


def test_a_strategy_is_a_dataclass_whose_parameters_have_defaults(strategy: Strategy) -> None:
    assert is_dataclass(strategy)
    given = {"judge", "topic"}
    for field in fields(strategy):
        assert field.name in given or field.default is not field.default_factory


def test_every_seed_is_offered(strategy: Strategy) -> None:
    assert [candidate.url for candidate in strategy.start(SEEDS)] == SEEDS


def test_the_same_visits_give_the_same_offers(strategy: Strategy) -> None:
    assert offers(copy.deepcopy(strategy)) == offers(strategy)


def test_every_offer_says_which_link_led_to_it(strategy: Strategy) -> None:
    told = [candidate for answer in offers(strategy)[1:] for candidate in answer]
    assert told, "thirty visits and no idea"
    for candidate in told:
        assert candidate.via is None or candidate.via.target == candidate.url
        assert candidate.via is not None or candidate.replaces_priority


def test_depth_counts_the_links_since_the_seed(strategy: Strategy) -> None:
    for candidate in (each for answer in offers(strategy)[1:] for each in answer):
        assert candidate.depth == 1


def test_a_visit_that_brought_no_page_is_survived(strategy: Strategy) -> None:
    for outcome in Outcome:
        failed = Visit(Candidate(SEEDS[0]), outcome, 1.0, reason="for the test")
        assert list(strategy.on_visit(failed, Database())) == []


def test_every_price_can_be_explained(strategy: Strategy) -> None:
    memory = Database()
    for visit in visits():
        memory.add(visit)
        for offer in strategy.on_visit(visit, memory):
            lines = strategy.explain(offer, memory)
            assert all(line.strip() and "nan" not in line for line in lines)


def test_what_a_topic_lacks_is_said_in_a_sentence(strategy: Strategy) -> None:
    sentence = strategy.missing()
    assert not sentence or (sentence.endswith(".") and TOPIC.name in sentence)


def test_a_strategy_ends_when_nothing_new_comes_in(strategy: Strategy) -> None:
    """A crawl is over when `more` has nothing to offer; one that always has would never end."""
    memory = Database()
    list(strategy.start(SEEDS))
    for visit in visits():
        memory.add(visit)
        list(strategy.on_visit(visit, memory))
    assert any(not list(strategy.on_empty(memory)) for _ in range(100))
