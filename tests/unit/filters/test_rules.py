"""Which pages are expanded: duplicates, copies, soft 404s and what authors ask for."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from thresher.core.enums import Detail, Outcome, Request
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Fetched, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.filters.filters import FilterChain
from thresher.filters.pages import SimHashes, Texts, drop_missing, drop_noindex, seems_missing
from thresher.judges.baselines import Cosine
from thresher.parse import parse
from thresher.store.database import Database
from thresher.strategies.base import follow, links_of
from thresher.strategies.jamali import Jamali
from thresher.text.page_record import record_of

HOST = "http://a.test"
TOPIC = Topic("bees", {"bee": 1.0})
ESSAY = " ".join(f"The {n}th bee of the hive flew {n * n} rods to the heather and back." for n in range(12))
ANOTHER = " ".join(f"Old maps show {n} wells along the road to the chapel on hill {n}." for n in range(12))


@dataclass
class Remembering(Strategy):
    """Offers every link and remembers what it learned from."""

    learned: list[str] = field(default_factory=list)

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        self.learned.append(visit.candidate.url)
        return [follow(visit, link, priority=0.5) for link in links_of(visit)]


class Guarded:
    """A strategy and the gate its offers have to pass; nothing is known to the frontier yet."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy, self.filters, self.memory = strategy, FilterChain(), Database()

    def learn(self, seen: Visit) -> list[Candidate]:
        return self._passed(self.strategy.on_visit(seen, self.memory), seen)

    def more(self) -> list[Candidate]:
        return self._passed(self.strategy.on_empty(self.memory))

    def refused(self) -> dict[str, int]:
        return {reason.value: count for reason, count in self.filters.refused.items()}

    def _passed(self, offers: Iterable[Candidate], seen: Visit | None = None) -> list[Candidate]:
        offers, canonical = [*offers], self.filters.canonical(seen) if seen else None
        admitted = self.filters.admit([*offers, canonical] if canonical else offers, seen, list).accepted
        if seen:
            self.filters.commit(seen)
        return admitted


@pytest.fixture
def rules() -> Guarded:
    return Guarded(Remembering(judge=Cosine(TOPIC), topic=TOPIC))


def visit(path: str, text: str, head: str = "", links: Iterable[str] = ("/next",), **asked: object) -> Visit:
    """Return the visit to a page of that text, parsed from HTML as every page is."""
    anchors = " ".join(f'<a href="{target}">on</a>' for target in links)
    url = Url(HOST + path)
    body = f"<html><head>{head}</head><body><main><p>{text}</p></main>{anchors}</body></html>"
    candidate = Candidate(url, 0.5, Link(Url(f"{HOST}/"), url), depth=1, **asked)  # type: ignore[arg-type]
    fetched = Fetched(candidate, url, 200, (("content-type", "text/html; charset=utf-8"),), body.encode())
    return Visit(candidate, Outcome.FETCHED, 1.7e9, parse(fetched))


def offered(rules: Guarded, seen: Visit) -> list[str]:
    return [offer.url.removeprefix(HOST) for offer in rules.learn(seen)]


def test_a_page_with_a_text_of_its_own_is_expanded(rules: Guarded) -> None:
    assert offered(rules, visit("/1", ESSAY)) == ["/next"]
    assert offered(rules, visit("/2", ANOTHER)) == ["/next"]
    assert not rules.refused()


def test_a_near_duplicate_is_learned_from_but_not_expanded(rules: Guarded) -> None:
    offered(rules, visit("/1", ESSAY + " Printed on day 1."))
    assert offered(rules, visit("/2", ESSAY + " Printed on day 2.", links=["/a", "/b"])) == []
    assert rules.refused() == {"on a near-duplicate": 2}
    assert rules.strategy.learned == [f"{HOST}/1", f"{HOST}/2"]  # type: ignore[attr-defined]


def test_pages_of_a_template_that_differ_in_more_than_numbers_are_expanded(rules: Guarded) -> None:
    """Of two constructors only the names differ: each leads to functions of its own."""
    offered(rules, visit("/1", ESSAY + " Basic stream."))
    known = visit("/2", ESSAY + " Basic string.", links=["/a", "/b"])
    assert offered(rules, known) == ["/a", "/b"]


def test_short_pages_that_say_the_same_are_expanded(rules: Guarded) -> None:
    for path in ("/1", "/2"):
        assert offered(rules, visit(path, "Enter")) == ["/next"]


def test_a_list_under_a_standing_text_is_expanded(rules: Guarded) -> None:
    """Its main text is known, but most of what a reader sees is not that."""
    for number in range(2):
        seen = visit("/list", ESSAY)
        assert seen.page
        page = replace(seen.page, text=seen.page.main + " ".join(f"entry {number}{n}" for n in range(500)))
        assert offered(rules, replace(seen, page=page)) == ["/next"]


