"""A host that answers slowly gets a longer rest."""

import asyncio

from thresher.core.records import Candidate, Fetched, Url
from thresher.fetch.limits import LONGEST, Throttle


class Slow:
    """A clock that one request moves on."""

    now = 100.0

    async def answer(self) -> Fetched:
        self.now += 3.0
        return Fetched(Candidate(Url("http://a.test/")), Url("http://a.test/"), 200, (), b"", 0.0)


def test_a_slow_host_rests_for_as_long_as_it_took():
    slow = Slow()
    throttle = Throttle(1.0, lambda: slow.now)
    asyncio.run(throttle.timed("a", slow.answer))
    assert throttle.rest("a") == 3.0
    assert throttle.rest("b") == 0.0


def test_a_quick_host_needs_no_longer_rest_than_usual():
    throttle = Throttle(1.0)
    throttle.note("a", 0.4)
    assert throttle.rest("a") == 0.0


def test_one_slow_page_is_forgotten_soon():
    throttle = Throttle(1.0)
    for seconds in (0.2, 8.0, 0.2, 0.2, 0.2):
        throttle.note("a", seconds)
    assert throttle.rest("a") == 0.0


def test_a_quick_refusal_does_not_make_a_host_quick():
    throttle = Throttle(1.0)
    throttle.note("a", 8.0)
    throttle.note("a", 0.1, went_well=False)
    assert throttle.rest("a") == 8.0


def test_no_host_rests_for_longer_than_a_minute_and_none_where_nobody_is_to_rest():
    slow, unhurried = Throttle(1.0), Throttle(0.0)
    for throttle in (slow, unhurried):
        throttle.note("a", 500.0)
    assert slow.rest("a") == LONGEST
    assert unhurried.rest("a") == 0.0
