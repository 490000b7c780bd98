"""Bad inputs in the laboratory: the invented webs, and how a strategy is set beside breadth-first."""

import pytest

from thresher_lab.corpus import topic_of
from thresher_lab.setup import stage
from thresher_lab.studies import hardship
from thresher_lab.studies.hardship import Borne, lying_host, many_hosts, on_corpus, on_invented, table


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(hardship, "HONEST", 60)
    monkeypatch.setattr(hardship, "FARM", 40)
    monkeypatch.setattr(hardship, "HOSTS", 60)
    monkeypatch.setattr(hardship, "SEARCHED", 20)


def page_at(place, url):
    return place.parse(place.web.peek(url))


def test_a_page_of_the_host_that_lies_says_more_of_the_topic_than_an_honest_one_and_is_not_wanted(tmp_path):
    with stage(lying_host(tmp_path / "web", 1), cache=tmp_path / "cache") as place:
        pages = {url: page_at(place, url) for url, _ in place.web.pages()}
        wanted = place.relevant("kites")
    said = {url: page.text.count("kite") for url, page in pages.items()}
    farm = [url for url in pages if "farm.test" in url]
    assert len(farm) == 40
    assert not wanted & set(farm)
    assert min(said[url] for url in farm) > max(said[url] for url in wanted)


def test_every_host_of_the_many_has_one_page_and_the_portal_lists_them_all(tmp_path):
    with stage(many_hosts(tmp_path / "web", 1), cache=tmp_path / "cache") as place:
        urls = [url for url, _ in place.web.pages()]
        hosts = [url for url in urls if "portal" not in url]
        listed = {link.target for url in urls if "portal" in url for link in page_at(place, url).links}
    assert len(hosts) == 60
    assert set(hosts) <= listed


def test_the_same_seed_invents_the_same_web(tmp_path):
    first, second = (lying_host(tmp_path / name, 7) for name in ("one", "two"))
    assert (first.path / "pages.warc.gz").read_bytes() == (second.path / "pages.warc.gz").read_bytes()


def test_one_keyword_is_all_that_a_topic_of_one_keyword_holds(tmp_path):
    corpus = many_hosts(tmp_path / "web", 1)
    assert topic_of(corpus.topic("kites"), "keyword").keywords == {"Kite": 1.0}


def test_breadth_first_beside_itself_bears_everything_alike(tmp_path):
    corpus = many_hosts(tmp_path / "web", 1)
    runs = [
        *on_corpus(corpus, "breadth_first", 2, tmp_path / "cache"),
        *on_invented("breadth_first", 1, tmp_path / "cache"),
    ]
    assert len(runs) == 8
    assert all(run.own == run.breadth_first for run in runs)


def test_the_difference_is_paired_by_run():
    runs = [Borne("lies", "web", "kites", "thresher", own, 0.2) for own in (0.3, 0.5)]
    assert table(runs).rows == (("lies", "web", "2", "0.400", "0.200", "+0.200", "+0.100 to +0.300"),)
