"""A replay as crawls run: many requests at once, a rest, latencies, and virtual time."""

from statistics import median

import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import SITE, make_corpus
from thresher.core.clock import VirtualClock
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Url, Visit
from thresher_lab.politeness import IN_FLIGHT, MEDIAN, SPREAD, Latency, Politeness, PoliteWorkers
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, stage


def url(number: int, host: str = "a") -> Url:
    return Url(f"http://{host}.test/{number}")


def test_latencies_follow_from_seed_host_and_url_alone():
    assert Latency(1).of(url(1)) == Latency(1).of(url(1))
    assert Latency(1).of(url(1)) != Latency(2).of(url(1))
    assert Latency(1).of(url(1)) != Latency(1).of(url(2))


def test_the_median_is_as_said_and_one_url_in_a_hundred_is_slow():
    found = [Latency(1).of(url(1, f"h{number}")) for number in range(4000)]
    assert median(found) == pytest.approx(MEDIAN, rel=0.1)
    assert 5 < sum(each > MEDIAN * 6 * 2.7**SPREAD for each in found) < 120


class Answers:
    """Every page is there."""

    def stages(self):
        return ()

    async def visit(self, candidate: Candidate) -> Visit:
        return Visit(candidate, Outcome.FETCHED, 0.0, status=200)


async def test_answers_come_in_the_order_of_their_latencies_and_take_virtual_time():
    clock = VirtualClock(100.0)
    workers = PoliteWorkers(Answers(), clock, Latency(1), 1.0)  # type: ignore[arg-type]
    sent = [Candidate(url(number)) for number in range(5)]
    for each in sent:
        workers.send(each)
    assert (workers.busy, workers.free) == (5, IN_FLIGHT - 5)
    back = [visit.candidate.url for visit in [await workers.next(None) for _ in sent] if visit]
    assert back == sorted((each.url for each in sent), key=Latency(1).of)
    assert clock.now() == pytest.approx(100.0 + max(Latency(1).of(each.url) for each in sent))


async def test_a_timeout_that_ends_first_passes_that_time():
    clock = VirtualClock()
    workers = PoliteWorkers(Answers(), clock, Latency(1), 1.0)  # type: ignore[arg-type]
    workers.send(Candidate(url(1)))
    assert await workers.next(0.001) is None
    assert clock.now() == 0.001
    assert await workers.next(None)


async def test_a_slow_host_is_given_a_longer_rest():
    slow = next(each for each in map(url, range(10_000)) if Latency(1).of(each) > 3.0)
    workers = PoliteWorkers(Answers(), VirtualClock(), Latency(1), 1.0)  # type: ignore[arg-type]
    workers.send(Candidate(slow))
    visit = await workers.next(None)
    assert visit and visit.retry_after == Latency(1).of(slow)


def test_a_polite_replay_takes_its_time_and_is_the_same_every_time(tmp_path):
    corpus = make_corpus(tmp_path)
    with stage(corpus, frozenset(), tmp_path / "cache") as place:
        plan = ReplayPlan("bees", "breadth_first", 20, seeds=("hub",), delay=1.0, polite=Politeness(luck=3))
        first, second = play(place, plan), play(place, plan)
    assert first.steps == second.steps
    times = [step.at for step in first.steps]
    assert times == sorted(times)
    assert times[-1] > len(times) - 1  # one host, a second's rest after each answer
    assert (SITE + "old-b", "moved") in [(step.url, step.outcome) for step in first.steps]


def test_the_command_says_the_area_by_time_and_the_pace(tmp_path):
    corpus = make_corpus(tmp_path)
    ran = thresher(
        "lab", "replay", str(corpus.path), "--topic", "bees", "--strategy", "best_first", "--polite",
        "--wait", "1", "--luck", "2", "--cache", str(tmp_path / "cache"),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "by time at 1." in ran.out
