"""A crawl that learns from an earlier one: what it takes over, what it leaves, and what it refuses."""

from shutil import rmtree

import pytest

from tests.command_line import Ran, thresher
from thresher.core.records import Candidate, Link, Outcome, Page, Topic, Url, Visit
from thresher.judges.cosine import Cosine
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.strategies.learned.strategy import Thresher

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
    (url, _), (other, _) = visited(lent)[20:22]
    assert thresher("label", str(lent.path), url, "no").code == 0
    assert thresher("label", str(lent.path), other, "yes").code == 0
    assert crawl(after, "--learn-from", str(lent.path)).code == 0
    store = after.open()
    state = store.facts.state
    assert state and f'"{url}":false' in state.head
    store.close()
    assert [price for _, price in visited(after)] != [price for _, price in visited(before)]


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
    other = ["--strategy", "best_first", "--learn-from", str(earlier.path)]
    ran = thresher("crawl", "beekeeping", *other, "-o", str(tmp_path / "new"))
    assert (ran.code, "best_first cannot learn" in ran.err) == (4, True)


def test_a_crawl_that_has_begun_cannot_be_told_to_learn_from_another(earlier, tmp_path):
    assert crawl(CrawlFolder(tmp_path / "new"), pages=5).code == 0
    ran = thresher("resume", str(tmp_path / "new"), "--set", f"strategy.learn_from={earlier.path}")
    assert ran.code == 2
    assert "strategy.learn_from" in ran.err


def test_the_weights_become_the_prior_and_no_url_is_taken_over():
    first, second, alone = (Thresher(judge=Cosine(TOPIC), topic=TOPIC) for _ in range(3))
    start = Url("http://a.test/")
    first.start([start])
    links = [Link(start, Url(f"http://a.test/{n}"), "honey" if n % 2 else "wheel") for n in range(40)]
    first.learn(visit(Page(start, text="bee honey", links=tuple(links))), Database())
    for link in links[:30]:
        text = "wheel road " * 20 if link.anchor == "honey" else "bee honey " * 20  # the anchors lie here
        first.learn(visit(Page(link.target, text=text)), Database())
    assert second.inherit(first)
    taught, untaught = (
        list(strategy.learn(visit(Page(start, links=tuple(links[30:32]))), Database()))
        for strategy in (second, alone)
    )
    assert best_anchor(taught) == "wheel"
    assert best_anchor(untaught) == "honey"
    assert len(taught) == 2
    assert second.lessons() == []


def visit(page: Page) -> Visit:
    return Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page, 0.0)


def best_anchor(offers: list[Candidate]) -> str:
    via = max(offers, key=lambda offer: offer.priority).via
    return via.anchor if via else ""
