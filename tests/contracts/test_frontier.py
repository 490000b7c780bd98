"""What every frontier must do, whatever it is made of."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from tests.contracts.naive_frontier import NaiveFrontier
from thresher.core.enums import Outcome, Request
from thresher.core.interfaces import Frontier
from thresher.core.records import Candidate, Url, Visit
from thresher.core.url import host_of
from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import steady
from thresher.store.database import Database

FRONTIERS: dict[str, Callable[[float, Database], Frontier]] = {
    "in memory": lambda delay, store: Workbench(delay=delay),
    "on a shelf": lambda delay, store: Workbench(delay=delay, shelf=store.shelf),
    "on a shelf with little memory": lambda delay, store: Workbench(
        delay=delay, shelf=store.shelf, hot_candidates=1
    ),
    "patient": lambda delay, store: Workbench(delay=delay, pace=steady(2.0)),
    "patient on a shelf with little memory": lambda delay, store: Workbench(
        delay=delay, shelf=store.shelf, hot_candidates=1, pace=steady(2.0)
    ),
}

URLS = some.builds(
    lambda host, page: Url(f"http://h{host}.test/{page}"), some.integers(0, 2), some.integers(0, 9)
)
PRIORITIES = some.integers(-3, 3).map(float)


@pytest.fixture(params=list(FRONTIERS))
def make(request: pytest.FixtureRequest) -> Iterator[Callable[[float], Frontier]]:
    store = Database()
    yield lambda delay: FRONTIERS[request.param](delay, store)
    store.close()


def candidate(address: str, priority: float = 0.0, **rest: object) -> Candidate:
    return Candidate(Url(f"http://{address}"), priority, **rest)  # type: ignore[arg-type]


def drain(frontier: Frontier, now: float = 0.0) -> list[str]:
    """Take and finish until nothing is left, letting time pass as needed."""
    taken = []
    while frontier:
        if (found := frontier.take(now)) is None:
            wake = frontier.wake()
            assert wake is not None and wake > now, "work waits but nothing will ever wake"
            now = wake
            continue
        taken.append(found.url.removeprefix("http://"))
        frontier.done(found, now)
    return taken


def test_the_best_price_among_the_ready_hosts_comes_first(make: Callable[[float], Frontier]) -> None:
    frontier = make(1.0)
    frontier.offer([candidate("a/1", 0.9), candidate("a/2", 0.8), candidate("b/1", 0.1)])
    first, second = frontier.take(0.0), frontier.take(0.0)
    assert first and first.url == "http://a/1"
    if second is None:  # host a is busy, and worth waiting for
        assert frontier.wake() == 2.0
        second = frontier.take(2.0)
    assert second and second.url == "http://b/1"  # the best of the ready ones is b's
    assert frontier.take(2.0) is None


def test_equals_come_out_in_the_order_they_came_in(make: Callable[[float], Frontier]) -> None:
    frontier = make(0.0)
    frontier.offer([candidate("c/1"), candidate("a/1"), candidate("b/1"), candidate("a/2")])
    assert drain(frontier) == ["c/1", "a/1", "b/1", "a/2"]


def test_a_host_rests_after_each_answer_and_longer_when_it_asks(make: Callable[[float], Frontier]) -> None:
    frontier = make(1.0)
    frontier.offer([candidate("a/1", 2.0), candidate("a/2", 1.0), candidate("a/3")])
    first = frontier.take(0.0)
    assert first
    frontier.done(first, 5.0)
    assert frontier.take(5.9) is None
    assert frontier.wake() == 6.0
    second = frontier.take(6.0)
    assert second
    frontier.done(second, 6.0, rest=30.0)
    assert frontier.take(35.9) is None
    assert frontier.take(36.0) is not None


def test_who_links_to_a_page_is_another_question_than_the_page(make: Callable[[float], Frontier]) -> None:
    frontier = make(0.0)
    question = candidate("a/1", 0.9, kind=Request.BACKLINKS)
    assert frontier.offer([question, candidate("a/1", 0.5), question]) == 2
    wants = []
    while found := frontier.take(0.0):
        wants.append(found.kind)
        frontier.done(found, 0.0)
    assert wants == [Request.BACKLINKS, Request.LINK]
    assert frontier.offer([question, candidate("a/1", 0.5)]) == 0


def test_a_question_asked_before_the_crawl_was_cut_off_leaves_the_page_to_be_asked() -> None:
    store = Database()
    frontier = Workbench(delay=0.0, shelf=store.shelf)
    question = candidate("a/1", 0.9, kind=Request.BACKLINKS)
    frontier.offer([question])
    taken = frontier.take(0.0)
    assert taken is not None
    store.add(Visit(taken, Outcome.FETCHED, 0.0))
    frontier.done(taken, 0.0)
    again = Workbench(delay=0.0, shelf=store.shelf)
    assert again.offer([question]) == 0
    assert again.offer([candidate("a/1")]) == 1


def test_a_mere_price_queues_nothing(make: Callable[[float], Frontier]) -> None:
    """Else a strategy that gives new priorities to all it knows would walk out of every rule."""
    frontier = make(0.0)
    assert frontier.offer([candidate("a/1", 0.9, replaces_priority=True)]) == 0
    assert frontier.offer([candidate("a/1", 0.2), candidate("a/1", 0.9, replaces_priority=True)]) == 1
    taken = frontier.take(0.0)
    assert taken is not None and taken.priority == 0.9


def test_another_mention_raises_the_price_and_never_lowers_it(make: Callable[[float], Frontier]) -> None:
    frontier = make(0.0)
    frontier.offer([candidate("a/1", 0.2), candidate("b/1", 0.5)])
    frontier.offer([candidate("a/1", 0.9), candidate("b/1", 0.1)])
    assert drain(frontier) == ["a/1", "b/1"]


def test_another_mention_keeps_the_longer_life(make: Callable[[float], Frontier]) -> None:
    frontier = make(0.0)
    frontier.offer([candidate("a/1", 0.5, hops_left=1)])
    frontier.offer([candidate("a/1", 0.1, hops_left=3)])
    taken = frontier.take(0.0)
    assert taken and taken.hops_left == 3 and taken.priority == 0.5


def test_a_lowered_price_sends_the_host_back_in_the_order(make: Callable[[float], Frontier]) -> None:
    """A prototype lost hosts here: when a re-rank changes a host's best, it is announced anew."""
    frontier = make(0.0)
    frontier.offer([candidate("a/1", 0.9), candidate("b/1", 0.5), candidate("a/2", 0.3)])
    frontier.offer([candidate("a/1", 0.1, replaces_priority=True)])
    assert drain(frontier) == ["b/1", "a/2", "a/1"]


