"""Workers far away: one visit each over a wire that loses, doubles and delays, and leases that fence."""

import asyncio
import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.remote_crowd import LEASE, Crowd, later, some
from tests.faulty_wire import Weather
from tests.virtual_loop import run_virtually
from thresher.cluster.leases import LeaseCounter
from thresher.core.enums import Detail, Outcome


def crowd(seed: int = 1, lost: float = 0.0, doubled: float = 0.0, slowest: float = 0.0, **rest) -> Crowd:
    dice = random.Random(seed)
    return Crowd(dice, Weather(dice, lost, doubled, slowest), **rest)


EVENTS = ("kill", "cut", "leave", "join")


@settings(max_examples=60)
@given(
    seed=st.integers(0, 1 << 32),
    lost=st.floats(0.0, 0.4),
    doubled=st.floats(0.0, 0.4),
    slowest=st.floats(0.0, 1.2),
    rates=st.lists(st.floats(0.8, 1.2), min_size=3, max_size=3),
    events=st.lists(st.tuples(st.floats(0.5, 12.0), st.sampled_from(EVENTS), st.integers(0, 2)), max_size=6),
)
def test_whatever_the_wire_loses_and_whoever_dies_every_candidate_gets_one_visit(
    seed, lost, doubled, slowest, rates, events
):
    candidates = some(40)

    async def crawl() -> Crowd:
        async with crowd(seed, lost, doubled, slowest, requests=6) as work:
            for number, rate in enumerate(rates):
                work.join(f"w{number}", rate)
            for number, (moment, event, victim) in enumerate(events):
                later(moment, partial(happen, work, event, f"w{victim}", f"n{number}"))
            later(40.0, lambda: work.join("spare"))  # the others may all be dead by then
            await work.work(candidates)
            return work

    run_virtually(crawl()).check(candidates)


def happen(work: Crowd, event: str, victim: str, newcomer: str) -> None:
    if event == "kill":
        work.kill(victim)
    elif event == "cut":
        work.end(victim).cut()
        later(work.dice.uniform(0.5, 3 * LEASE), lambda: work.end(victim).cut(victim not in work.tasks))
    elif event == "join":
        work.join(newcomer)
    else:
        work.workers[victim].drain()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 1 << 32),
    rates=st.lists(st.floats(0.8, 1.2), min_size=2, max_size=2),
    cut=st.floats(2.0, 8.0),
)
def test_no_request_begins_after_its_order_has_moved_though_clocks_run_a_fifth_apart(seed, rates, cut):
    candidates = some(12)

    async def crawl() -> Crowd:
        async with crowd(seed, slowest=0.1, requests=80, delay=0.0) as work:
            work.slowest = 0.2  # between requests: a visit outlives its lease, and asks often
            for number, rate in enumerate(rates):
                work.join(f"w{number}", rate)
            later(cut, work.end("w0").cut)
            await work.work(candidates)
            assert work.crawl.ledger.counts[LeaseCounter.LOST] == 1
            return work

    run_virtually(crawl()).check(candidates)


def test_an_answer_that_is_lost_is_sent_again_without_another_request():
    candidates = some(10)

    async def crawl() -> Crowd:
        async with crowd() as work:
            work.join("w0")
            await asyncio.sleep(1.0)
            later(0.6, lambda: setattr(work.end("w0").up, "is_cut", True))
            later(1.8, lambda: setattr(work.end("w0").up, "is_cut", False))
            await work.work(candidates)
            return work

    done = run_virtually(crawl())
    done.check(candidates)
    assert len(done.begun) == 2 * len(candidates)


def test_a_page_that_kills_workers_fails_alone_after_three_and_the_innocent_are_cleared():
    candidates = some(12)
    deadly = candidates[3].url

    async def crawl() -> Crowd:
        async with crowd(poison={deadly}, room=8) as work:
            for number in range(6):
                later(number * 3.0, partial(work.join, f"w{number}"))
            await work.work(candidates)
            return work

    done = run_virtually(crawl())
    done.check(candidates)
    ends = {visit.candidate.url: (visit.outcome, visit.detail) for visit in done.visits}
    assert ends.pop(deadly) == (Outcome.FAILED, Detail.KILLS_WORKERS)
    assert set(ends.values()) == {(Outcome.FETCHED, None)}


def test_an_order_that_a_living_worker_does_not_answer_is_moved_once_and_then_given_up():
    async def crawl(hangs: int) -> Crowd:
        async with crowd(deadline=10.0) as work:
            work.join("w0")
            work.join("w1")
            work.slowest = 1e6
            if hangs == 1:
                later(6.0, lambda: setattr(work, "slowest", 0.1))
            await work.work(some(1, 1))
            return work

    once, twice = run_virtually(crawl(1)), run_virtually(crawl(2))
    assert [visit.outcome for visit in once.visits] == [Outcome.FETCHED]
    assert len({worker for _, worker, _ in once.begun}) in (1, 2)
    assert [visit.detail for visit in twice.visits] == [Detail.NO_WORKER]
    assert "10 seconds" in twice.visits[0].reason


def test_a_worker_whose_clock_is_an_hour_off_dates_its_visits_by_the_crawls():
    candidates = some(6)

    async def crawl() -> Crowd:
        async with crowd() as work:
            work.join("w0", wall=3600.0)
            await work.work(candidates)
            return work

    done = run_virtually(crawl())
    assert len(done.visits) == 6
    assert all(visit.at < 1.7e9 + 2000 for visit in done.visits)


def test_a_domain_stays_with_the_worker_that_had_it_first():
    candidates = some(60, hosts=6)

    async def crawl() -> Crowd:
        async with crowd(room=8) as work:
            for number in range(3):
                work.join(f"w{number}")
            await asyncio.sleep(2.0)
            await work.work(candidates)
            return work

    done = run_virtually(crawl())
    owners = {(url.split("/")[2], worker) for _, worker, url in done.begun}
    assert len(owners) == 6
    assert len({worker for _, worker in owners}) == 3


def test_without_workers_the_crawl_waits_and_says_so(caplog):
    async def crawl() -> None:
        async with crowd() as work:
            assert (work.crawl.free, await work.crawl.next(1.0)) == (0, None)
            await asyncio.sleep(10.0)

    run_virtually(crawl())
    assert [each for each in caplog.messages if each.startswith("No worker is here, so the crawl waits.")]


@pytest.mark.parametrize("held", [True, False])
def test_a_worker_that_is_told_to_leave_answers_what_it_holds_first(held):
    async def crawl() -> Crowd:
        async with crowd() as work:
            worker = work.join("w0")
            await asyncio.sleep(1.0)
            if held:
                later(0.1, worker.drain)
                later(5.0, lambda: work.join("w1"))
                await work.work(some(8))
                assert work.crawl.ledger.counts[LeaseCounter.LOST] == 0
            else:
                worker.drain()
            await asyncio.wait_for(asyncio.shield(work.tasks["w0"]), 10.0)
            await asyncio.sleep(1.0)
            assert "w0" not in work.crawl.ledger.members
            return work

    run_virtually(crawl())