def test_offers_that_do_not_come_from_the_duplicate_are_kept(rules: Guarded) -> None:
    class Reranking(Remembering):
        def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
            return [
                *super().on_visit(visit, memory),
                Candidate(Url(f"{HOST}/waiting"), 0.9, replaces_priority=True),
            ]

    rules.strategy = Reranking(judge=Cosine(TOPIC), topic=TOPIC)
    offered(rules, visit("/1", ESSAY))
    assert offered(rules, visit("/2", ESSAY)) == ["/waiting"]


def test_a_page_that_is_not_expanded_is_not_expanded_later_either() -> None:
    """Jamali's strategy offers the links of a page long after it was read."""
    rules = Guarded(Jamali(judge=Cosine(TOPIC), topic=TOPIC))
    seen = visit("/1", ESSAY, head='<meta name="robots" content="nofollow">')
    rules.memory.add(seen)
    assert rules.learn(seen) == []
    assert rules.more() == []
    assert rules.refused() == {"on a nofollow page": 1}


def test_a_page_that_is_not_expanded_does_not_keep_others_from_it() -> None:
    """Its links are all left out, and a strategy that has more to offer is asked again."""
    rules = Guarded(Jamali(judge=Cosine(TOPIC), topic=TOPIC))
    for seen in (
        visit("/1", ESSAY, head='<meta name="robots" content="nofollow">', links=["/a"]),
        visit("/2", ANOTHER, links=["/b"]),
    ):
        rules.memory.add(seen)
        rules.learn(seen)
    assert rules.more() == []
    assert [offer.url for offer in rules.more()] == [f"{HOST}/b"]


def test_a_revisit_is_not_a_duplicate_of_itself(rules: Guarded) -> None:
    offered(rules, visit("/1", ESSAY))
    assert offered(rules, visit("/1", ESSAY, kind=Request.REVISIT, not_before=5.0)) == ["/next"]


def test_a_back_link_question_is_no_page(rules: Guarded) -> None:
    offered(rules, visit("/1", ESSAY))
    assert offered(rules, visit("/1", ESSAY, kind=Request.BACKLINKS)) == ["/next"]


def test_no_rule_about_pages_concerns_a_question(rules: Guarded) -> None:
    question = Candidate(
        Url(f"{HOST}/a/a/a/a"), via=Link(Url(f"{HOST}/1"), Url(HOST)), kind=Request.BACKLINKS
    )
    assert rules.filters.admit([question], None, list).accepted == [question]
    assert rules.filters.recheck(question) is None


def test_a_nofollow_page_offers_nothing_unless_the_user_says_so(rules: Guarded) -> None:
    head = '<meta name="robots" content="nofollow">'
    assert offered(rules, visit("/1", ESSAY, head)) == []
    assert rules.refused() == {"on a nofollow page": 1}
    rules.filters.pages.obey_nofollow = False
    assert offered(rules, visit("/2", ANOTHER, head)) == ["/next"]


def test_a_noindex_page_is_followed_and_leaves_no_word_behind(rules: Guarded) -> None:
    seen = visit("/1", ESSAY, '<title>Bees</title><meta name="robots" content="noindex">')
    kept = drop_noindex(seen)
    assert kept.page and kept.outcome is Outcome.FETCHED
    assert (kept.page.title, kept.page.text, kept.page.main) == ("", "", "")
    assert offered(rules, kept) == ["/next"]
    assert drop_noindex(visit("/2", ESSAY)).page.text  # type: ignore[union-attr]


# --- canonical


def canonical(target: str) -> str:
    return f'<link rel="canonical" href="{target}">'


def test_the_canonical_form_is_offered_as_the_page_itself_was(rules: Guarded) -> None:
    seen = visit("/print/1", ESSAY, canonical("/1"))
    onward, found = rules.learn(seen)[::-1]
    assert onward == replace(seen.candidate, url=Url(f"{HOST}/1"), redirects=1, kind=Request.CANONICAL)
    assert found.url == f"{HOST}/next"  # nobody knows yet that the two are alike


def test_a_copy_of_a_canonical_page_that_was_read_is_not_expanded(rules: Guarded) -> None:
    offered(rules, visit("/1", ESSAY, links=["/a"]))
    shorter = ESSAY.rpartition(" The ")[0]
    assert offered(rules, visit("/print/1", shorter, canonical("/1"), links=["/b"])) == ["/1"]
    assert rules.filters.refused.total() == 1


def test_a_canonical_form_that_is_nothing_like_the_page_is_not_believed(rules: Guarded) -> None:
    """Many sites name their front page as the canonical form of every page."""
    offered(rules, visit("/", ESSAY))
    assert offered(rules, visit("/1", ANOTHER, canonical("/"))) == ["/next", "/"]


