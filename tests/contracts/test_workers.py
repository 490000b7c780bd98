"""Exactly one visit per candidate, whatever the web, the parser or the judge may raise."""

import asyncio
from collections.abc import Sequence

import pytest

from thresher.core.clock import VirtualClock
from thresher.core.enums import Detail, Outcome
from thresher.core.errors import BadResponse, HostUnreachable, RobotsForbidden
from thresher.core.interfaces import Judge, Web
from thresher.core.records import Candidate, Fetched, Page, Reason, Url, Visit
from thresher.engine.read import PageReader
from thresher.engine.workers import LocalWorkers, Visitor, outcome_of


class ScriptedWeb(Web):
    """Answers each path with what its name says."""

    async def get(self, candidate: Candidate) -> Fetched:
        name = candidate.url.rpartition("/")[2]
        if name in RAISED:
            raise RAISED[name][0]
        await asyncio.sleep(0)
        status, _, location = name.partition("-")
        headers = (("location", location),) if location else ()
        return Fetched(candidate, candidate.url, int(status), headers, b"body", 1.0)

    async def close(self) -> None:
        pass


class FairJudge(Judge):
    threshold = 0.5

    def score(self, page: Page) -> float:
        return 0.7

    def similarity(self, text: str) -> float:
        return 0.0

    def explain(self, page: Page) -> Sequence[Reason]:
        return []


class BrokenJudge(FairJudge):
    def score(self, page: Page) -> float:
        raise ZeroDivisionError("no words")


RAISED: dict[str, tuple[Exception, Outcome]] = {
    "robots": (RobotsForbidden("robots.txt says no"), Outcome.FORBIDDEN),
    "down": (HostUnreachable("no route"), Outcome.FAILED),
    "garbled": (BadResponse("not HTTP"), Outcome.FAILED),
    "bug": (KeyError("ours"), Outcome.FAILED),
    "recursion": (RecursionError("deep"), Outcome.FAILED),
}
ANSWERED = {
    "200": "fetched",
    "301-200": "moved",
    "304": "unchanged",
    "403": "forbidden",
    "404": "gone",
    "500": "failed",
}


class SlowlyFair(Judge):
    """Scores everything alike, but not at once."""

    in_batches = True

    threshold = 0.5

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[int] = []
        self.fails = fails

    async def score_many(self, pages: Sequence[Page]) -> Sequence[float]:
        self.asked.append(len(pages))
        await asyncio.sleep(0.01)
        if self.fails:
            raise ConnectionError("the judge is away")
        return [0.25] * len(pages)

    def similarity(self, text: str) -> float:
        return 0.0

    def explain(self, page: Page) -> Sequence[Reason]:
        return []


def blank(fetched: Fetched) -> Page:
    return Page(fetched.url)


def visitor(judge: FairJudge | SlowlyFair | None = None) -> Visitor:
    reader = PageReader(blank, judge or FairJudge())
    return Visitor(ScriptedWeb(), reader, VirtualClock(9.0))


class Endless:
    """Visits that never end."""

    def stages(self) -> Sequence[tuple[str, object]]:
        return ()

    async def visit(self, candidate: Candidate) -> Visit:
        await asyncio.Event().wait()
        raise AssertionError("it never ends")

    async def close(self) -> None:
        pass


def at(path: str) -> Candidate:
    return Candidate(Url(f"http://a.test/{path}"))


@pytest.mark.parametrize("name", list(RAISED))
async def test_whatever_the_web_raises_becomes_one_visit_with_the_reason(name: str) -> None:
    visit = await visitor().visit(at(name))
    assert visit.outcome is RAISED[name][1]
    assert visit.reason
    assert visit.at == 9.0


@pytest.mark.parametrize("name", list(ANSWERED))
async def test_a_status_becomes_its_outcome(name: str) -> None:
    visit = await visitor().visit(at(name))
    assert visit.outcome.value == ANSWERED[name]
    assert (visit.page is not None) == (name == "200")


