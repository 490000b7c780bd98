"""Which pages link to a URL: asked early or late, by who writes the crawl and by who reads it."""

import sqlite3

import pytest

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.store import codecs
from thresher.store.database import Database
from thresher.store.read import CrawlReader

HUB = Url("http://a.test/hub")


def page(number: int) -> Url:
    return Url(f"http://a.test/{number}")


def add(store: Database, *numbers: int) -> None:
    """Keep pages that link to the hub and to a page of their own."""
    for number in numbers:
        here, other = page(number), page(1_000 + number)
        links = (Link(here, other), Link(here, HUB), Link(here, HUB, "again"))
        store.add(Visit(Candidate(here), Outcome.FETCHED, 1.7e9, Page(here, links=links)))


@pytest.mark.parametrize("waiting", [1, 3, 10_000])
def test_links_are_found_whether_they_were_sorted_in_or_wait(waiting, monkeypatch):
    monkeypatch.setattr(codecs, "LATEST", waiting)
    store = Database()
    add(store, 1, 2)
    assert store.sources(HUB) == [page(1), page(2)]
    add(store, 3, 4, 5)
    assert store.sources(HUB) == [page(number) for number in range(1, 6)]
    assert store.sources(page(1_004)) == [page(4)]
    assert store.sources(page(4)) == []


def test_a_later_run_and_a_reader_find_what_an_earlier_run_sorted_in_and_what_it_did_not(tmp_path):
    path = tmp_path / "crawl.db"
    for numbers in ((1, 2), (3,), (4,)):
        store = Database(path)
        add(store, *numbers)
        if numbers == (3,):
            assert store.sources(HUB) == [page(1), page(2), page(3)]
        store.close()
    reader = CrawlReader(sqlite3.connect(f"file:{path}?mode=ro", uri=True))
    assert reader.sources(HUB) == [page(number) for number in range(1, 5)]
    reader.close()
    store = Database(path)
    assert store.sources(HUB) == [page(number) for number in range(1, 5)]
    store.close()


def test_a_reader_finds_links_that_nobody_has_sorted_in(tmp_path):
    store = Database(tmp_path / "crawl.db")
    add(store, 1)
    store.close()
    reader = CrawlReader(sqlite3.connect(f"file:{tmp_path / 'crawl.db'}?mode=ro", uri=True))
    assert reader.sources(HUB) == [page(1)]
    assert [link.anchor for link in reader.inlinks(HUB)] == ["", "again"]
    reader.close()
