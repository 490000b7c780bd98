"""What a host may ask for, in every way HTTP lets it."""

import pytest

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fetched, Url, Visit
from thresher.engine.workers import reason_after
from thresher.export.wording import cause_of
from thresher.fetch.limits import Backoff, RetryPolicy, retry_after

URL = Url("http://a.test/")
NOW = 784_111_770.0  # seven seconds before Sun, 06 Nov 1994 08:49:37 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 5 ", 5.0),
        ("1.5", 1.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 7.0),
        ("Sun Nov  6 08:49:37 1994", 7.0),
        ("Sun, 06 Nov 1993 08:49:37 GMT", 0.0),
        ("-1", None),
        ("soon", None),
        ("", None),
        ("1e3", None),
        ("120, 240", None),
        ("\u0665", None),
        ("Wed, 99 Foo 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value, NOW) == seconds


async def test_an_answer_that_stays_an_error_says_how_often_it_was_asked_for():
    """What a report counts is the cause alone; the reason of the visit has the tries."""
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    async def ask() -> Fetched:
        return Fetched(Candidate(URL), URL, 503)

    policy = RetryPolicy(Backoff(), wait, lambda: NOW)
    fetched = await policy.get("http://a.test", ask)
    assert fetched.tries == len(waited) + 1 > 1
    visit = Visit(
        Candidate(URL), Outcome.FAILED, NOW, reason=reason_after("status 503", fetched.tries), status=503
    )
    assert visit.reason == f"status 503, after {fetched.tries} tries"
    assert cause_of(visit) == "status 503"
