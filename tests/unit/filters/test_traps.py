"""Endless sites end, honest ones are read to the last page: by the shape of URLs and by what they bring."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest

from thresher.core.enums import Outcome, Refusal, Request
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.url import parse
from thresher.filters.filters import FilterChain
from thresher.filters.pages import Novelty, PageSignature
from thresher.filters.traps import Budgets, Traps
from thresher.filters.urls import MONTH, UrlLimits, climbs_forever, misshapen, pattern
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.parse.fingerprint import fingerprint
from thresher.store.database import Database
from thresher.strategies.classic import BreadthFirst

HOST = "http://a.test"
NOW = 1_700_000_000.0  # November 2023
VOCABULARY = ["".join(random.Random(n).choices("abcdefghijklmnoprstu", k=6)) for n in range(5_000)]

Site = Callable[[str], tuple[str, Sequence[str]]]


def prose(*about: object, words: int = 120) -> str:
    """Return a text of its own for each thing it is about."""
    return " ".join(random.Random(repr(about)).choices(VOCABULARY, k=words))


@dataclass
class Reader:
    """A whole crawl of one site without a network: every path has its text and links."""

    site: Site
    traps: Traps = field(default_factory=Traps)
    asked: list[str] = field(default_factory=list)

    def crawl(self, most: int = 5_000) -> list[str]:
        """Return the paths fetched, in order; more than `most` of them is a crawl without end."""
        frontier, filters, memory = Workbench(0.0), FilterChain(traps=self.traps), Database()
        topic = Topic("bees", {"bee": 1.0})
        strategy = BreadthFirst(judge=Cosine(topic), topic=topic)
        frontier.offer([Candidate(Url(f"{HOST}/"), kind=Request.SEED)])
        while candidate := frontier.take(NOW):
            if filters.recheck(candidate):
                frontier.skip(candidate)
                continue
            self.asked.append(candidate.url.removeprefix(HOST))
            assert len(self.asked) <= most, "this crawl does not end"
            frontier.done(candidate, NOW)
            visit = self.visit(candidate)
            offers = [*strategy.on_visit(visit, memory)]
            frontier.push(filters.admit(offers, visit, frontier.update).accepted)
            filters.commit(visit)
        self.refused = {reason.value: number for reason, number in filters.refused.items()}
        return self.asked

    def visit(self, candidate: Candidate) -> Visit:
        text, targets = self.site(candidate.url.removeprefix(HOST))
        if not text:
            return Visit(candidate, Outcome.GONE, NOW)
        links = tuple(Link(candidate.url, parse(HOST + target)) for target in targets)
        page = Page(
            candidate.url, text=text, main=text, links=links, fingerprint=fingerprint((), text, text, ())
        )
        return Visit(candidate, Outcome.FETCHED, NOW, page)


def from_home(entrance: str, site: Site) -> Site:
    """Return the site with a home page that leads to its entrance."""
    return lambda path: (prose("home"), [entrance]) if path == "/" else site(path)


# --- honest sites


def test_a_large_shop_is_read_to_its_last_page() -> None:
    """A thousand numbered pages of one pattern, each with a text and a few random neighbours."""

    def shop(path: str) -> tuple[str, list[str]]:
        number = int(path.rpartition("/")[2])
        dice = random.Random(number)
        return prose(number), [
            f"/p/{(number + 1) % 1_000}",
            *(f"/p/{dice.randrange(1_000)}" for _ in range(5)),
        ]

    assert len(Reader(from_home("/p/0", shop)).crawl()) == 1_001


def test_a_list_of_many_pages_is_read_to_its_last_entry() -> None:
    def archive(path: str) -> tuple[str, list[str]]:
        return prose(path), [f"/item/{n}" for n in range(800)] if path == "/list" else []

    assert len(Reader(from_home("/list", archive)).crawl()) == 802


def test_pages_of_a_list_that_repeat_their_standing_text_are_followed_to_the_end() -> None:
    """A hundred pages say the same, but each leads to ten others that do not."""

    def catalogue(path: str) -> tuple[str, list[str]]:
        if path.startswith("/item/"):
            return prose(path), []
        number = int(path.rpartition("=")[2])
        items = [f"/item/{n}" for n in range(number * 10, number * 10 + 10)]
        return "Our catalogue", [*items, f"/list?page={number + 1}"] if number < 100 else []

    asked = Reader(from_home("/list?page=0", catalogue)).crawl()
    assert sum(path.startswith("/item/") for path in asked) == 1_000


def test_a_hundred_failing_links_of_one_page_are_all_tried() -> None:
    broken = {f"/raw/{n}": ("", ()) for n in range(150)}
    asked = Reader(lambda path: (prose("home"), list(broken)) if path == "/" else ("", ())).crawl()
    assert set(broken) <= set(asked)


# --- endless ones


@pytest.mark.parametrize(
    ("entrance", "site", "most"),
    [
        ("/page?n=0", lambda path: ("No results", [f"/page?n={int(path.rpartition('=')[2]) + 1}"]), 25),
        ("/r/0", lambda path: ("Photo", [f"/r/{n}" for n in children(path)]), 25),
        ("/maze/0", lambda path: (prose(path), [f"/maze/{n}" for n in children(path)]), 210),
        ("/a/", lambda path: (prose(path), [f"{path}a/", f"{path}b/"]), 40),
        ("/w?c=1", lambda path: (prose(path), [f"{path}&c={n}" for n in range(5)]), 40),
        ("/long", lambda path: (prose(path), [f"{path}{'x' * 100}"]), 25),
    ],
    ids=["paging", "empty tree", "tree of fresh texts", "path", "query", "length"],
)
def test_an_endless_site_ends(entrance: str, site: Site, most: int) -> None:
    assert len(Reader(from_home(entrance, site)).crawl(most + 1)) <= most + 1


def children(path: str, many: int = 10) -> list[str]:
    """Return the names of pages nobody has heard of."""
    dice = random.Random(path)
    return [f"{dice.getrandbits(64):016x}" for _ in range(many)]


def test_a_calendar_ends_although_every_month_leads_back_to_the_one_before() -> None:
    def calendar(path: str) -> tuple[str, list[str]]:
        year, month = map(int, path.removeprefix("/events/").split("/"))
        months = (divmod(year * 12 + month - 1 + step, 12) for step in (-1, 1, 12))
        return "No events", [f"/events/{later}/{earlier + 1}" for later, earlier in months]

    reader = Reader(from_home("/events/2024/1", calendar))
    assert len(reader.crawl()) < 30
    assert reader.refused["calendar"]


def test_a_calendar_with_something_new_for_every_month_still_ends_in_the_future() -> None:
    def diary(path: str) -> tuple[str, list[str]]:
        year, month = map(int, path.removeprefix("/diary/").split("/"))
        months = (divmod(year * 12 + month - 1 + step, 12) for step in (-1, 1))
        return prose(path), [f"/diary/{at}/{of + 1}" for at, of in months if at >= 2020]

    asked = Reader(from_home("/diary/2022/1", diary)).crawl()
    assert {int(path.split("/")[2]) for path in asked[1:]} == set(range(2020, 2029))


def test_session_ids_nobody_knows_are_found_out_and_every_page_is_read_all_the_same() -> None:
    """Forty pages, and every view of one hands out new tokens for three others."""
    tokens = count()

    def board(path: str) -> tuple[str, list[str]]:
        page = int(path.partition("=")[2].partition("&")[0])
        fresh = [f"{random.Random(next(tokens)).getrandbits(128):032x}" for _ in range(3)]
        return prose(page), [f"/b?p={(page + step) % 40}&tok={token}" for step, token in enumerate(fresh, 1)]

    reader = Reader(from_home("/b?p=0", board))
    asked = reader.crawl(200)
    assert {path.partition("&")[0] for path in asked[1:]} == {f"/b?p={n}" for n in range(40)}


def test_a_host_that_keeps_inventing_patterns_runs_out_of_its_own_budget() -> None:
    """Each page belongs to a pattern of its own, says nothing, and leads to two more."""

    def tarpit(path: str) -> tuple[str, list[str]]:
        names = random.Random(path).sample(VOCABULARY, 4)
        return "Nothing here", [f"/{names[0]}/{names[1]}", f"/{names[2]}/{names[3]}"]

    reader = Reader(tarpit, Traps(Budgets(host=300)))
    assert len(reader.crawl(1_000)) <= 301
    assert reader.refused["host budget spent"]


def test_the_pages_of_a_host_can_be_limited() -> None:
    def endless(path: str) -> tuple[str, list[str]]:
        return prose(path), ["/", *(f"/{name}" for name in children(path, 3))]

    reader = Reader(endless, Traps(Budgets(host_pages=50)))
    assert len(reader.crawl()) == 51  # the seed is the user's own word and does not count
    assert reader.refused["host budget spent"]


# --- the rules one by one


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("/", f"/{'x' * 2_100}", "long URL"),
        ("/", "/a/b/a/b/a/b", "repeated path"),
        ("/", "/img/img/img", "repeated path"),
        ("/", "/en/docs/en/docs", ""),
        ("/", "/11/11/11", ""),
        ("/", "/" + "/".join(map(str, range(21))), "deep path"),
        ("/", "/?" + "&".join(f"p{n}=1" for n in range(25)), "many parameters"),
        ("/f?a=1&b=1&c=1&d=1", "/f?a=1&b=1&c=1&d=1&e=1", "growing query"),
        ("/f?a=1", "/f?a=1&b=1", ""),
        ("/f", "/f?a=1&b=1&c=1&d=1&e=1", ""),
        ("/f?c=1&c=2", "/f?c=1&c=2&c=3", "growing query"),
        ("/login?to=" + "x" * 150, "/login?to=" + "x" * 400, "growing query"),
    ],
)
def test_a_url_may_give_itself_away(source: str, target: str, reason: str) -> None:
    found = misshapen(Url(HOST + target), Url(HOST + source), UrlLimits())
    assert (found.value if found else "") == reason


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "/"),
        ("/p/123", "/p/{n}"),
        ("/photo-12.html", "/photo-{n}.html"),
        ("/blog/spring-in-the-garden/", "/blog/*/"),
        ("/2024/05/06/spring", "/{date}/*"),
        ("/events/2024-5", "/events/{date}"),
        ("/d/9f8e7d6c5b4a", "/d/{id}"),
        ("/d/123e4567-e89b-12d3-a456-426614174000", "/d/{id}"),
        ("/index.php?title=Bee&id=5", "/index.php?id&title"),
        ("/one/two/three/four/five/six/seven", "/one/two/**"),
    ],
)
def test_urls_of_one_kind_have_one_pattern(path: str, kind: str) -> None:
    assert pattern(Url(HOST + path)) == HOST + kind


@pytest.mark.parametrize(
    ("source", "target", "off"),
    [
        ("/cal/2028/12", "/cal/2029/1", True),
        ("/cal/2028/12", "/cal/2028/11", False),
        ("/cal?year=2028&month=12", "/cal?year=2029&month=1", True),
        ("/cal-1800-01-05", "/cal-1799-12-31", True),
        ("/1895/06/", "/1894/06/", False),
        ("/thread/1234/1", "/thread/1234/2", False),
        ("/about", "/item/2044/1", False),
        ("/20280/5", "/20310/5", False),
    ],
)
def test_a_calendar_is_left_where_it_steps_over_the_edge(source: str, target: str, off: bool) -> None:
    month = MONTH.search(HOST + target)
    assert (month is not None and climbs_forever(month, Url(HOST + source), 2023)) is off


def test_a_seed_and_a_revisit_are_never_refused() -> None:
    filters, address = FilterChain(), Url(f"{HOST}/a/a/a/{'x' * 3_000}")
    link = Link(Url(f"{HOST}/"), address)
    for kind, admitted in ((Request.SEED, 1), (Request.REVISIT, 1), (Request.LINK, 0)):
        offer = Candidate(address, via=link, kind=kind)
        assert len(filters.admit([offer], None, list).accepted) == admitted
    assert filters.refused == {Refusal.LONG_URL: 1}


def test_a_spent_pattern_recovers_neither_its_waiting_nor_its_new_urls() -> None:
    traps = Traps(Budgets(template=3))
    for number in range(3):
        traps.learn(PageSignature(Url(f"{HOST}/p/{number}"), NOW, Novelty.STALE))
    assert traps.over_budget(Url(f"{HOST}/p/9")) is Refusal.TEMPLATE_SPENT
    assert traps.refuses(Url(f"{HOST}/p/10"), Url(f"{HOST}/")) is Refusal.TEMPLATE_SPENT
    assert traps.refuses(Url(f"{HOST}/q/10"), Url(f"{HOST}/")) is None


def test_fresh_pages_keep_a_pattern_going_although_every_fourth_is_stale() -> None:
    traps = Traps(Budgets(template=3))
    for number in range(400):
        worth = Novelty.STALE if number % 4 == 0 else Novelty.FRESH
        traps.learn(PageSignature(Url(f"{HOST}/p/{number}"), NOW, worth))
        assert traps.over_budget(Url(f"{HOST}/p/{number + 1}")) is None


def test_the_memory_of_traps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.filters.traps.KEPT", 100)
    traps = Traps()
    for number in range(1_000):
        traps.learn(PageSignature(Url(f"http://h{number}.test/p/{number}"), NOW, Novelty.STALE))
    assert len(traps._debts) <= 100
