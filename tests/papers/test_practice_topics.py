"""What a user says of a topic counts on the practice web, too."""

import pytest

from tests.command_line import thresher
from thresher.core.url import blocks, parse
from thresher.store.folder import CrawlFolder
from thresher.topic.build import terms, word_weights
from thresher.topic.url_spellings import UrlRelevance
from thresher_practice.text import TOPICS, topic_of


def crawled(tmp_path, *more: str):
    folder = tmp_path / "x"
    said = thresher(*"crawl astronomy --strategy ctfc --pages 5 -o".split(), str(folder), *more)
    store = CrawlFolder(folder).open()
    try:
        return said, store.facts.topic
    finally:
        store.close()


@pytest.mark.parametrize("more", [(), ("--set", "topic.node=Science/Astronomy")])
def test_ctfc_has_the_ontology_of_a_topic_that_the_taxonomy_knows(tmp_path, more):
    said, topic = crawled(tmp_path, *more)
    assert "no concept" not in said.err
    assert len(topic.lexicon) == (61 if more else 69)  # the words of a topic of ours are further names of it


def test_the_users_description_is_taken(tmp_path):
    _, topic = crawled(tmp_path, "--set", "topic.description=Stars seen from a garden")
    assert topic.description == "Stars seen from a garden"


@pytest.mark.parametrize("subject", TOPICS)
def test_where_a_topic_comes_from_is_no_evidence_for_it(subject):
    words = word_weights(terms(topic_of(subject, ())))
    assert not {"web", "practic", "topic"} & words.keys()


def test_spellings_stand_in_the_columns_of_the_paper():
    """Chen et al. 2009, section 3.5: pinyin weighs as much as English, so Science in pinyin is 1/3 of 1."""
    (astronomy,) = (topic_of(each, ()) for each in TOPICS if each.name == "astronomy")
    assert UrlRelevance(astronomy.spellings)(blocks(parse("http://x.test/kexue/"))) == pytest.approx(1 / 3)
