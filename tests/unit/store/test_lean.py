"""The form in which a crawl is kept: small, whole when read back, and made of any older one."""

import sqlite3
from contextlib import closing

import pytest

from tests.command_line import thresher
from tests.unit.former_crawl import contents, grown, put_back
from thresher.core.enums import Origin
from thresher.core.errors import NotACrawl
from thresher.core.records import Fingerprint, Link, Page, Url
from thresher.store.codecs import pack_keys, pack_page, unpack_keys, unpack_links, unpack_page

A, B = Url("http://a.test/"), Url("http://b.test/蜂")


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
    folder = grown(tmp_path / "crawl", 1)
    with closing(sqlite3.connect(folder.database, isolation_level=None)) as database:
        database.execute("UPDATE page SET page = ?", (packed,))
    store = folder.open()
    with pytest.raises(NotACrawl, match="damaged"):
        store.page(Url("http://a.test/0"))
    store.close()


def test_a_crawl_of_the_former_version_is_brought_up_to_date_and_says_what_it_said(tmp_path):
    folder = grown(tmp_path / "crawl", 40)
    told = contents(folder)
    before = put_back(folder).database.stat().st_size
    ran = thresher("migrate", str(folder.path))
    assert ran.code == 0 and "up to date now" in ran.out
    assert contents(folder) == told
    assert folder.database.stat().st_size < before
    assert "is up to date.\n" in thresher("migrate", str(folder.path)).out


def test_whoever_opens_a_crawl_of_the_former_version_brings_it_up_to_date(tmp_path):
    folder = grown(tmp_path / "crawl", 3)
    told = contents(folder)
    assert contents(put_back(folder)) == told
    folder.resume().close()
    store = put_back(folder).resume()
    assert len(list(store.pages())) == 3
    store.close()


def test_a_crawl_that_somebody_reads_is_left_as_it_is(tmp_path):
    folder = put_back(grown(tmp_path / "crawl", 3))
    with closing(sqlite3.connect(folder.database, isolation_level=None)) as reader:
        reader.execute("PRAGMA journal_mode = WAL")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM page").fetchone()
        ran = thresher("migrate", str(folder.path))
        assert ran.code != 0 and "cannot be brought up to date" in ran.err
    assert thresher("migrate", str(folder.path)).code == 0
