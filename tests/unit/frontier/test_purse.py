"""Waiting for a better host: what is worse is paid for with the time that was waited."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from math import inf

import pytest

from thresher.core.enums import Outcome
from thresher.core.progress import Budget, Progress
from thresher.core.records import Candidate, Url, Visit
from thresher.core.url import host_of
from thresher.frontier.frontier import Workbench
from thresher.frontier.host import Host
from thresher.frontier.waiting import HORIZON, MOST, BusyHosts, Pace, RunningMedian, pace_of, steady

GOOD = "http://good.test"


def page(host: object, number: int) -> Url:
    return Url(f"http://{host}.test/{number}")


def no_rest(host: str, now: float) -> float:
    return 0.0


class Crawling:
    """Hosts made up, priorities given, virtual time: what was fetched of whom, and when."""

    def __init__(
        self, offers: Sequence[Candidate], pace: Pace, rest: Callable[[str, float], float] = no_rest
    ):
        self.bench = Workbench(1.0, pace=pace)
        self.bench.offer(offers)
        self.rest, self.now, self.fetched = rest, 0.0, Counter[str]()
        self.progress = Progress(0.5, 0.0)
        self._flying: list[tuple[float, int, Candidate]] = []
        self._chance, self._sent = random.Random(1), 0

    def run(self, pages: int = 10**9, seconds: float = inf) -> "Crawling":
        while self.fetched.total() < pages and self.now < seconds:
            wake = self._send(pages)
            times = [self._flying[0][0]] if self._flying else []
            times += [wake] if wake is not None else []
            if not times:
                return self
            self.now = max(self.now, min(times))
            while self._flying and self._flying[0][0] <= self.now:
                self._finish(heappop(self._flying)[2])
        return self

    def _send(self, pages: int) -> float | None:
        while len(self._flying) < 16 and self.fetched.total() + len(self._flying) < pages:
            if (found := self.bench.take(self.now)) is None:
                return self.bench.wake()
            self._sent += 1
            heappush(self._flying, (self.now + 0.3 * self._chance.lognormvariate(0, 0.5), self._sent, found))
        return None

    def _finish(self, found: Candidate) -> None:
        host = host_of(found.url)
        rest = self.rest(host, self.now)
        self.bench.done(found, self.now, rest)
        if rest < 3000:  # a refusal brings no page
            self.fetched[host] += 1
            self.progress.add(Visit(found, Outcome.FETCHED, self.now))

    @property
    def good(self) -> int:
        return self.fetched[GOOD]


def good_host(pages: int = 400) -> list[Candidate]:
    chance = random.Random(3)
    return [Candidate(page("good", number), 0.7 + 0.2 * chance.random()) for number in range(pages)]


def thousand_others() -> list[Candidate]:
    chance = random.Random(4)
    return [Candidate(page(f"h{n % 1000}", n), 0.2 * chance.random()) for n in range(8000)]


def crawled(patience: float, rest: Callable[[str, float], float] = no_rest, pages: int = 300) -> Crawling:
    return Crawling([*good_host(), *thousand_others()], steady(patience), rest).run(pages)


def test_of_a_thousand_hosts_the_good_one_is_waited_for():
    assert crawled(0.0).good < 20
    patient = crawled(2.0)
    assert patient.good > 150
    assert patient.now / 300 < 1.5


def test_a_host_alone_loses_no_second():
    hasty, patient = (Crawling(good_host(), steady(each)).run(100).now for each in (0.0, 2.0))
    assert hasty == patient


@pytest.mark.parametrize(("delay", "least"), [(5.0, 60), (60.0, 5)])
def test_a_crawl_delay_leaves_more_than_no_patience_does(delay: float, least: int):
    """One host with everything and a long Crawl-delay: seconds of patience find it seldom, but find it."""

    def rest(host: str, now: float) -> float:
        return delay if host == GOOD else 0.0

    assert crawled(0.0, rest).good <= 2
    assert crawled(2.0, rest).good >= least


def test_a_good_host_that_refuses_for_an_hour_holds_nobody_up():
    def refusing(host: str, now: float) -> float:
        return 3600.0 if host == GOOD else 0.0

    assert crawled(2.0, refusing).now == pytest.approx(crawled(0.0, refusing).now, abs=1.0)


@pytest.mark.parametrize("priority", [0.5, 0.0, -3.0, inf, -inf])
def test_equal_prices_wait_for_nobody(priority: float):
    offers = [Candidate(each.url, priority) for each in thousand_others()]
    hasty, patient = (Crawling(offers, steady(each)).run(300).now for each in (0.0, 2.0))
    assert hasty == patient


def test_negative_and_infinite_prices_keep_their_order_and_come_out():
    priorities = [-inf, -5.0, -1e300, 0.0, 1e300, inf, 1e9]
    offers = [Candidate(page(f"h{n % 5}", n), priorities[n % 7]) for n in range(70)]
    assert Crawling(offers, steady(2.0)).run().fetched.total() == 70


def order(scale: float, origin: float) -> tuple[list[Url], float]:
    bench, now, out, chance = Workbench(1.0, pace=steady(2.0)), 0.0, list[Url](), random.Random(5)
    bench.offer(
        [Candidate(page(chance.randrange(9), n), origin + scale * chance.random()) for n in range(200)]
    )
    while len(out) < 150:
        if found := bench.take(now):
            out.append(found.url)
            bench.done(found, now)
        else:
            now = bench.wake() or now
    return out, now


def test_the_scale_and_the_origin_of_prices_do_not_matter():
    assert order(1.0, 0.0) == order(1024.0, 0.0) == order(2.0**-10, 0.0)
    assert order(1.0, 0.0)[0] == order(1.0, -64.0)[0]


def two_hosts() -> Workbench:
    bench = Workbench(1.0, pace=steady(2.0))
    bench.offer([Candidate(page("good", n), 0.9) for n in range(50)])
    bench.offer([Candidate(page("other", n), 0.1) for n in range(50)])
    return bench


def asked_next(bench: Workbench, now: float) -> tuple[str, float]:
    while (found := bench.take(now)) is None:
        wake = bench.wake()
        assert wake is not None and wake > now
        now = wake
    return host_of(found.url), now


def test_who_hangs_is_waited_for_as_long_as_the_patience():
    bench = two_hosts()
    assert asked_next(bench, 0.0) == (GOOD, 0.0)
    host, now = asked_next(bench, 0.0)
    assert host == "http://other.test" and now == pytest.approx(2.0, abs=0.01)


def test_who_asks_for_a_rest_is_waited_for_as_long_as_the_patience():
    bench = two_hosts()
    first = bench.take(0.0)
    assert first
    bench.done(first, 0.3, rest=50.0)
    host, now = asked_next(bench, 0.3)
    assert host == "http://other.test" and now == pytest.approx(2.3, abs=0.01)


def test_who_rests_for_an_hour_is_not_waited_for_until_the_hour_is_nearly_over():
    bench = two_hosts()
    first = bench.take(0.0)
    assert first
    bench.done(first, 0.0, rest=3600.0)
    assert asked_next(bench, 0.0) == ("http://other.test", 0.0)
    assert bench.awaited(0.0) is None
    bench.done(Candidate(page("other", 0), 0.1), 3500.0)
    assert asked_next(bench, 3550.0)[1] > 3550.0


def test_it_is_said_who_is_waited_for_and_instead_of_what():
    bench = two_hosts()
    first = bench.take(0.0)
    assert first and bench.take(0.5) is None
    awaited = bench.awaited(0.5)
    assert awaited and (awaited.host, awaited.priority, awaited.other) == (GOOD, 0.9, 0.1)
    assert awaited.seconds == pytest.approx(2.0)
    bench.done(first, 1.0, rest=1.2)
    assert bench.take(1.0) is None
    awaited = bench.awaited(1.5)
    assert awaited and awaited.seconds == pytest.approx(0.7) and awaited.rest == 1.2


class EveryHost(BusyHosts):
    """Looks at every host each time."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    def add(self, host: Host, now: float) -> None:
        return

    def best(self, now: float) -> Host | None:
        found = []
        for host in self.bench._hosts.values():
            hangs = host.busy and not host.resting and now - host.asked_at > HORIZON
            near = host.ready_at - now <= HORIZON and not hangs
            if (host.resting or host.busy) and near and (rank := host.rank()):
                host.hoped = rank
                found.append((rank, host.name))
        return self.bench._hosts[min(found)[1]] if found else None