def test_a_canonical_form_on_another_site_is_not_followed(rules: Guarded) -> None:
    assert offered(rules, visit("/1", ESSAY, canonical("http://b.example/1"))) == ["/next"]


def test_a_chain_of_canonical_forms_ends_where_a_chain_of_redirects_does(rules: Guarded) -> None:
    seen = visit("/1", ESSAY, canonical("/2"), redirects=rules.filters.max_redirects)
    assert offered(rules, seen) == ["/next"]


# --- soft 404s


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Page not found", "Sorry, the page you are looking for does not exist (404)."),
        ("404", "404"),
        ("Error 404 - Example", "We could not find that page. Try the search."),
        ("Not Found", "The requested URL was not found on this server."),
        ("页面不存在", "抱歉,您访问的页面不存在,请返回首页。"),
        ("找不到网页 - 示例", "对不起,找不到您要的页面。"),
        ("出錯了:頁面不存在", "您要找的頁面不存在或已被刪除。"),
        ("", "Page not found"),
    ],
)
def test_an_error_page_in_disguise_is_gone(title: str, text: str) -> None:
    seen = drop_missing(visit("/1", f"<h1>{title}</h1>{text}", f"<title>{title}</title>"))
    assert (seen.outcome, seen.detail, seen.page) == (Outcome.GONE, Detail.SOFT_404, None)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Lost and found", "The page boy found the crown that was not found before."),
        ("404 ways to cook an egg", "Way one begins with fresh water, a pan and some patience."),
        ("How to write a 404 page", "A page not found message should be kind. " * 40),
        ("Bees", "This page is about bees. Wild honey was not found in the item we bought."),
        ("蜜蜂", "本页面介绍蜜蜂。"),
    ],
)
def test_a_page_that_only_speaks_of_missing_things_is_a_page(title: str, text: str) -> None:
    assert not seems_missing(Page(Url(f"{HOST}/"), title=title, text=text, main=text))


# --- texts known again


def test_three_bits_apart_is_near_wherever_they_are_and_four_is_not() -> None:
    known = SimHashes(10)
    known.add(0x0123_4567_89AB_CDEF)
    for bits in ((0, 1, 2), (0, 20, 40), (15, 16, 63), ()):
        assert known.has_near(0x0123_4567_89AB_CDEF ^ sum(1 << bit for bit in bits))
    assert not known.has_near(0x0123_4567_89AB_CDEF ^ 0b1111)


def test_the_memory_for_texts_is_bounded_and_keeps_the_latest() -> None:
    known = SimHashes(100)
    for number in range(1_000):
        known.add(number << 50 | number << 30 | number << 10)
    assert known.has_near(999 << 50 | 999 << 30 | 999 << 10)
    assert not known.has_near(0)
    assert sum(map(len, [*known._young.values(), *known._old.values()])) <= 4 * 200


def test_a_page_that_differs_only_in_its_numbers_is_no_news() -> None:
    texts, page = Texts(), visit("/1", ESSAY).page
    assert page and texts.is_new_text(texts.of(record_of(page)))
    texts.add(texts.of(record_of(page)))
    renumbered = "".join(str(9 - int(letter)) if letter.isdigit() else letter for letter in page.main)
    assert not texts.is_new_text(texts.of(record_of(replace(page, main=renumbered))))
    assert texts.is_new_text(texts.of(record_of(replace(page, main=page.main.replace("heather", "clover")))))


def test_a_short_page_is_news_by_the_words_its_host_has_not_used() -> None:
    texts = Texts()
    for path, text, substantive in [
        ("/1", "Photo of the old mill", True),
        ("/2", "Photo of the mill", False),
        ("/3", "Photo of a heron, fishing", True),
        ("/4", "Photo 4", False),
    ]:
        page = visit(path, text).page
        assert page and texts.is_new_text(texts.of(record_of(page))) is substantive
        texts.add(texts.of(record_of(page)))


def test_a_short_page_under_another_title_is_another_page(rules: Guarded) -> None:
    words = "telescope galaxy nebula orbit comet planet astronomer spectrum redshift quasar pulsar eclipse"
    for number in (1, 2):
        assert offered(rules, visit(f"/{number}", words, f"<title>good {number}</title>")) == ["/next"]
    assert offered(rules, visit("/copy", words, "<title>good 2</title>")) == []


def test_the_page_of_a_folder_is_asked_for_under_one_of_its_names(rules: Guarded) -> None:
    offered(rules, visit("/manual/", ESSAY))
    links = ["/manual/index.html", "/manual/a.html", "/other/index.html"]
    assert offered(rules, visit("/start", ANOTHER, links=links)) == ["/manual/a.html", "/other/index.html"]
    assert rules.refused() == {"same page as / or /index.html": 1}
