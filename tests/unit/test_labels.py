"""The user's own labels: how they are written down, and that a crawl learns from them."""

import pytest

from tests.unit.strategies.test_thresher import SEED, make, page, visit
from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher.store.database import Database
from thresher.store.labels import Labels, read_labels

ONE, OTHER = Url("http://a.test/1"), Url("http://a.test/2")


def test_labels_are_lines_of_a_table_and_the_last_one_counts(tmp_path):
    labels = Labels(tmp_path / "labels.csv")
    labels.add({ONE: True, OTHER: False})
    labels.add({ONE: False})
    assert labels.all() == {ONE: False, OTHER: False}


def test_labels_are_news_once(tmp_path):
    labels = Labels(tmp_path / "labels.csv")
    assert labels.new_labels() == {}
    labels.add({ONE: True})
    assert labels.new_labels() == {ONE: True}
    assert labels.new_labels() == {}


def test_the_file_is_not_looked_at_again_before_the_pause_is_over(tmp_path):
    labels = Labels(tmp_path / "labels.csv", pause=3600)
    labels.add({ONE: True})
    assert labels.new_labels() == {ONE: True}
    labels.add({OTHER: True})
    assert labels.new_labels() == {}


def test_a_table_may_have_a_header_and_other_words_for_yes(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("url,label\nhttp://a.test/1,Relevant\nhttp://a.test/2,0\n")
    assert read_labels(path) == {ONE: True, OTHER: False}


def test_a_line_that_says_neither_yes_nor_no_is_named(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("http://a.test/1,yes\nhttp://a.test/2,perhaps\n")
    with pytest.raises(UsageError, match="line 2"):
        read_labels(path)


def visited_folders(memory, strategy):
    """Let a strategy visit half of the links to two folders, and label these by their folder."""
    first = page(SEED, "bee", [f"http://a.test/{folder}/{n}" for folder in "xy" for n in range(8)])
    strategy.start([SEED])
    pages = [
        first,
        *(page(f"http://a.test/{folder}/{n}", f"bee {folder * 4}", []) for folder in "xy" for n in range(4)),
    ]
    for each in pages:
        memory.add(visit(each))
        list(strategy.on_visit(visit(each), memory))
    return {Url(f"http://a.test/{folder}/{n}"): folder == "x" for folder in "xy" for n in range(4)}


def test_what_the_user_says_of_a_page_changes_the_prices_of_links_like_the_one_to_it():
    memory, strategy = Database(), make()
    labels = visited_folders(memory, strategy)
    found = {str(offer.url): offer.priority for offer in strategy.on_labels(labels, memory)}
    assert found["http://a.test/x/7"] > found["http://a.test/y/7"] + 0.05
    assert list(strategy.on_labels(labels, memory)) == [], "what is known is minor"


def test_labels_of_one_kind_wait_for_one_of_the_other_and_then_count_as_if_they_came_together():
    together, apart = Database(), Database()
    one, other = make(), make()
    labels = visited_folders(together, one)
    visited_folders(apart, other)
    at_once = list(one.on_labels(labels, together))
    refused = {url: wanted for url, wanted in labels.items() if not wanted}
    assert list(other.on_labels(refused, apart)) == []
    wanted = {url: wanted for url, wanted in labels.items() if wanted}
    later = {offer.url: offer.priority for offer in other.on_labels(wanted, apart)}
    assert later == {offer.url: pytest.approx(offer.priority) for offer in at_once}


def test_a_label_that_is_taken_back_counts_though_all_are_of_one_kind_now():
    memory, strategy = Database(), make()
    labels = visited_folders(memory, strategy)
    list(strategy.on_labels(labels, memory))
    assert list(strategy.on_labels(dict.fromkeys(labels, True), memory))
