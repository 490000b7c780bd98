"""The verb `label`, on a crawl of the practice web."""

import pytest

from tests.command_line import thresher
from thresher.store.folder import CrawlFolder


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> CrawlFolder:
    folder = tmp_path_factory.mktemp("label") / "bees"
    asked = ["--strategy", "thresher", "--pages", "40", "--delay", "0", "-o", str(folder)]
    assert thresher("crawl", "beekeeping", *asked).code == 0
    return CrawlFolder(folder)


def fetched(crawl: CrawlFolder) -> list[str]:
    store = crawl.open()
    urls: list[str] = [visit.candidate.url for visit in store.visits() if visit.outcome.value == "fetched"]
    store.close()
    return urls


def test_a_label_is_written_beside_the_crawl_and_learned_when_it_goes_on(crawl):
    url = fetched(crawl)[5]
    ran = thresher("label", str(crawl.path), url, "yes")
    assert ran.code == 0
    assert ran.out.startswith("1 page labelled.")
    assert "as soon as one is labelled no, too" in ran.out
    assert thresher("resume", str(crawl.path), "--pages", "60").code == 0
    store = crawl.open()
    assert f'"{url}":true' in store.facts.state.head
    store.close()


def test_many_labels_come_from_a_table_and_a_page_that_was_not_fetched_is_named(crawl, tmp_path):
    table = tmp_path / "mine.csv"
    one, other = fetched(crawl)[7:9]
    table.write_text(f"{one},no\n{other},yes\nhttp://nowhere.test/,yes\n")
    ran = thresher("label", str(crawl.path), "--csv", str(table))
    assert ran.out.startswith("2 pages labelled. It counts as you said")
    assert "http://nowhere.test/ was not fetched" in ran.err


def test_whoever_labels_only_what_was_not_fetched_is_told_where_to_find_pages(tmp_path):
    folder = str(tmp_path / "bees")
    assert thresher("crawl", "beekeeping", "--pages", "3", "--delay", "0", "-o", folder).code == 0
    ran = thresher("label", folder, "http://nowhere.test/", "no")
    assert ran.code == 1
    assert "0 pages labelled. Name pages that were fetched" in ran.out


def test_whoever_labels_a_crawl_that_does_not_learn_is_told_so(tmp_path):
    plain = CrawlFolder(tmp_path / "plain")
    asked = ["--strategy", "best_first", "--pages", "3", "--delay", "0", "-o", str(plain.path)]
    assert thresher("crawl", "beekeeping", *asked).code == 0
    ran = thresher("label", str(plain.path), fetched(plain)[0], "yes")
    assert ran.code == 0
    assert "best_first learns nothing from it" in ran.out


def test_an_answer_that_is_none_is_asked_for(crawl):
    ran = thresher("label", str(crawl.path), fetched(crawl)[3], "perhaps")
    assert ran.code == 2
    assert "yes or no" in ran.err
