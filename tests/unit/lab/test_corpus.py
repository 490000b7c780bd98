"""A corpus folder: what a strategy may know of a topic, and what is said of a folder that is wrong."""

import pytest

from tests.unit.lab_examples import SITE, make_corpus
from thresher.core.errors import UnknownName, UsageError
from thresher.judges.baselines import Cosine
from thresher_lab.corpus import Corpus, CorpusTopic, topic_of
from thresher_lab.record import examine


@pytest.fixture
def corpus(tmp_path):
    return make_corpus(tmp_path)


def test_with_labels_alone_the_ith_of_the_path_weighs_i_of_d():
    """Chen et al. 2009: w_i = i/D."""
    topic = topic_of(CorpusTopic("nba", "Sports/Basketball/NBA"), "labels")
    assert Cosine(topic).weights == pytest.approx({"sport": 1 / 3, "basketbal": 2 / 3, "nba": 1.0})


def test_the_rich_model_adds_keywords_at_1_and_the_description_at_a_half():
    entry = CorpusTopic("nba", "Sports/NBA", keywords=("league",), description="Finals and sports")
    weights = Cosine(topic_of(entry, "rich")).weights
    assert weights == pytest.approx({"sport": 0.5, "nba": 1.0, "leagu": 1.0, "final": 0.5})


def test_a_topic_in_two_languages_has_the_labels_of_both():
    entry = CorpusTopic("ball", "Sports/Basketball", "体育/篮球", languages=("zh", "en"))
    assert set(topic_of(entry, "labels").keywords) == {"Sports", "Basketball", "体育", "篮球"}


def test_no_relevant_page_reaches_the_topic_a_strategy_sees(corpus):
    for model in ("labels", "rich"):
        assert SITE not in str(topic_of(corpus.topic("bees"), model))


def test_seeds_go_by_name_or_are_urls(corpus):
    assert corpus.seeds("bees", ["ordinary", f"{SITE}b"]) == [f"{SITE}a", f"{SITE}b"]
    with pytest.raises(UnknownName, match="Did you mean 'hub'"):
        corpus.seeds("bees", ["hubb"])


def test_a_topic_nobody_knows_is_named_with_the_nearest(corpus):
    with pytest.raises(UnknownName, match="Did you mean 'bees'"):
        corpus.topic("beez")


def test_a_good_folder_has_no_problems(corpus):
    findings = examine(corpus)
    assert findings.problems == ()
    assert findings.facts[0] == "8 pages and 1 redirects in 1 archive file(s)."


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("relevant/bees.txt", "", "no relevant page"),
        ("relevant/bees.txt", f"{SITE}nowhere\n", "1 relevant page(s) are not in the archive"),
        ("relevant/bees.txt", f"{SITE}list\n", "hidden in hard mode"),
        ("relevant/bees.txt", "not a url\n", "line 1"),
        ("topics.jsonl", "{", "line 1"),
        ("topics.jsonl", "", "no topic"),
        ("topics.jsonl", '{"id": "../bees", "path": "Bees"}\n', "cannot be the name of a file"),
        ("labels.tsv", f"{SITE}a\n", "has no label"),
        ("labels.tsv", f"{SITE}nowhere\tx\n", "1 page(s) that are not in the archive"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_in_one_sentence(corpus, file, text, problem):
    (corpus.path / file).write_text(text)
    found = examine(Corpus(corpus.path)).problems
    assert any(problem in each for each in found), found


def test_a_damaged_archive_is_used_as_far_as_it_goes_and_the_damage_named(corpus):
    archive = next(corpus.path.glob("*.warc.gz"))
    archive.write_bytes(archive.read_bytes()[:-700])
    findings = examine(corpus)
    assert "damaged" in " ".join(findings.facts)
    assert not findings.facts[0].startswith(("0 ", "8 "))


def test_a_folder_without_topics_is_no_corpus(tmp_path):
    with pytest.raises(UsageError, match=r"no topics\.jsonl"):
        Corpus(tmp_path).topics
