"""A share of visits for what is hardly known, and hosts that promise and do not deliver."""

import random

import numpy as np
import pytest

from thresher.core.enums import Outcome, Refusal
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.learned.model import LITTLE, TRIES, hardly_known, is_due
from thresher.strategies.learned.strategy import Thresher
from thresher.strategies.learned.table import HOST, NEXT_PRICE

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})
SEED = Url("http://home.test/")


def make(**parameters) -> Thresher:
    return Thresher(judge=Cosine(TOPIC), topic=TOPIC, **parameters)


def fetched(url: str, text: str, targets: list[str], anchor: str = "more", place: str = "ul/li/a") -> Visit:
    links = tuple(Link(Url(url), Url(target), anchor, place=place) for target in targets)
    return Visit(Candidate(Url(url)), Outcome.FETCHED, 0.0, Page(Url(url), text=text, links=links))


def started(strategy: Thresher, targets: list[str]) -> None:
    list(strategy.start([SEED]))
    list(strategy.learn(fetched(SEED, "a shelf of manuals", targets), Database()))


def chosen(strategy: Thresher) -> list[Url]:
    rows = hardly_known(strategy._evidence).tolist()
    return strategy._evidence.table.urls.of(rows, Database())


def test_of_a_host_nobody_has_asked_the_contents_are_asked_for():
    strategy = make()
    started(strategy, ["http://racket.test/guide/regexp/syntax.html", "http://racket.test/index.html"])
    assert chosen(strategy) == ["http://racket.test/index.html"]


def by_all_rows(strategy: Thresher) -> list[int]:
    """Return what is hardly known by counting every row that waits anew."""
    table, requests = strategy._evidence.table, strategy._evidence.tallies["host"].requests
    rows = [row for row in table.waiting().tolist() if requests[table.cells["groups"][row, HOST]] < TRIES]
    sums: dict[int, float] = {}
    for row in rows:
        host = int(table.cells["groups"][row, HOST])
        sums[host] = sums.get(host, 0.0) + float(np.log1p(table.cells["mentions"][row]))
    if not rows:
        return []
    best = min(host for host in sums if sums[host] == max(sums.values()))
    near = [row for row in rows if table.cells["groups"][row, HOST] == best]
    return [min(near, key=lambda row: int(table.cells["path"][row]))]


@pytest.mark.parametrize("seed", range(8))
def test_counting_only_what_changed_finds_the_same_as_counting_everything(seed):
    """Links come, are mentioned again, visited, refused and redirected; every few visits it is asked."""
    dice, strategy, pages = random.Random(seed), make(curious=0), Database()
    started(strategy, [f"http://h{number}.test/" for number in range(6)])
    for number in range(120):
        known = [f"http://h{dice.randrange(30)}.test/{dice.randrange(4)}/{each}" for each in range(3)]
        url = known.pop() if dice.random() < 0.7 else f"http://h{dice.randrange(6)}.test/"
        visit = fetched(url, "a shelf", known)
        if dice.random() < 0.2:
            moved = Candidate(Url(known[0]))
            visit = Visit(Candidate(Url(url)), Outcome.MOVED, 0.0, onward=moved, moved_to=moved.url)
        offers = list(strategy.learn(visit, pages))
        if offers and dice.random() < 0.3:
            strategy.refused([(offers[0], dice.choice([Refusal.EXCLUDED, Refusal.LONG_URL]))])
        if number % 5 == 0 and (naive := by_all_rows(strategy)):
            assert hardly_known(strategy._evidence).tolist() == naive, number


def test_the_host_that_is_mentioned_most_comes_first():
    strategy = make()
    started(strategy, ["http://rare.test/", *(f"http://often.test/{number}" for number in range(5))])
    assert chosen(strategy)[0].startswith("http://often.test/")


def test_a_host_that_was_tried_is_no_longer_unknown():
    strategy = make()
    started(strategy, [*(f"http://tried.test/{number}" for number in range(9)), "http://strange.test/a/b/c"])
    for number in range(TRIES):
        list(strategy.learn(fetched(f"http://tried.test/{number}", "engine", []), Database()))
    assert chosen(strategy) == ["http://strange.test/a/b/c"]


def test_where_every_host_is_known_a_section_that_was_hardly_followed_is_tried():
    strategy = make()
    started(strategy, [f"http://home.test/{number}" for number in range(9)])
    for number in range(TRIES):
        targets = [f"http://home.test/aside/{number}"]
        list(
            strategy.learn(
                fetched(f"http://home.test/{number}", "engine", targets, place="aside/a"), Database()
            )
        )
    assert chosen(strategy)[0].startswith("http://home.test/aside/")


def test_when_all_is_known_nothing_is_chosen():
    strategy = make()
    started(strategy, [])
    assert chosen(strategy) == []


@pytest.mark.parametrize(
    ("pages", "every", "usual", "due"),
    [(24, 12, 0.5, True), (18, 12, 0.5, False), (18, 12, LITTLE / 2, True), (24, 0, 0.5, False)],
)
def test_one_looks_around_more_often_while_little_is_found_and_never_if_told_so(pages, every, usual, due):
    assert is_due(pages, every, usual) is due


def test_so_many_visits_and_no_more_go_to_what_is_hardly_known():
    strategy, strange = make(explore=0, curious=12), 0
    started(strategy, [f"http://h{number}.test/" for number in range(400)])
    strategy._evidence.sum, strategy._evidence.visits = 500.0, 1000  # much was found
    for number in range(120):
        offers = strategy.learn(fetched(f"http://h{number}.test/", "bee honey", []), Database())
        strange += sum(offer.priority == NEXT_PRICE for offer in offers)
    assert strange == 10


def test_a_host_that_promises_and_does_not_deliver_loses_its_standing_soon():
    """Its anchors all say bee, and its pages never do; ten visits later an untried host goes before it."""
    strategy = make(curious=0, explore=0)
    list(strategy.start([SEED]))
    promising = [Link(SEED, Url(f"http://false.test/{number}"), "bee honey") for number in range(40)]
    plain = [Link(SEED, Url(f"http://plain.test/{number}"), "honey") for number in range(40)]
    page = Page(SEED, text="bee honey " * 20, links=(*promising, *plain))
    prices = _prices(strategy.learn(Visit(Candidate(SEED), Outcome.FETCHED, 0.0, page), Database()))
    assert prices["http://false.test/39"] > prices["http://plain.test/39"]
    for number in range(10):
        prices |= _prices(
            strategy.learn(fetched(f"http://false.test/{number}", "engine " * 50, []), Database())
        )
        text = "bee honey " * 20
        prices |= _prices(strategy.learn(fetched(f"http://plain.test/{number}", text, []), Database()))
    assert prices["http://false.test/39"] < prices["http://plain.test/39"]


def _prices(offers) -> dict[str, float]:
    return {offer.url: offer.priority for offer in offers}