def decisions(bench: Workbench, seed: int) -> list[tuple[float, Url | None]]:
    """Return what is taken when, under random offers, priorities, answers and rests."""
    chance, now, number, log = random.Random(seed), 0.0, 0, list[tuple[float, Url | None]]()
    flying: list[tuple[float, Candidate]] = []
    for _ in range(400):
        for _ in range(chance.randrange(4)):
            number += 1
            bench.offer(
                [Candidate(page(chance.randrange(7), number), round(chance.random(), 1 + seed % 2 * 5))]
            )
        again = page(chance.randrange(7), chance.randrange(1, number + 2))
        bench.offer([Candidate(again, chance.random(), replaces_priority=True)])
        found = bench.take(now)
        log.append((round(now, 6), found.url if found else None))
        if found:
            flying.append((now + chance.choice([0.1, 0.3, 0.3, 5.0, 90.0]), found))
        else:
            wake = bench.wake()
            assert wake is None or wake > now
            now = min([*([wake] if wake is not None else []), *(end for end, _ in flying)], default=now)
        for end, sent in [each for each in flying if each[0] <= now]:
            flying.remove((end, sent))
            bench.done(sent, now, chance.choice([0.0, 0.0, 0.0, 59.0, 3600.0]))
    return log


@pytest.mark.parametrize("patience", [0.5, 2.0, 30.0])
def test_it_decides_as_if_it_looked_at_every_host(patience: float):
    for seed in range(12):
        slow = Workbench(1.0, pace=steady(patience))
        assert slow._budget
        slow._budget.hosts = EveryHost(slow)
        quick = decisions(Workbench(1.0, pace=steady(patience)), seed)
        assert quick == decisions(slow, seed)
        assert sum(url is None for _, url in quick) > 20