def test_a_url_already_asked_is_ignored_unless_it_is_a_revisit(make: Callable[[float], Frontier]) -> None:
    frontier = make(0.0)
    assert frontier.offer([candidate("a/1")]) == 1
    assert drain(frontier) == ["a/1"]
    assert frontier.offer([candidate("a/1", 9.0)]) == 0
    assert frontier.offer([candidate("a/1", kind=Request.REVISIT, not_before=10.0)]) == 1
    assert frontier.take(9.9) is None
    assert frontier.wake() == 10.0
    assert frontier.take(10.0) is not None


def test_where_a_request_was_redirected_keeps_its_price_though_all_is_priced_anew(
    make: Callable[[float], Frontier],
) -> None:
    frontier = make(0.0)
    onward = candidate("a/new", 0.8, redirects=1, kind=Request.REDIRECT)
    frontier.offer([onward, candidate("a/met", 0.1), candidate("a/1", 0.5), candidate("a/2", 0.4)])
    frontier.offer([replace(onward, url=Url("http://a/met"), priority=0.7)])  # it waited as a link before
    lower = [candidate(f"a/{name}", 0.1, replaces_priority=True) for name in ("new", "met", "1")]
    frontier.offer(lower)
    assert drain(frontier) == ["a/new", "a/met", "a/2", "a/1"]


def test_where_a_request_was_redirected_keeps_its_price_when_the_crawl_is_resumed() -> None:
    store = Database()
    onward = candidate("a/new", 0.8, redirects=1, kind=Request.REDIRECT)
    Workbench(delay=0.0, shelf=store.shelf).offer([candidate("a/1", 0.5), onward])
    again = Workbench(delay=0.0, shelf=store.shelf)
    again.offer([candidate("a/new", 0.1, replaces_priority=True)])
    assert drain(again) == ["a/new", "a/1"]
    store.close()


def test_a_better_price_counts_for_where_a_request_was_redirected_too(
    make: Callable[[float], Frontier],
) -> None:
    frontier = make(0.0)
    frontier.offer([candidate("a/new", 0.3, kind=Request.REDIRECT), candidate("a/1", 0.5)])
    frontier.offer([candidate("a/new", 0.9, replaces_priority=True)])
    assert drain(frontier) == ["a/new", "a/1"]


@pytest.mark.parametrize("kind", [Request.REDIRECT, Request.CANONICAL])
def test_what_waits_is_worth_no_less_because_something_cheaper_leads_to_it(
    make: Callable[[float], Frontier], kind: Request
) -> None:
    frontier = make(0.0)
    frontier.offer([candidate("a/turn", 2.5, replaces_priority=True), candidate("a/1", 0.5)])
    frontier.offer([candidate("a/turn", 2.5), candidate("a/turn", 0.1, kind=kind, replaces_priority=True)])
    assert drain(frontier)[-1] == "a/1"


