"""A crawl that learns from an earlier one: what it takes over, what it leaves, and what it refuses."""

from shutil import rmtree

import pytest

from tests.command_line import Ran, thresher
from thresher.core.records import Topic
from thresher.store.folder import CrawlFolder

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})


@pytest.fixture(scope="module")
def earlier(tmp_path_factory) -> CrawlFolder:
    folder = CrawlFolder(tmp_path_factory.mktemp("earlier") / "bees")
    assert crawl(folder, pages=60, seed=1).code == 0
    return folder


def crawl(folder: CrawlFolder, *more: str, topic: str = "beekeeping", pages: int = 40, seed: int = 2) -> Ran:
    asked = ["--pages", str(pages), "--set", f"web.seed={seed}", "--concurrency", "1", "-o", str(folder.path)]
    return thresher("crawl", topic, "--strategy", "thresher", *asked, *more)


def visited(folder: CrawlFolder) -> list[tuple[str, float]]:
    store = folder.open()
    try:
        return [(visit.candidate.url, visit.candidate.priority) for visit in store.visits()]
    finally:
        store.close()


def most_and_least_relevant(folder: CrawlFolder) -> tuple[str, str]:
    store = folder.open()
    try:
        linked = [visit for visit in store.visits() if visit.candidate.via]
        found = sorted(linked, key=lambda visit: visit.relevance)
        return found[-1].candidate.url, found[0].candidate.url
    finally:
        store.close()


def test_it_goes_another_way_than_one_that_starts_from_nothing_and_always_the_same(earlier, tmp_path):
    alone, first, second = (CrawlFolder(tmp_path / name) for name in ("alone", "first", "second"))
    before = visited(earlier)
    assert crawl(alone).code == 0
    for folder in (first, second):
        assert crawl(folder, "--learn-from", str(earlier.path)).code == 0
    assert visited(first) != visited(alone)
    assert visited(first) == visited(second)
    assert visited(earlier) == before


def test_it_goes_on_with_what_it_took_over_when_the_earlier_crawl_is_gone(tmp_path):
    lent, whole, cut = (CrawlFolder(tmp_path / name) for name in ("lent", "whole", "cut"))
    assert crawl(lent, pages=30, seed=1).code == 0
    asked = ("--learn-from", str(lent.path), "--set", "wait_for_better=0")  # how long one waited is not kept
    assert crawl(whole, *asked, pages=40).code == 0
    assert crawl(cut, *asked, pages=5).code == 0  # before its own first fit
    rmtree(lent.path)
    assert thresher("resume", str(cut.path), "--pages", "40").code == 0
    assert visited(cut) == visited(whole)


def test_labels_given_after_the_earlier_crawl_ended_count_too(tmp_path):
    lent, before, after = (CrawlFolder(tmp_path / name) for name in ("lent", "before", "after"))
    assert crawl(lent, pages=30, seed=1).code == 0
    assert crawl(before, "--learn-from", str(lent.path)).code == 0
    url, other = most_and_least_relevant(lent)
    assert thresher("label", str(lent.path), url, "no").code == 0
    assert thresher("label", str(lent.path), other, "yes").code == 0
    assert crawl(after, "--learn-from", str(lent.path)).code == 0
    store = after.open()
    state = store.facts.state
    assert state and f'"{url}":false' in state.head
    store.close()
    assert [priority for _, priority in visited(after)] != [priority for _, priority in visited(before)]


def test_another_topic_is_refused_in_a_sentence_and_nothing_is_left_behind(earlier, tmp_path):
    ran = crawl(CrawlFolder(tmp_path / "cider"), "--learn-from", str(earlier.path), topic="cider")
    assert ran.code == 4
    assert "is about 'beekeeping' and this crawl about 'cider'" in ran.err
    assert not (tmp_path / "cider").exists()


def test_a_crawl_of_another_strategy_and_one_that_fetched_nothing_are_refused(tmp_path):
    plain, empty = tmp_path / "plain", tmp_path / "empty"
    assert (
        thresher("crawl", "beekeeping", "--strategy", "best_first", "--pages", "5", "-o", str(plain)).code
        == 0
    )
    ran = crawl(CrawlFolder(tmp_path / "new"), "--learn-from", str(plain))
    assert (ran.code, "was crawled with best_first" in ran.err) == (4, True)
    assert (
        crawl(CrawlFolder(empty), "--seed", "http://nowhere.localhost/", "--set", "web.kind=practice").code
        == 1
    )
    ran = crawl(CrawlFolder(tmp_path / "new"), "--learn-from", str(empty))
    assert (ran.code, "has learned nothing yet" in ran.err) == (4, True)


def test_a_folder_without_a_crawl_and_a_strategy_that_does_not_learn_are_named(earlier, tmp_path):
    ran = crawl(CrawlFolder(tmp_path / "new"), "--learn-from", str(tmp_path / "nothing"))
    assert ran.code == 2
    assert "nothing" in ran.err


@pytest.mark.parametrize("strategy", ["fcmrps", "best_first"])
def test_a_strategy_that_learns_nothing_starts_from_the_best_hubs(earlier, tmp_path, strategy):
    """Chen et al. 2009, section 6: hubs that an earlier crawl found are good seeds."""
    folder = CrawlFolder(tmp_path / "new")
    other = ["--strategy", strategy, "--pages", "20", "--learn-from", str(earlier.path)]
    assert thresher("crawl", "beekeeping", *other, "-o", str(folder.path)).code == 0
    store = earlier.open()
    try:
        hubs = set(folder.asked().seeds)
        assert hubs and all(store.page(hub) for hub in hubs)
        assert hubs != set(earlier.asked().seeds)
    finally:
        store.close()
