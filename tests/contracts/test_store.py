"""What every store must do: remember each visit once, and give back what strategies may ask."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from thresher.core.enums import Outcome, Request
from thresher.core.interfaces import Store
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.store.database import Database

HOME, ABOUT, NEWS = Url("http://a.test/"), Url("http://a.test/about"), Url("http://b.test/news")
STORES: dict[str, Callable[[Path], Store]] = {
    "in memory": lambda folder: Database(),
    "in a file": lambda folder: Database(folder / "crawl.db"),
}


@pytest.fixture(params=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = STORES[request.param](tmp_path)
    yield store
    store.close()


def page_visit(url: Url, *targets: Url, relevance: float = 0.0, at: float = 1.0) -> Visit:
    links = tuple(Link(url, target, anchor=f"to {target}", place="html/body/a") for target in targets)
    page = Page(url, title="Title", text="Text of the page.", links=links)
    return Visit(Candidate(url, 0.5), Outcome.FETCHED, at, page, relevance, status=200)


def test_a_fetched_page_gives_back_its_links_in_order(store: Store) -> None:
    store.add(page_visit(HOME, NEWS, ABOUT))
    assert [link.target for link in store.outlinks(HOME)] == [NEWS, ABOUT]
    assert store.outlinks(HOME)[0].anchor == "to http://b.test/news"


def test_links_can_be_asked_both_ways(store: Store) -> None:
    store.add(page_visit(HOME, NEWS, ABOUT))
    store.add(page_visit(ABOUT, NEWS, NEWS))
    assert [link.source for link in store.inlinks(NEWS)] == [HOME, ABOUT, ABOUT]
    assert store.inlinks(HOME) == []


def test_a_url_nobody_fetched_has_no_relevance_links_or_history(store: Store) -> None:
    assert store.relevance(HOME) is None
    assert list(store.outlinks(HOME)) == []
    assert list(store.history(HOME)) == []


def test_relevance_is_that_of_the_newest_version(store: Store) -> None:
    store.add(page_visit(HOME, NEWS, relevance=0.7))
    store.add(page_visit(HOME, ABOUT, relevance=0.2, at=2.0))
    assert store.relevance(HOME) == 0.2
    assert [link.target for link in store.outlinks(HOME)] == [ABOUT]
    assert list(store.inlinks(NEWS)) == []


def test_history_holds_every_page_visit_oldest_first(store: Store) -> None:
    store.add(page_visit(HOME, at=1.0))
    store.add(Visit(Candidate(HOME), Outcome.GONE, 2.0, status=404, reason="status 404"))
    assert [(visit.at, visit.outcome) for visit in store.history(HOME)] == [
        (1.0, Outcome.FETCHED),
        (2.0, Outcome.GONE),
    ]


def test_a_back_link_question_stays_out_of_page_history(store: Store) -> None:
    answer = Page(HOME, links=(Link(Url("http://elsewhere.test/"), HOME),))
    store.add(Visit(Candidate(HOME, kind=Request.BACKLINKS), Outcome.FETCHED, 1.0, answer))
    assert list(store.history(HOME)) == []


def test_a_failed_visit_leaves_no_page(store: Store) -> None:
    store.add(Visit(Candidate(HOME), Outcome.FAILED, 1.0, Page(HOME), reason="not parsed"))
    assert store.relevance(HOME) is None


def test_why_a_page_was_asked_for_survives(store: Store) -> None:
    link = Link(HOME, NEWS, anchor="news", context="the news of today", rel="next", place="html/body/nav/a")
    asked = Candidate(NEWS, 0.25, via=link, hops_left=3, inherited=0.1, depth=2)
    store.add(Visit(asked, Outcome.FETCHED, 1.0, Page(NEWS)))
    assert store.history(NEWS)[0].candidate == asked
