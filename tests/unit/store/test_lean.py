"""The form in which a crawl is kept: small, and whole when read back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from thresher.core.enums import Origin, Outcome
from thresher.core.errors import NotACrawl
from thresher.core.records import Candidate, Fingerprint, Link, Page, Url, Visit
from thresher.settings.load import read, written
from thresher.store.codecs import pack_keys, pack_page, unpack_keys, unpack_links, unpack_page
from thresher.store.folder import CrawlFolder

A, B = Url("http://a.test/"), Url("http://b.test/蜂")


def crawl_of_one_page(path: Path) -> CrawlFolder:
    folder = CrawlFolder(path)
    store = folder.create(written(read(None, [("topic", "bees"), ("seeds", (A,))])))
    store.facts.threshold = 0.5
    store.add(Visit(Candidate(A), Outcome.FETCHED, 1.0, Page(A, text="hive")))
    store.close()
    return folder


def test_a_page_is_read_back_as_it_was_written_whatever_it_has():
    bare = Page(A)
    usual = Page(A, "t", "text", "main", "en", "utf-8", (Link(A, B, "an", "con", "rel", "place"), Link(A, A)))
    unusual = Page(
        A, links=(Link(B, A, origin=Origin.SITEMAP), Link(A, B)), canonical=B, noindex=True, nofollow=True,
        fingerprint=Fingerprint(("a", "b"), "x", 1.5, (A, B), "d", (1 << 64) - 1, "7", 3, 2),
        offsets=(0, -1), breaks=(5,),
    )  # fmt: skip
    for page in (bare, usual, unusual):
        assert unpack_page(pack_page(page)) == page
        assert unpack_links(pack_page(page)) == page.links


def test_what_the_main_text_and_the_links_repeat_costs_next_to_nothing():
    said = " ".join(f"hive {number * 7919 % 1000} of {number}" for number in range(1_000))
    links = tuple(Link(A, Url(f"http://a.test/{n}"), f"hive {n}", said[n : n + 80]) for n in range(100))
    text, whole = pack_page(Page(A, text=said)), pack_page(Page(A, text=said, main=said, links=links))
    assert len(text) < len(said) / 2
    assert len(whole) < len(text) + 1_500


def test_keys_are_read_back_as_they_were_written():
    keys = (-(1 << 63), -1, 0, (1 << 63) - 1)
    assert unpack_keys(pack_keys(keys)) == keys


@pytest.mark.parametrize("packed", [b"", b"no page", pack_page(Page(A, text="x" * 99))[:-3]])
def test_a_page_that_is_damaged_is_one_sentence(tmp_path, packed):
    folder = crawl_of_one_page(tmp_path / "crawl")
    folder.database.with_name("crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    with closing(sqlite3.connect(folder.database, isolation_level=None)) as database:
        database.execute("UPDATE page SET page = ?", (packed,))
    store = folder.open()
    with pytest.raises(NotACrawl, match="damaged"):
        store.page(A)
    store.close()
