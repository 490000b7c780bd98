"""Links that are dead, or promise and do not deliver: the learner turns away from them soon."""

from collections.abc import Iterable

import numpy as np
import pytest

from tests.unit.strategies.test_thresher import Keeper
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import StrategyState
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.learned.strategy import Thresher

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})
JUDGE = Cosine(TOPIC)
SEED = Url("http://a.test/")
DEAD = [Url(f"http://a.test/old/{number}") for number in range(30)]
ALIVE = [Url(f"http://a.test/new/{number}") for number in range(30)]


def links(targets: list[Url]) -> list[Link]:
    """Return links that stand in a list of their folder's own."""
    return [Link(SEED, url, "bee", place=f"div.{url.split('/')[3]}/a") for url in targets]


def fetched(url: Url, targets: list[Url]) -> Visit:
    page = Page(url, text="bee honey " * 20, links=tuple(links(targets)))
    return Visit(Candidate(url), Outcome.FETCHED, 0.0, page, JUDGE.score(page))


def gone(url: Url) -> Visit:
    return Visit(Candidate(url), Outcome.GONE, 0.0, reason="404")


def taught() -> Thresher:
    """Return a learner that has fitted its priorities to twelve pages of a folder that answers."""
    strategy = Thresher(judge=JUDGE, topic=TOPIC)
    strategy.start([SEED])
    for visit in (fetched(SEED, [*DEAD, *ALIVE]), *(fetched(url, []) for url in ALIVE[:12])):
        list(strategy.on_visit(visit, Database()))
    return strategy


def test_after_a_few_dead_links_of_a_list_the_others_are_offered_for_less_though_no_page_came():
    strategy = taught()
    offers = [offer for url in DEAD[:8] for offer in strategy.on_visit(gone(url), Database())]
    told = {offer.url: offer.priority for offer in offers}
    assert {*DEAD[8:]} <= told.keys()
    assert max(told[url] for url in DEAD[8:]) < min(told.get(url, 1.0) for url in ALIVE[12:])


def test_before_the_first_fit_a_dead_link_prices_nothing():
    strategy = Thresher(judge=JUDGE, topic=TOPIC)
    strategy.start([SEED])
    list(strategy.on_visit(fetched(SEED, [*DEAD, *ALIVE]), Database()))
    assert not [offer for url in DEAD[:20] for offer in strategy.on_visit(gone(url), Database())]


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_crawl_that_is_resumed_among_dead_links_goes_on_as_if_it_had_never_stopped(cut):
    whole = taught()
    answers = [list(whole.on_visit(gone(url), Database())) for url in DEAD[:12]]
    first, second = taught(), Thresher(judge=JUDGE, topic=TOPIC)
    for url in DEAD[:cut]:
        list(first.on_visit(gone(url), Database()))
    saved = first.save()
    kept = dict(saved.rows)
    second.load(StrategyState(saved.head, kept.items()))
    assert [list(second.on_visit(gone(url), Keeper(kept))) for url in DEAD[cut:12]] == answers[cut:]


def test_links_of_a_page_whose_links_are_dead_promise_less_than_those_of_another_in_the_same_folder():
    lists = {name: Url(f"http://a.test/{name}") for name in ("dead", "alive")}
    strategy = Thresher(judge=JUDGE, topic=TOPIC)
    strategy.start([SEED])
    for name, page in lists.items():
        targets = tuple(Link(page, Url(f"http://b.test/{name}{n}"), "bee", place="li/a") for n in range(30))
        strategy.on_visit(
            Visit(Candidate(page), Outcome.FETCHED, 0.0, Page(page, "bee", links=targets)), Database()
        )
    for number in range(12):
        strategy.on_visit(gone(Url(f"http://b.test/dead{number}")), Database())
        strategy.on_visit(fetched(Url(f"http://b.test/alive{number}"), []), Database())
    strategy._priority_model.fit()
    rows = [strategy._row_of(Url(f"http://b.test/{name}20")) for name in lists]
    dead, alive = strategy._evidence.chances(np.array(rows))
    assert dead < alive - 0.2


def priorities(offers: Iterable[Candidate]) -> dict[str, float]:
    return {offer.url: offer.priority for offer in offers}


def off_topic(url: str) -> Visit:
    page = Page(Url(url), text="engine " * 50)
    return Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page, JUDGE.score(page))


def test_a_host_that_promises_and_does_not_deliver_loses_its_standing_soon():
    """Its anchors all say bee, and its pages never do; ten visits later an untried host goes before it."""
    strategy = Thresher(judge=JUDGE, topic=TOPIC, explore=0)
    list(strategy.start([SEED]))
    promising = [Link(SEED, Url(f"http://false.test/{number}"), "bee honey") for number in range(40)]
    plain = [Link(SEED, Url(f"http://plain.test/{number}"), "honey") for number in range(40)]
    page = Page(SEED, text="bee honey " * 20, links=(*promising, *plain))
    told = priorities(strategy.on_visit(Visit(Candidate(SEED), Outcome.FETCHED, 0.0, page), Database()))
    assert told["http://false.test/39"] > told["http://plain.test/39"]
    for number in range(10):
        told |= priorities(strategy.on_visit(off_topic(f"http://false.test/{number}"), Database()))
        told |= priorities(strategy.on_visit(fetched(Url(f"http://plain.test/{number}"), []), Database()))
    assert told["http://false.test/39"] < told["http://plain.test/39"]


def test_what_a_guide_thinks_nothing_of_falls_back_and_what_it_is_sure_of_comes_first():
    strategy, (poor, good, other) = taught(), ALIVE[12:15]
    strategy._rank_again(Database())
    before = offered(strategy, [poor, good, other])
    said = strategy.on_opinions({poor: 0.0, good: 1.0}, Database())
    offers = {offer.url: offer.priority for offer in said}
    assert offers[poor] == pytest.approx(0.1 * before[poor], abs=1e-5)
    assert offers[good] == pytest.approx(1.9 * before[good], abs=1e-5)
    assert offered(strategy, [other]) == {other: pytest.approx(before[other], abs=1e-5)}
    resumed = Thresher(judge=JUDGE, topic=TOPIC)
    saved = strategy.save()
    resumed.load(StrategyState(saved.head, [*saved.rows]))
    assert offered(resumed, [good, other]) == offered(strategy, [good, other])


def offered(strategy: Thresher, urls: list[Url]) -> dict[str, float]:
    rows = np.array([strategy._row_of(url) for url in urls])
    return dict(zip(urls, strategy._priority_model.of(rows).tolist(), strict=True))
