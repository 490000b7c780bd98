"""What is done differently where there are very many pages: common words, and crawls set side by side."""

import random

import pytest

from tests.unit.search.test_search import crawl_of, page
from thresher.core.records import Page
from thresher.search import reader
from thresher.search.find import search
from thresher.serve import compare as comparing
from thresher.serve.compare import compare
from thresher.serve.processes import Processes
from thresher.serve.requests import CompareRequest
from thresher.serve.security import Signer
from thresher.serve.state import CrawlRegistry
from thresher.store.folder import CrawlFolder


def many(first: int, last: int) -> list[tuple[Page, float]]:
    """Pages of which every second has the word, with relevances that have no order."""
    draw = random.Random(1)
    scores = [round(draw.random(), 4) for _ in range(last)]
    said = ("bread and honey", "bread alone")
    return [(page(f"p{n}", f"Page {n}", said[n % 2]), scores[n]) for n in range(first, last)]


@pytest.fixture
def folder(tmp_path) -> CrawlFolder:
    return crawl_of(tmp_path / "many", many(0, 60))


def listed(folder: CrawlFolder, query: str, most: int = 7) -> list[tuple[str, float]]:
    """Return all answers, screen by screen."""
    found, place = search([folder], query, most)
    items, total = list(found.items), found.total
    while place:
        more, place = search([folder], query, most, place)
        items += more.items
    assert total == len(items)
    return [(hit.url, hit.relevance) for hit in items]


def test_of_pages_with_a_common_word_the_most_relevant_come_first_and_none_is_lost(folder, monkeypatch):
    ranked = listed(folder, "honey")
    monkeypatch.setattr(reader, "COMMON", 20)
    found = listed(folder, "honey")
    assert sorted(found) == sorted(ranked) and len({*found}) == 30
    assert [relevance for _, relevance in found] == sorted((r for _, r in ranked), reverse=True)


def test_filters_hold_for_common_words_too(folder, monkeypatch):
    monkeypatch.setattr(reader, "COMMON", 20)
    found, _ = search([folder], "honey relevant:>0.5", 10)
    assert len(found.items) == 10 and all(hit.relevance >= 0.5 for hit in found.items)


def test_words_that_few_relevant_pages_have_are_ranked_by_score_after_all(folder, monkeypatch):
    monkeypatch.setattr(reader, "COMMON", 20)
    monkeypatch.setattr(reader, "MOST_RANKED", 3)
    assert len(listed(folder, "honey", most=30)) == 30


@pytest.fixture
def desk(tmp_path) -> CrawlRegistry:
    crawl_of(tmp_path / "one", many(0, 400))
    crawl_of(tmp_path / "two", many(200, 600))
    return CrawlRegistry([tmp_path], Signer(b"k" * 32), Processes(()))


def test_what_large_crawls_share_is_told_from_a_part_of_the_addresses(desk, monkeypatch):
    exact = compare(desk, CompareRequest("one,two"))
    monkeypatch.setattr(comparing, "COUNTED", 150)
    about = compare(desk, CompareRequest("one,two"))
    assert (exact.is_estimate, about.is_estimate) == (False, True)
    assert exact.shared == sum(relevance >= 0.5 for _, relevance in many(200, 400))
    assert about.shared == pytest.approx(exact.shared, rel=0.3)
    assert about.union == pytest.approx(exact.union, rel=0.3)


def test_a_page_that_another_crawl_has_is_not_found_by_one_alone(desk):
    alone = compare(desk, CompareRequest("one,two")).missed
    numbers = [(page.crawl, int(page.url.rpartition("p")[2])) for page in alone]
    assert numbers and all(n < 200 if crawl == "one" else n >= 400 for crawl, n in numbers)