async def test_a_parser_that_raises_ends_one_visit_and_says_so() -> None:
    def parse(fetched: Fetched) -> Page:
        raise ValueError("odd markup")

    visit = await Visitor(ScriptedWeb(), PageReader(parse, FairJudge()), VirtualClock()).visit(at("200"))
    assert visit.outcome is Outcome.FAILED
    assert visit.detail is Detail.PARSER_FAILED
    assert "odd markup" in visit.reason


async def test_a_judge_that_raises_is_named_and_the_page_is_kept() -> None:
    visit = await visitor(BrokenJudge()).visit(at("200"))
    assert (visit.outcome, visit.detail) == (Outcome.FETCHED, Detail.JUDGE_FAILED)
    assert visit.page and "no words" in visit.reason


async def test_a_judge_who_takes_his_time_holds_up_nobody_and_is_asked_about_many_pages_at_once() -> None:
    judge = SlowlyFair()
    workers = LocalWorkers(visitor(judge), 20, VirtualClock())
    for _ in range(8):
        workers.send(at("200"))
    back = [visit for visit in [await workers.next(None) for _ in range(60)] if visit]
    assert [visit.relevance for visit in back] == [0.25] * 8
    assert max(judge.asked) > 1


async def test_a_judge_who_takes_his_time_and_fails_is_named_too() -> None:
    visit = await visitor(SlowlyFair(fails=True)).visit(at("200"))
    assert (visit.outcome, visit.detail) == (Outcome.FETCHED, Detail.JUDGE_FAILED)
    assert "away" in visit.reason


async def test_a_redirect_is_a_new_request_with_the_same_past() -> None:
    asked = Candidate(Url("http://a.test/301-200"), 0.4, hops_left=2, inherited=0.3, depth=5)
    visit = await visitor().visit(asked)
    assert visit.redirect is not None
    assert visit.redirect.url == "http://a.test/200"
    assert (visit.redirect.priority, visit.redirect.hops_left, visit.redirect.depth) == (0.4, 2, 5)
    assert visit.moved_to == "http://a.test/200"


async def test_redirects_without_end_are_a_trap() -> None:
    visit = await visitor().visit(Candidate(Url("http://a.test/302-200"), redirects=10))
    assert (visit.outcome, visit.detail) == (Outcome.TRAPPED, Detail.TOO_MANY_REDIRECTS)
    assert visit.redirect is None


async def test_a_redirect_to_no_web_address_is_a_failure_that_names_it() -> None:
    visit = await visitor().visit(at("302-mailto:x@y"))
    assert (visit.outcome, visit.detail) == (Outcome.FAILED, Detail.BAD_REDIRECT)
    assert "mailto:x@y" in visit.reason


async def test_as_many_visits_come_back_as_candidates_were_sent() -> None:
    workers = LocalWorkers(visitor(), 20, VirtualClock())
    sent = [at(name) for name in [*RAISED, *ANSWERED]]
    for candidate in sent:
        workers.send(candidate)
    assert (workers.busy, workers.free) == (len(sent), 20 - len(sent))
    back = [await workers.next(None) for _ in sent]
    assert sorted(visit.candidate.url for visit in back if visit) == sorted(each.url for each in sent)
    assert (workers.busy, await workers.next(0.0)) == (0, None)


async def test_a_visit_that_is_cancelled_from_within_comes_back_as_failed() -> None:
    class Cancelled(Endless):
        async def visit(self, candidate: Candidate) -> Visit:
            raise asyncio.CancelledError

    workers = LocalWorkers(Cancelled(), 1, VirtualClock())  # type: ignore[arg-type]
    workers.send(at("200"))
    visit = await workers.next(None)
    assert visit and (visit.outcome, visit.reason) == (Outcome.FAILED, "cancelled from within")
    assert workers.busy == 0


async def test_what_is_dropped_never_comes_back() -> None:
    workers = LocalWorkers(Endless(), 4, VirtualClock())  # type: ignore[arg-type]
    for name in ("1", "2", "3"):
        workers.send(at(name))
    await asyncio.sleep(0)
    await workers.cancel()
    assert (workers.busy, await workers.next(0.0)) == (0, None)


def test_every_status_has_an_outcome() -> None:
    for status in range(100, 600):
        assert outcome_of(status) in Outcome
