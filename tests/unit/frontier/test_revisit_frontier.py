"""A frontier that spends a budget over time: looks first when they are due, the new in its turn."""

from math import inf

from thresher.core.enums import Request
from thresher.core.records import Candidate, Url
from thresher.frontier.revisit import Plans as NoPlans
from thresher.frontier.revisit import RevisitBudget, RevisitFrontier


def page(name: str, priority: float = 0.5) -> Candidate:
    return Candidate(Url(f"http://{name}.example/"), priority)


def revisit(name: str, due: float) -> Candidate:
    return Candidate(Url(f"http://{name}.example/"), kind=Request.REVISIT, not_before=due)


class Plans(NoPlans):
    """Plans that are made in advance; after the last there is nothing to do."""

    def __init__(self, *quotas: RevisitBudget) -> None:
        self.quotas = iter(quotas)

    def plan(self, now: float, waiting: int) -> RevisitBudget:
        return next(self.quotas, RevisitBudget())


def bench(*quotas: RevisitBudget) -> RevisitFrontier:
    return RevisitFrontier(delay=1.0, planner=Plans(*quotas))


def test_a_look_that_is_due_goes_before_everything_new():
    frontier = bench(RevisitBudget([revisit("known", 5.0)], discoveries=5))
    frontier.offer([page("new", 0.9)])
    taken = frontier.take(10.0)
    assert taken is not None and taken.not_before == 5.0


def test_nothing_new_is_asked_beyond_the_quota():
    frontier = bench(RevisitBudget([], discoveries=1))
    frontier.offer([page("one"), page("two")])
    assert frontier.take(10.0) is not None
    assert frontier.take(10.0) is None
    assert len(frontier) == 0  # what is left waits for another plan


def test_new_pages_are_spaced_over_the_time_of_the_plan():
    frontier = bench(RevisitBudget([], discoveries=4, until=110.0))
    frontier.offer([page(name) for name in ("a", "b", "c", "d")])
    times, now = [], 10.0
    while now < 110.0:
        if frontier.take(now):
            times.append(now)
        else:
            now = frontier.wake() or inf
    assert times == [10.0, 35.0, 60.0, 85.0]


def test_a_look_that_is_not_due_waits_for_its_time():
    frontier = bench(RevisitBudget([revisit("known", 50.0)], until=110.0))
    assert frontier.take(10.0) is None
    assert frontier.wake() == 50.0
    assert frontier.take(50.0) is not None


def test_the_plan_is_made_anew_when_its_time_is_over():
    frontier = bench(
        RevisitBudget([revisit("one", 10.0)], until=100.0),
        RevisitBudget([revisit("two", 100.0)], until=200.0),
    )
    first = frontier.take(10.0)
    assert first is not None and first.url == "http://one.example/"
    frontier.done(first, 11.0)
    assert frontier.take(50.0) is None
    second = frontier.take(100.0)
    assert second is not None and second.url == "http://two.example/"


def test_a_budget_without_end_is_never_empty_and_one_pass_is():
    endless, once = bench(RevisitBudget([], until=100.0)), bench(RevisitBudget([revisit("known", 1.0)]))
    assert endless.take(10.0) is None and len(endless) == 1
    taken = once.take(10.0)
    assert taken is not None and len(once) == 0


def test_a_strategy_is_asked_for_more_when_nothing_new_waits():
    frontier = bench(RevisitBudget([], 1, until=20.0))
    assert frontier.needs_more(10.0, busy=3)
    frontier.offer([page("further")])
    assert not frontier.needs_more(10.0, busy=3)
    taken = frontier.take(10.0)
    assert taken is not None and taken.url == "http://further.example/"
    assert not frontier.needs_more(15.0, busy=0)  # until the next plan is due
    assert frontier.needs_more(20.0, busy=0)


def test_a_look_goes_first_whatever_the_prices_are():
    """A strategy may priority by time, newest first: 1.7e9 is a priority like any other."""
    frontier = bench(RevisitBudget([revisit("known", 0.0)], discoveries=1))
    frontier.offer([page("new", 1.7e9)])
    taken = frontier.take(10.0)
    assert taken is not None and taken.kind is Request.REVISIT
