"""What is known of a page is worked out once, where it is read."""

import asyncio
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from msgspec.structs import replace

from thresher.build.crawl import run
from thresher.core.records import Fingerprint, Link, Page, PageWords, Url
from thresher.core.url import key_of
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.text.page_record import BITS, page_counts, place_of, record_of, without_lines
from thresher.text.vectors import shipped_vectors

HOME = Url("http://a.test/hives/beeKeeping.html?page=2")
ESSAY = "The bees of the hive fly to the heather and back again. " * 12
LINKS = (Link(HOME, Url("http://a.test/1"), "heather"), Link(HOME, Url("http://b.test/2"), "the hive"))
PAGE = Page(
    HOME,
    "Bees in Winter",
    f"Home\n{ESSAY}",
    ESSAY,
    links=LINKS,
    fingerprint=Fingerprint(digest="d", simhash=7),
)


def test_a_record_has_the_words_of_each_place() -> None:
    words = record_of(PAGE).words
    assert words and words.counts == page_counts(PAGE)
    assert words.title == {"bee", "winter"}
    assert {"hive", "bee", "keep"} <= words.url, "words inside words too"
    assert words.main_start <= words.page_start and "heather" in words.main_start


def test_each_word_has_its_place_and_its_weight() -> None:
    words, vectors = record_of(PAGE).words or PageWords(), shipped_vectors()
    codes, weights = np.frombuffer(words.codes, np.uint32), np.frombuffer(words.weights, "f4")
    for word, code, weight in zip(words.counts, codes.tolist(), weights.tolist(), strict=True):
        assert code & ((1 << BITS) - 1) == place_of(word)
        assert (code >> BITS) - 1 == vectors.row(word)
        assert weight == pytest.approx(np.log1p(words.counts[word]) * vectors.rarity(word), rel=1e-5)


def test_links_have_their_identities_and_their_share_of_the_text() -> None:
    record = record_of(PAGE)
    assert record.keys == tuple(key_of(link.target) for link in LINKS)
    assert record.links_share == pytest.approx(15 / (1 + len(PAGE.text)))


def test_a_long_text_is_known_by_hashes_and_a_short_one_by_its_words() -> None:
    long, short = (
        record_of(PAGE, with_words=False),
        record_of(replace(PAGE, main="The old mill", text="The old mill")),
    )
    assert (long.digest, long.simhash, long.said, long.words) == ("d", 7, (), None)
    assert long.numberless == record_of(replace(PAGE, main=f"{ESSAY}1904")).numberless
    assert (short.digest, short.simhash, len(short.said)) == ("", None, 3)


def test_without_some_lines_a_record_is_that_of_the_rest() -> None:
    menu = "Shop for honey"
    whole, kept = replace(PAGE, text=f"{menu}\n{PAGE.text}"), PAGE
    found, wanted = without_lines(whole, record_of(whole), kept, menu, "en").words, record_of(kept).words
    assert found and wanted and found.counts == wanted.counts and found.page_start == wanted.page_start


def test_in_a_crawl_no_text_of_a_page_is_cut_twice_and_no_url_is_hashed_twice(tmp_path: Path) -> None:
    """But where a page has all words of a phrase: then they are looked for in order as well."""
    cut, hashed, pages = Counter[str](), Counter[str](), 30

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or "thresher" not in code.co_filename:
            return
        if code.co_name == "word_counts":
            cut[frame.f_locals["text"]] += 1
        elif code.co_name == "key" and code.co_filename.endswith("core/url.py"):
            hashed[frame.f_locals["url"]] += 1

    settings = read(None, [("topic", "beekeeping"), ("pages", pages), ("web.concurrency", 1)])
    key_of.cache_clear()
    sys.setprofile(note)
    try:
        asyncio.run(run(settings, CrawlFolder(tmp_path / "bees")))
    finally:
        sys.setprofile(None)
    whole = Counter({text: times for text, times in cut.items() if "\n" in text})
    assert len(whole) >= pages - 1 and max(whole.values()) == 1
    assert len(hashed) > 100 and max(hashed.values()) == 1
