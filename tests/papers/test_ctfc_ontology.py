"""CT-FC's ontology in the lab: its concepts, their synonyms and the meanings of a query (Figure 6b)."""

import json

import pytest

from tests.unit.lab_examples import make_corpus
from thresher.build.plugins import make_strategy
from thresher.core.records import Topic
from thresher.judges.baselines import Cosine
from thresher.settings.components import StrategySettings
from thresher.strategies.ctfc import Ctfc
from thresher.topic.ontology import named_by
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.corpus import Corpus, CorpusTopic
from thresher_lab.setup import corpus_ontology, stage

MUSIC = CorpusTopic(
    "music", "Arts/Music", keywords=("song", "composer"), description="Songs and who wrote them."
)


def test_a_concept_has_the_names_of_its_synonyms():
    kept = corpus_ontology(MUSIC)
    one, whole = named_by(kept, concepts=1), named_by(kept)
    assert set(named_by(kept, concepts=1, synonyms=False)) == {"Music", "音乐"}
    assert {"Music", "音乐"} < set(one) < set(whole) and len(whole) > 50


def test_a_second_meaning_of_the_query_brings_its_own_concepts():
    """Section 5.1: music in the arts, and music in the shops, beside which stand auctions."""
    kept = corpus_ontology(MUSIC)
    assert "Auctions" not in named_by(kept, meanings=1) and "Auctions" in named_by(kept, meanings=2)
    sizes = [len(named_by(kept, meanings=several)) for several in (1, 2, 3)]
    assert sizes == sorted({*sizes})


@pytest.fixture
def corpus(tmp_path):
    made = make_corpus(tmp_path)
    topic = json.loads((made.path / "topics.jsonl").read_text()) | {"path": "Science/Astronomy"}
    (made.path / "topics.jsonl").write_text(json.dumps(topic))
    return Corpus(made.path)


def test_parts_of_the_ontology_are_forms_of_ctfc_in_the_lab(corpus, tmp_path):
    names = ("ctfc", "ctfc+ontology", "ctfc+concepts=1", "ctfc+synonyms=false", "ctfc+meanings=3")
    lexicons = {}
    with stage(corpus, cache=tmp_path / "cache") as place:
        for name in names:
            contender = contender_of(name)
            check(contender)
            plan = plan_of(contender, "bees", 10, ("hub",))
            settings = StrategySettings("ctfc", contender.parameters)
            strategy = make_strategy(settings, place.judge(plan), place.topic(plan))
            assert isinstance(strategy, Ctfc)
            assert not strategy.missing()
            lexicons[name] = strategy.lexicon.weights
    assert "bee" not in lexicons["ctfc+ontology"] and "solar" in lexicons["ctfc+ontology"]
    for name in names[2:]:
        assert lexicons[name] not in (lexicons["ctfc"], lexicons["ctfc+ontology"])


def test_a_topic_that_no_concept_is_called_after_has_no_ontology_and_its_strategy_says_so():
    unknown = CorpusTopic("bees", "Country/Zzyzx", keywords=("honey",))
    assert corpus_ontology(unknown) == ()
    topic = Topic("bees", {"bee": 1.0}, lexicon={"bee": 1.0})
    assert "Name a node" in Ctfc(judge=Cosine(topic), topic=topic, concepts=1).missing()
    assert not Ctfc(judge=Cosine(topic), topic=topic).missing()
