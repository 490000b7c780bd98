"""The loop folds visits: exact budgets, redirects as new requests, loud failures that lose nothing."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from thresher.core.clock import RealClock, VirtualClock
from thresher.core.enums import Detail, Outcome, Refusal
from thresher.core.errors import JudgeFailed, StageFailed, StrategyFailed
from thresher.core.interfaces import Admission, CrawlView, Unknown, Web
from thresher.core.progress import NOTHING_LEFT, Budget, Finish, FinishKind, Progress
from thresher.core.records import Candidate, Fetched, Link, Page, Topic, Url, Visit
from thresher.core.strategy import LabelFeed, Strategy
from thresher.engine.crawl import Crawl
from thresher.engine.read import PageReader
from thresher.engine.workers import LocalWorkers, Visitor
from thresher.filters.filters import FilterChain
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.judges.boilerplate import WithoutBoilerplate
from thresher.store.database import Database
from thresher.strategies.classic import BestFirst, BreadthFirst

TOPIC = Topic("bees", {"bee": 1.0})
SEED = Url("http://a.test/")


@dataclass
class GraphWeb(Web):
    """A web in a dictionary: URL to (text, targets); a text that begins with '->' is a redirect."""

    pages: dict[str, tuple[str, list[str]]]
    asked: list[str] = field(default_factory=list)

    async def get(self, candidate: Candidate) -> Fetched:
        self.asked.append(candidate.url)
        text, _ = self.pages.get(candidate.url, ("", []))
        if text.startswith("->"):
            return Fetched(candidate, candidate.url, 301, (("location", text[2:]),))
        status = 200 if candidate.url in self.pages else 404
        return Fetched(candidate, candidate.url, status, (), text.encode())

    async def close(self) -> None:
        pass

    def parse(self, fetched: Fetched) -> Page:
        text, targets = self.pages[fetched.url]
        links = tuple(Link(fetched.url, Url(target)) for target in targets)
        return Page(fetched.url, text=text, links=links)


def assembled(
    web: GraphWeb, strategy: type[Strategy], budget: Budget, workers: int = 4, delay: float = 0.0
) -> Crawl:
    judge, clock = Cosine(TOPIC), VirtualClock()
    visitor = Visitor(web, PageReader(web.parse, judge), clock)
    return Crawl(
        LocalWorkers(visitor, workers, clock),
        Database(),
        strategy(judge=judge, topic=TOPIC),
        FilterChain(rules=False),
        Workbench(delay),
        clock,
        Progress(judge.threshold, clock.now(), budget),
        name=strategy.__name__,
    )


def chain(length: int) -> dict[str, tuple[str, list[str]]]:
    return {
        f"http://a.test/{n or ''}": ("bee" if n % 2 else "ant", [f"http://a.test/{n + 1}"])
        for n in range(length)
    }


def star(leaves: int) -> dict[str, tuple[str, list[str]]]:
    targets = [f"http://h{n}.test/" for n in range(leaves)]
    return {SEED: ("bee", targets), **{target: ("bee", []) for target in targets}}


async def test_the_page_limit_is_exact_even_with_many_hands() -> None:
    web = GraphWeb(star(50))
    crawl = assembled(web, BreadthFirst, Budget(pages=17), workers=16)
    assert await crawl.run([SEED]) == Finish(FinishKind.PAGES, "page limit of 17 reached", 17)
    assert crawl.progress.pages == len(web.asked) == 17


async def test_a_crawl_ends_when_nothing_is_left() -> None:
    crawl = assembled(GraphWeb(chain(5)), BreadthFirst, Budget())
    assert await crawl.run([SEED]) is NOTHING_LEFT
    assert crawl.progress.outcomes == {Outcome.FETCHED: 5, Outcome.GONE: 1}


async def test_a_gone_page_is_no_page_fetched() -> None:
    crawl = assembled(GraphWeb(chain(5)), BreadthFirst, Budget(pages=6))
    await crawl.run([SEED])
    assert (crawl.progress.pages, crawl.progress.visits) == (5, 6)


async def test_the_limit_of_relevant_pages_ends_the_crawl() -> None:
    crawl = assembled(GraphWeb(chain(20)), BreadthFirst, Budget(relevant=3), workers=1)
    finish = await crawl.run([SEED])
    assert (finish.kind, finish.limit) == (FinishKind.RELEVANT, 3)
    assert finish.sentence == "limit of 3 relevant pages reached"
    assert crawl.progress.relevant == 3


async def test_a_day_of_waiting_costs_nothing_in_virtual_time() -> None:
    crawl = assembled(GraphWeb(chain(10)), BreadthFirst, Budget(), delay=86_400.0)
    await crawl.run([SEED])
    assert crawl.clock.now() >= 9 * 86_400.0


async def test_the_time_limit_ends_a_crawl_whose_hosts_all_rest() -> None:
    crawl = assembled(GraphWeb(chain(1000)), BreadthFirst, Budget(seconds=30.0), delay=7.0)
    assert (await crawl.run([SEED])).kind is FinishKind.TIME
    assert crawl.progress.pages == 5  # at 0, 7, 14, 21 and 28 seconds


async def test_a_redirect_is_a_new_request_and_its_target_is_parsed_under_its_own_name() -> None:
    web = GraphWeb({SEED: ("->/new", []), "http://a.test/new": ("bee", [])})
    crawl = assembled(web, BreadthFirst, Budget())
    await crawl.run([SEED])
    assert crawl.progress.outcomes == {Outcome.MOVED: 1, Outcome.FETCHED: 1}
    assert crawl.store.relevance(Url("http://a.test/new")) == 1.0


async def test_a_redirect_that_leads_home_again_ends() -> None:
    web = GraphWeb({SEED: ("->/b", []), "http://a.test/b": ("->/", [])})
    crawl = assembled(web, BreadthFirst, Budget())
    assert await crawl.run([SEED]) is NOTHING_LEFT
    assert crawl.progress.outcomes == {Outcome.MOVED: 2}


async def test_best_first_follows_the_relevant_page_first() -> None:
    web = GraphWeb(
        {
            SEED: ("ant", ["http://a.test/off", "http://a.test/on"]),
            "http://a.test/off": ("ant", ["http://a.test/off/1"]),
            "http://a.test/on": ("bee", ["http://a.test/on/1"]),
            "http://a.test/off/1": ("ant", []),
            "http://a.test/on/1": ("bee", []),
        }
    )
    await assembled(web, BestFirst, Budget(), workers=1).run([SEED])
    assert web.asked.index("http://a.test/on/1") < web.asked.index("http://a.test/off/1")


class Forgetful(Strategy):
    """Raises at the third visit."""

    seen = 0

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        self.seen += 1
        if self.seen == 3:
            raise LookupError("where was I?")
        return [Candidate(link.target, via=link) for link in (visit.page.links if visit.page else ())]


async def test_a_strategy_that_raises_stops_the_crawl_by_name_and_the_visit_is_kept_once() -> None:
    crawl = assembled(GraphWeb(chain(10)), Forgetful, Budget())
    with pytest.raises(StrategyFailed, match=r"Forgetful raised LookupError.*http://a.test/2"):
        await crawl.run([SEED])
    assert len(crawl.store.history(Url("http://a.test/2"))) == 1


async def test_a_stop_from_outside_keeps_what_is_under_way() -> None:
    web = GraphWeb(star(40))
    crawl = assembled(web, BreadthFirst, Budget(), workers=8)

    stop = Finish(FinishKind.INTERRUPTED, "interrupted")

    def interrupt(visit: Visit, progress: Progress) -> None:
        if progress.visits == 5:
            progress.stopping = stop

    crawl.observers = (interrupt,)
    assert await crawl.run([SEED]) is stop
    assert crawl.workers.busy == 0
    assert crawl.progress.visits == len(web.asked)


class Hesitant(Strategy):
    """Offers what everybody knows twice before it offers something new."""

    answers = 0

    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        self.answers += 1
        return [Candidate(SEED if self.answers < 3 else Url("http://b.test/"))] if self.answers < 5 else []


async def test_a_crawl_goes_on_until_the_strategy_has_no_more_to_offer() -> None:
    web = GraphWeb({SEED: ("bee", []), "http://b.test/": ("bee", [])})
    crawl = assembled(web, Hesitant, Budget())
    assert await crawl.run([SEED]) is NOTHING_LEFT
    assert web.asked == [SEED, "http://b.test/"]


class Stubborn(Strategy):
    """Offers the same link of a page whose author asks us not to follow it, for ever."""

    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        secret = Url("http://a.test/secret")
        return [Candidate(secret, via=Link(SEED, secret, rel="nofollow"))]


async def test_a_strategy_that_never_gives_in_does_not_outlive_the_time_limit() -> None:
    web = GraphWeb({SEED: ("bee", [])})
    crawl = assembled(web, Stubborn, Budget(seconds=0.2))
    crawl.clock = RealClock()
    crawl.progress.started = crawl.clock.now()
    finish = await asyncio.wait_for(crawl.run([SEED]), timeout=10)
    assert finish.kind is FinishKind.TIME
    assert web.asked == [SEED]
    assert crawl.filters.refused[Refusal.NOFOLLOW] > 1


@dataclass
class Pupil(Strategy):
    """Hears what the user says, and may not bear it."""

    heard: list[dict[Url, bool]] = field(default_factory=list)
    bears: bool = True

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        return []

    def on_labels(self, labels: Mapping[Url, bool], memory: CrawlView) -> Iterable[Candidate]:
        self.heard.append(dict(labels))
        if not self.bears:
            raise ValueError("not that one")
        return []


class Said(LabelFeed):
    """Labels that are there from the start, and new once."""

    def __init__(self) -> None:
        self.labels: dict[Url, bool] = {SEED: False}

    def new_labels(self) -> Mapping[Url, bool]:
        told, self.labels = self.labels, {}
        return told


async def test_what_the_user_says_reaches_the_strategy_with_the_next_visit() -> None:
    crawl = assembled(GraphWeb(star(3)), Pupil, Budget())
    crawl.labels = Said()
    await crawl.run([SEED])
    assert isinstance(crawl.strategy, Pupil) and crawl.strategy.heard == [{SEED: False}]


async def test_a_failure_at_the_labels_is_not_one_at_the_visit() -> None:
    crawl = assembled(GraphWeb(star(3)), Pupil, Budget())
    assert isinstance(crawl.strategy, Pupil)
    crawl.labels, crawl.strategy.bears = Said(), False
    with pytest.raises(StrategyFailed, match="at the labels") as raised:
        await crawl.run([SEED])
    assert raised.value.unlearned == ""  # the visit was learned, and is not to be learned twice


class Tired(FilterChain):
    """A gate that finds nothing worth its request but the seed."""

    def recheck(self, candidate: Candidate) -> Refusal | None:
        return None if candidate.url == SEED else Refusal.HOST_SPENT


async def test_what_is_not_worth_its_request_any_more_is_passed_over_in_turns() -> None:
    crawl = assembled(GraphWeb({SEED: ("bee", [f"{SEED}{n}" for n in range(900)])}), BreadthFirst, Budget())
    crawl.filters, turns = Tired(rules=False), list[int]()
    send = crawl.dispatch

    def counted(now: float) -> float | None:
        before = len(crawl.frontier)
        wake = send(now)
        turns.append(before - len(crawl.frontier))
        return wake

    crawl.dispatch = counted  # type: ignore[method-assign]
    assert await crawl.run([SEED]) == NOTHING_LEFT
    assert sum(turns) == 901 and max(turns) == 200


async def test_a_page_of_many_links_is_folded_with_breaks_and_whole_even_when_the_crawl_is_cancelled() -> (
    None
):
    web = GraphWeb({SEED: ("bee", [f"{SEED}{n}" for n in range(20_000)])})
    crawl = assembled(web, BreadthFirst, Budget())
    crawling, waiting = asyncio.create_task(crawl.run([SEED])), list[int]()

    def cancel() -> None:  # in a break after the page was stored
        waiting.append(len(crawl.frontier))
        crawling.cancel()

    crawl.store.flush = cancel  # type: ignore[method-assign]
    with pytest.raises(asyncio.CancelledError):
        await crawling
    assert waiting[0] == 0 and len(waiting) > 4
    assert len(crawl.frontier) == 20_000


class BrokenJudge(WithoutBoilerplate):
    """Raises at the third page that it meets."""

    met = 0

    def update(self, visit: Visit) -> Visit:
        self.met += 1
        if self.met == 3:
            raise LookupError("what was wanted?")
        return visit


async def test_a_judge_that_raises_stops_the_crawl_by_name_and_the_visit_is_kept_as_not_judged() -> None:
    crawl = assembled(GraphWeb(chain(10)), BreadthFirst, Budget())
    crawl.judge = BrokenJudge(Cosine(TOPIC), ())
    with pytest.raises(
        JudgeFailed, match=r"judge failed at http://a.test/2 \(LookupError\('what was wanted\?'\)\)"
    ):
        await crawl.run([SEED])
    assert [each.detail for each in crawl.store.history(Url("http://a.test/2"))] == [Detail.JUDGE_FAILED]
    assert len(crawl.store.history(Url("http://a.test/1"))) == 1


class BrokenFilters(FilterChain):
    """Raises at the third page whose links it is asked about."""

    def admit(self, offers: Sequence[Candidate], visit: Visit | None, unknown: Unknown) -> Admission:
        if visit and visit.candidate.url == "http://a.test/2":
            raise LookupError("which links?")
        return super().admit(offers, visit, unknown)


async def test_filters_that_raise_stop_the_crawl_at_a_visit_that_is_kept_and_learned_from_again() -> None:
    crawl = assembled(GraphWeb(chain(10)), BreadthFirst, Budget())
    crawl.filters = BrokenFilters(rules=False)
    with pytest.raises(StageFailed, match=r"filters raised LookupError.*http://a.test/2") as raised:
        await crawl.run([SEED])
    assert raised.value.unlearned == "http://a.test/2"
    assert len(crawl.store.history(Url("http://a.test/2"))) == 1
