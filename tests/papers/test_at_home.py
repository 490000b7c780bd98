"""What a person meets who tries the papers' crawlers at home, on the practice web."""

import pytest

from tests.command_line import thresher
from thresher.cli.options import settings_of
from thresher.store.folder import CrawlFolder

CAT = "Cats purr when they are stroked. A cat needs a litter box, and the vet sees its kittens."


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def crawl(*arguments: str):
    return thresher("crawl", "--delay", "0", "--pages", "20", *arguments)


def test_depth_may_be_the_crawls_or_the_strategys_and_both_names_are_told():
    ran = crawl("astronomy", "--strategy", "fcmrps", "--set", "depth=2")
    assert ran.code == 4
    assert "scope.depth or strategy.depth of fcmrps" in ran.err
    assert crawl("astronomy", "--strategy", "fcmrps", "--set", "strategy.depth=2").code == 0


def test_a_short_name_without_a_rival_is_taken():
    assert crawl("astronomy", "--strategy", "mali", "--set", "depth=2").code == 0


def test_a_form_is_written_as_in_the_lab(tmp_path):
    assert crawl("astronomy", "--strategy", "ctfc+star=2+sound+judge=tfidf:0.2").code == 0
    asked = CrawlFolder(tmp_path / "astronomy").asked()
    assert (asked.strategy.name, asked.strategy.parameters) == ("ctfc", {"star": 2, "sound": True})
    assert (asked.judge.name, asked.judge.threshold) == ("tfidf", 0.2)


def test_a_part_that_is_no_parameter_is_refused_with_the_nearest():
    ran = crawl("astronomy", "--strategy", "ctfc+eagr")
    assert ran.code == 4 and "eager" in ran.err


def test_pages_stand_for_a_topic_that_is_not_named(tmp_path):
    """CT-FC, Figure 6: seed documents are mapped to one concept."""
    (tmp_path / "cat.html").write_text(f"<title>Cats</title><p>{CAT}</p>")
    seed = "http://www.example.test/"
    ran = crawl("--example", "cat.html", "--seed", seed, "--set", "web.kind=practice", "--strategy", "ctfc")
    assert "No topic" not in ran.err
    store = CrawlFolder(tmp_path / "www-example-test").open()
    topic = store.facts.topic
    store.close()
    assert topic.concept and topic.spellings[0][0] in ("cat", "cats")


def test_seeds_alone_are_examples_too_and_example_pages_alone_are_seeds():
    start = "http://a.test/"
    for flag in ("seed", "example"):
        settings = settings_of([], {"pairs": (), flag: (start,)})
        assert (settings.seeds, settings.topic.examples) == ((start,), (start,))


def test_a_crawl_without_topic_and_pages_says_what_to_name():
    ran = crawl("--strategy", "ctfc")
    assert ran.code == 2 and "--seed URL or --example PAGE" in ran.err