def test_an_empty_frontier_has_nothing_to_wake_for(make: Callable[[float], Frontier]) -> None:
    frontier = make(1.0)
    assert not frontier
    assert frontier.take(0.0) is None
    assert frontier.wake() is None


class AgainstTheOracle(RuleBasedStateMachine):
    """Any order of offers, takes and answers gives what the plainest frontier gives."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.frontier: Frontier = Workbench(delay=2.0)
        self.oracle = NaiveFrontier(2.0)
        self.in_flight: list[Candidate] = []

    @rule(url=URLS, priority=PRIORITIES, life=some.integers(0, 3), reprice=some.booleans())
    def offer(self, url: Url, priority: float, life: int, reprice: bool) -> None:
        self._offer(Candidate(url, priority, hops_left=life, replaces_priority=reprice))

    @rule(url=URLS, priority=PRIORITIES, wait=some.integers(0, 5), reprice=some.booleans())
    def revisit(self, url: Url, priority: float, wait: int, reprice: bool) -> None:
        self._offer(
            Candidate(
                url,
                priority,
                kind=Request.REVISIT,
                not_before=self.now + wait + 1.0,
                replaces_priority=reprice,
            )
        )

    @rule(url=URLS, priority=PRIORITIES, life=some.integers(0, 3), reprice=some.booleans())
    def redirect(self, url: Url, priority: float, life: int, reprice: bool) -> None:
        to = Candidate(
            url, priority, hops_left=life, redirects=1, kind=Request.REDIRECT, replaces_priority=reprice
        )
        self._offer(to)

    def _offer(self, offered: Candidate) -> None:
        self.frontier.offer([offered])
        self.oracle.offer(offered)

    @rule()
    def take(self) -> None:
        found, expected = self.frontier.take(self.now), self.oracle.take(self.now)
        assert (found and found.url) == (expected and expected.url)
        if found and expected:
            assert (found.priority, found.hops_left) == (expected.priority, expected.hops_left)
            self.in_flight.append(found)

    @precondition(lambda self: self.in_flight)
    @rule(which=some.integers(0, 9), rest=some.sampled_from([0.0, 1.0, 7.0]))
    def done(self, which: int, rest: float) -> None:
        self.finish(self.in_flight.pop(which % len(self.in_flight)), rest)

    def finish(self, finished: Candidate, rest: float) -> None:
        self.frontier.done(finished, self.now, rest)
        self.oracle.done(finished, self.now, rest)

    @rule(seconds=some.sampled_from([0.5, 1.0, 3.0]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.frontier) == len(self.oracle)

    @invariant()
    def one_request_in_flight_per_host(self) -> None:
        hosts = [host_of(each.url) for each in self.in_flight]
        assert len(hosts) == len(set(hosts))

    def teardown(self) -> None:
        """Whatever happened, everything that waits comes out in the end."""
        for each in self.in_flight:
            self.frontier.done(each, self.now)
        expected = len(self.frontier)
        assert len(drain(self.frontier, self.now)) == expected


PROPERTIES = settings(
    max_examples=200,
    stateful_step_count=40,
    phases=[Phase.generate, Phase.shrink],  # explaining a failure takes minutes here
)


class OnAShelf(AgainstTheOracle):
    """The same with so little memory that most candidates are on the shelf, and with crashes in between."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Database()
        self.frontier = self.opened()

    def opened(self) -> Frontier:
        return Workbench(delay=2.0, shelf=self.store.shelf, hot_candidates=1)

    def finish(self, finished: Candidate, rest: float) -> None:
        self.store.add(Visit(finished, Outcome.FETCHED, self.now))
        super().finish(finished, rest)

    @rule()
    def crash(self) -> None:
        """What was in flight waits again, in its old place; everything else is as it was."""
        self.frontier = self.opened()
        self.oracle.land()
        self.in_flight.clear()

    def teardown(self) -> None:
        super().teardown()
        self.store.close()


class PatientOnAShelf(OnAShelf):
    """The same, but it may rather wait; what it hands out is still the best of the ready hosts."""

    def opened(self) -> Frontier:
        return Workbench(delay=2.0, shelf=self.store.shelf, hot_candidates=1, pace=steady(2.0))

    @rule()
    def take(self) -> None:
        if (found := self.frontier.take(self.now)) is None:
            wake = self.frontier.wake()
            assert wake is None or wake > self.now
            return
        expected = self.oracle.take(self.now)
        assert expected and (found.url, found.priority) == (expected.url, expected.priority)
        self.in_flight.append(found)


TestInMemoryAgainstTheOracle = AgainstTheOracle.TestCase
TestPatientAgainstTheOracle = PatientOnAShelf.TestCase
TestOnAShelfAgainstTheOracle = OnAShelf.TestCase
TestInMemoryAgainstTheOracle.settings = TestOnAShelfAgainstTheOracle.settings = PROPERTIES
TestPatientAgainstTheOracle.settings = PROPERTIES
