"""What comes with the package: 747 topics in two languages, and things known by name."""

import pytest

from thresher.core.errors import SettingsError
from thresher.knowledge.index import TOPIC, knowledge_file, open_knowledge, shipped_knowledge


@pytest.fixture
def index():
    with shipped_knowledge() as opened:
        yield opened


def test_every_node_has_both_languages_and_a_way_from_the_top(index):
    identities = [row[0] for row in index._rows("SELECT id FROM concept WHERE domain = ?", TOPIC)]
    assert len(identities) == 747
    for node in filter(None, map(index.concept, identities)):
        assert {"en", "zh"} <= {language for language, _ in node.labels}
        assert index.path(node.id)[-1].id == node.id


@pytest.mark.parametrize(
    "label", ["Basketball", "basketball", "篮球", "籃球", "Sports/Basketball", "体育/篮球", "sports/篮球"]
)
def test_a_node_is_found_by_label_or_path_in_either_language(index, label):
    assert index.nodes(label)[0].id == "topic:Sports/Basketball"


def test_a_path_that_does_not_lead_there_finds_nothing(index):
    assert index.nodes("Computers/Basketball") == []


def test_the_nearest_nodes_of_a_slip_are_named(index):
    assert "topic:Sports/Basketball" in [node.id for node in index.nearest("baskettball")]


def test_singular_and_plural_are_one_word(index):
    assert {concept.id for concept in index.senses("cat")} == {concept.id for concept in index.senses("cats")}


def test_a_thing_known_by_name_has_both_languages(index):
    assert index.senses("苹果公司")[0].id == index.senses("Apple Inc.")[0].id == "ext:apple_inc"


def test_links_to_wordnet_stay_silent_while_it_is_not_there(index):
    assert all(near.concept.domain == "topic" for near in index.neighbours("topic:Arts/Animation"))


def test_the_remembered_pages_are_listed_but_never_seeds(index):
    """They were never opened; nothing but this list knows them."""
    assert ("en", "ESPN", "https://www.espn.com/") in index.pages("topic:Sports")


def test_without_a_file_of_your_own_the_shipped_knowledge_is_opened():
    assert not knowledge_file().exists()
    with open_knowledge() as opened:
        assert [name for name, _, _ in opened.sources()] == ["taxonomy", "entities"]


def test_a_file_that_is_no_index_is_refused(tmp_path):
    broken = tmp_path / "knowledge.db"
    broken.write_text("no database")
    with pytest.raises(SettingsError, match="is no knowledge index"):
        open_knowledge(broken)