def test_a_median_forgets_what_is_old():
    middle = RunningMedian(3)
    assert middle.value == 0.0
    for number in (9.0, 9.0, 1.0, 2.0, 3.0):
        middle.add(number)
    assert middle.value == 2.0


def limited(**limits: float) -> Progress:
    return Progress(0.5, 0.0, Budget(**limits))  # type: ignore[arg-type]


def test_what_was_limited_decides_how_patient_a_crawl_is():
    assert pace_of(None, limited(pages=500))(0.0) == 2.0
    assert pace_of(None, limited())(0.0) == 2.0
    assert pace_of(0.7, limited(pages=500, seconds=10))(0.0) == 0.7
    assert pace_of(None, limited(pages=500, seconds=10))(0.0) == pytest.approx(0.04)  # two pages' time


def test_a_crawl_that_will_not_find_its_relevant_pages_in_time_loses_patience():
    progress = limited(relevant=100, seconds=10)
    pace = pace_of(None, progress)
    for number in range(5):
        progress.add(Visit(Candidate(page("a", number)), Outcome.FETCHED, 9.0, relevance=1.0))
    assert progress.relevant == 5
    assert 1.0 < pace(9.0) < 2.0


def paced(seconds: float, pages: int) -> Crawling:
    crawl = Crawling([*good_host(), *thousand_others()], steady(0.0))
    crawl.progress = limited(pages=pages, seconds=seconds)
    crawl.bench = Workbench(1.0, pace=pace_of(None, crawl.progress))
    crawl.bench.offer([*good_host(), *thousand_others()])
    return crawl.run(pages, seconds)


def test_thirty_seconds_for_a_hundred_thousand_pages_are_filled():
    assert paced(30.0, 100_000).fetched.total() > 1000


def test_both_limits_are_met_with_more_good_pages_than_in_haste():
    crawl = paced(150.0, 300)
    assert crawl.fetched.total() > 250
    assert crawl.good > 60


def test_time_to_spare_makes_a_crawl_more_patient_and_never_more_than_so_much():
    progress = limited(pages=20, seconds=1000)
    pace = pace_of(None, progress)
    for second in range(1, 10):
        progress.add(Visit(Candidate(page("a", second)), Outcome.FETCHED, float(second)))
        assert pace(float(second)) <= MOST
    assert pace(20.0) > 2.0


def test_a_crawl_that_goes_on_is_paced_by_what_is_still_missing():
    progress = limited(pages=100, seconds=50)
    for number in range(90):
        progress.add(Visit(Candidate(page("a", number)), Outcome.FETCHED, 0.0))
    assert pace_of(None, progress)(0.0) == 2.0  # five seconds for each of ten pages
