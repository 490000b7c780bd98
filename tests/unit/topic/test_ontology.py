"""A query is taken for exactly one concept, by the words of the seed pages; the margin is shown."""

import pytest

from thresher.core.errors import AmbiguousTopic, SettingsError
from thresher.core.records import Concept, Neighbour
from thresher.knowledge.index import shipped_knowledge
from thresher.topic.ontology import choose, lexicon_of, local_ontology, refuse_a_guess, telling

CONCEPTS = {
    concept.id: concept
    for concept in (
        Concept(
            "bank-money", "a financial institution that accepts deposits", (("en", "bank"),), "noun.group"
        ),
        Concept("bank-river", "sloping land beside a body of water", (("en", "bank"),), "noun.object"),
        Concept("baby-human", "a very young child", (("en", "baby"),), "noun.person"),
        Concept("cat", "feline mammal", (("en", "cat"), ("zh", "猫")), "noun.animal"),
        Concept("kitten", "young domestic cat", (("en", "kitten"), ("zh", "小猫")), "noun.animal"),
        Concept("mammal", "any warm-blooded vertebrate", (("en", "mammal"),), "noun.animal"),
        Concept("baby-animal", "a very young mammal", (("en", "baby"),), "noun.animal"),
    )
}
BESIDE = {
    "kitten": (("broader", "mammal"),),
    "baby-animal": (("broader", "mammal"),),
    "mammal": (("narrower", "kitten"), ("narrower", "baby-animal"), ("narrower", "cat")),
    "cat": (("broader", "mammal"),),
}


class Small:
    """A lexicon of a few concepts."""

    def senses(self, phrase):
        return [c for c in CONCEPTS.values() if phrase.lower() in {label for _, label in c.labels}]

    def neighbours(self, concept):
        return [Neighbour(kind, CONCEPTS[beside]) for kind, beside in BESIDE.get(concept, ())]

    def nearest(self, label, several=5):
        return [CONCEPTS["cat"]]

    def path(self, concept):
        return []

    def nodes(self, label):
        return []

    def translations(self, phrase):
        return {"cat": ["猫", "九尾鞭"]}.get(phrase, [])


SMALL = Small()


@pytest.mark.parametrize(
    ("context", "concept"),
    [
        ("open a savings account and compare mortgage credit", "bank-money"),
        ("otters and reeds in the mud of the flooded stream", "bank-river"),
        ("开设储蓄账户，比较贷款利率", "bank-money"),
    ],
)
def test_seed_pages_tell_meanings_apart_in_either_language(context, concept):
    assert choose("bank", context, SMALL).concept.id == concept


def test_a_cats_baby_is_a_kitten_and_never_a_child():
    """Two words that name nothing together: what lies beside both of them is meant."""
    choice = choose("cat baby", "", SMALL)
    assert choice.concept.id == "kitten"
    assert choice.margin > 0.1


def test_the_rivals_come_with_the_margin():
    choice = choose("bank", "savings account", SMALL)
    assert [concept.id for concept, _ in choice.rivals] == ["bank-river"]
    assert choice.margin == pytest.approx(choice.score - choice.rivals[0][1])
    assert not choice.is_close


def test_an_ambiguous_word_without_context_is_refused_with_the_words_to_tell_it():
    with pytest.raises(AmbiguousTopic) as refused:
        refuse_a_guess("bank", choose("bank", "", SMALL), SMALL)
    assert "bank-money" in str(refused.value)
    assert "deposits" in str(refused.value)
    assert "sloping" in str(refused.value)


def test_a_word_of_one_meaning_needs_no_context():
    refuse_a_guess("kitten", choose("kitten", "", SMALL), SMALL)


def test_an_unknown_word_is_refused_with_the_nearest():
    with pytest.raises(SettingsError, match=r"Nothing here is called 'katze'.*cat / 猫"):
        choose("katze", "", SMALL)


def test_telling_words_do_not_repeat_the_name():
    assert "bank" not in telling(CONCEPTS["bank-money"], SMALL)


def test_the_local_ontology_keeps_kinds_and_siblings_and_drops_the_rest():
    with shipped_knowledge() as index:
        (basketball,) = index.nodes("Sports/Basketball")
        kept = local_ontology(basketball, index)
    assert kept["topic:Sports/Basketball"][1] == 1.0
    assert kept["topic:Sports/Basketball/NBA"][1] == 0.7
    assert kept["topic:Sports/Baseball"][1] == 0.3
    assert "topic:Sports" not in kept
    assert "topic:Computers" not in kept


def test_the_lexicon_has_both_languages_and_leaves_out_translations_of_other_senses():
    """九尾鞭 translates the cat that is a whip."""
    lexicon = lexicon_of(CONCEPTS["cat"], SMALL)
    assert {"cat", "猫", "kitten", "小猫"} <= set(lexicon)
    assert "九尾鞭" not in lexicon
