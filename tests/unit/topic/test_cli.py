"""The verbs topic and knowledge, as a new user tries them."""

import json
from random import Random

import pytest

from tests.command_line import thresher
from tests.unit.documents import pdf

PAGE = "<title>Lakers win</title><p>The NBA basketball team won the game; the coach praised the players.</p>"


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(PAGE, encoding="utf-8")
    return str(file)


def test_show_prints_the_question_as_it_is_understood():
    shown = thresher(
        "topic",
        "show",
        "regular expressions",
        "--keyword",
        "regex",
        "--also",
        "text|strings",
        "--not",
        "grep",
    ).out
    assert "wanted    regular expressions: regular + expressions, best together" in shown
    assert "or        regex" in shown
    assert "and also  text" in shown
    assert "not       grep" in shown
    assert "near      in meaning" not in shown and "counts from" not in shown


def test_show_tells_what_the_judge_adds_and_makes_of_pages_only_in_full():
    shown = thresher("topic", "show", "regular expressions", "--full").out
    assert "near      in meaning" in shown
    assert "a page    counts from 0.21 on" in shown


def test_show_names_the_node_that_is_called_alike_and_does_not_use_it():
    shown = thresher("topic", "show", "Go").out
    assert "unused    the taxonomy has Games/Board Games/Go; --set topic.node=Games/Board Games/Go" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["the of"], "no word that tells pages apart"),
        (["go"], "Write a name with its capitals"),
        (["   "], "No topic"),
        (["♥♥"], "no letters that could be found"),
        (["python", "--not", "python"], "both wanted and not wanted"),
        (["python", "--not", "the"], "has no word that could be found"),
        (["python", "--also", "the"], "no word that tells pages apart"),
        (["python", "--language", "chinese"], "is not a language"),
        (["x", "--example", "nowhere.html", "--set", "topic.name="], "There is no page to go by"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(words, sentence):
    refused = thresher("topic", "show", *words)
    assert refused.code == 4
    assert sentence in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("words", "remark"),
    [
        (["regluar expresions"], "did you mean 'regular expressions'?"),
        (["C"], "'C' is looked for letter by letter"),
        (["bees", "--example", "nowhere.html"], "There is no nowhere.html here; it is left out."),
        (["bees", *(f"--keyword=w{n}" for n in range(10_000))], "10000 further words are many"),
    ],
)
def test_what_may_be_a_slip_is_said_and_the_topic_is_made(words, remark):
    ran = thresher("topic", "show", *words)
    assert ran.code == 0
    assert remark in ran.err


@pytest.mark.parametrize("body", [b"%PDF-1.4\x00\x01\x02" * 40, b"%PDF-1.4 cut off"])
def test_an_example_that_is_a_broken_pdf_is_named_and_the_name_is_kept(tmp_path, body):
    file = tmp_path / "paper.pdf"
    file.write_bytes(body)
    ran = thresher("topic", "show", "bees", "--example", str(file))
    assert ran.code == 0
    assert "paper.pdf has no text that can be read; it is left out." in ran.err


def test_an_example_that_is_a_pdf_is_read(tmp_path):
    pytest.importorskip("pypdfium2")
    file = tmp_path / "paper.pdf"
    file.write_bytes(pdf("Hives", "The colony swarms in May.", "Its hive is opened."))
    ran = thresher("topic", "show", "bees", "--example", str(file))
    assert ran.code == 0
    assert "left out" not in ran.err


def test_without_a_topic_the_practice_web_asks_for_one():
    refused = thresher("crawl", "  ")
    assert refused.code == 4
    assert "No topic: name one" in refused.err


def test_show_says_what_a_node_adds():
    shown = thresher("topic", "show", "篮球", "--set", "topic.node=篮球").out
    assert "or        basketball" in shown
    assert "path      Sports / Basketball" in shown
    assert "pinyin lanqiu" in shown
    assert "initials" not in shown


def test_show_takes_the_text_of_seed_pages_into_account():
    shown = thresher("topic", "show", "cat baby", "--seed-text", "litter box, vet, purring").out
    assert "concept   Cats / 猫" in shown
    assert "or      Babies" in shown
    assert "behind" in shown


def test_the_nearest_topics_of_a_chinese_slip_are_those_that_sound_alike():
    refused = thresher("topic", "show", "x", "--set", "topic.node=蓝球")
    assert refused.code == 4
    assert "Nothing here is called '蓝球'. The nearest topics: Basketball / 篮球" in refused.err


def test_show_prints_the_record_for_programs():
    told = json.loads(thresher("topic", "show", "basketball", "--keyword", "hoops", "--json").out)
    assert told["facets"] == [["basketball", "hoops"]]


def test_test_scores_a_page_with_each_judge_and_says_why(page):
    ran = thresher("topic", "test", "basketball", page)
    assert ran.code == 0
    for name in ("question", "cosine", "vocabulary", "tfidf", "topic_vector", "lexicon"):
        assert name in ran.out
    assert "basketbal" in ran.out


def test_test_can_ask_one_judge_and_answer_in_json(page):
    told = json.loads(thresher("topic", "test", "basketball", page, "--judge", "cosine", "--json").out)
    assert list(told[page]) == ["cosine"]
    assert told[page]["cosine"]["reasons"][0]["term"] == "basketbal"


def test_empty_and_binary_pages_are_named_and_skipped(page, tmp_path):
    unusable = {
        "empty.html": b"",
        "picture.html": b"\x89PNG\r\n\x1a\n\x00\x00",
        "bytes.html": Random(1).randbytes(3000),
    }
    for name, content in unusable.items():
        (tmp_path / name).write_bytes(content)
    ran = thresher("topic", "test", "basketball", page, *(str(tmp_path / name) for name in unusable))
    assert ran.code == 0
    assert ran.out.count("cosine") == 1
    assert all(f"{name} has no text" in ran.err for name in unusable)


def test_nothing_left_is_an_error(tmp_path):
    (tmp_path / "empty.html").write_bytes(b"")
    ran = thresher("topic", "test", "basketball", str(tmp_path / "empty.html"), "nowhere.html")
    assert ran.code == 4
    assert "There is no page to go by" in ran.err


def test_suggest_reads_a_folder(page, tmp_path):
    ran = thresher("topic", "suggest", "basketball", str(tmp_path))
    assert "lakers" in ran.out
    assert "From 1 page." in ran.err


@pytest.fixture(scope="module")
def bees(tmp_path_factory) -> str:
    """A short crawl of the practice web for beekeeping."""
    folder = str(tmp_path_factory.mktemp("suggest") / "bees")
    assert thresher("crawl", "beekeeping", "-o", folder, "--pages", "60").code == 0
    return folder


def test_suggest_learns_words_from_the_pages_of_a_short_crawl(bees):
    ran = thresher("topic", "suggest", "beekeeping", "--crawl", bees)
    assert ran.code == 0
    words = {line.split()[1] for line in ran.out.splitlines() if "pages" in line}
    assert {"bee", "hive"} <= words
    assert not words & {"notes", "pages", "society", "beekeeping"}
    assert f"Add what fits: thresher label --apply {bees} --keyword " in ran.err
    assert "topic.seen_often" not in ran.err


def test_suggest_lists_the_frequent_tokens_of_a_crawls_urls(bees):
    """The feedback loop of Chen et al. 2009."""
    ran = thresher("topic", "suggest", "beekeeping", "--crawl", bees, "--set", "topic.seen_often=5")
    counts = [int(line.split()[-2]) for line in ran.out.splitlines() if line.endswith(" addresses")]
    assert counts and min(counts) >= 5
    assert thresher("topic", "suggest", "beekeeping").code == 2


def test_suggest_says_when_a_crawl_has_nothing_to_learn_from(tmp_path):
    folder = str(tmp_path / "none")
    thresher("crawl", "beekeeping", "-o", folder, "--pages", "5", "--set", "judge.threshold=1.0")
    ran = thresher("topic", "suggest", "beekeeping", "--crawl", folder)
    assert (ran.code, ran.out) == (0, "")
    assert "has no relevant page yet to learn words from; name example pages." in ran.err


def test_new_writes_a_file_that_show_and_crawl_understand(tmp_path):
    file = tmp_path / "mine.toml"
    assert thresher("topic", "new", "篮球", str(file), "--set", "topic.node=篮球").code == 0
    assert "path      Sports / Basketball" in thresher("topic", "show", str(file)).out
    assert thresher("topic", "new", "篮球", str(file)).code == 2


def test_an_ambiguous_query_lists_what_it_may_mean(tmp_path):
    refused = thresher("topic", "show", "x", "--set", "topic.query=crafts")
    assert refused.code == 4
    assert "may mean several things" in refused.err


def test_knowledge_is_listed_and_added_and_a_broken_file_changes_nothing(tmp_path):
    assert "747" in thresher("topic", "knowledge", "list").out
    tree = tmp_path / "mine.csv"
    tree.write_text("path,label_zh\nHobbies/Fly_Fishing,飞钓\n", encoding="utf-8")
    assert "1 entries of mine.csv (tree) added" in thresher("topic", "knowledge", "add", str(tree)).out
    assert "the taxonomy has Hobbies/Fly Fishing" in thresher("topic", "show", "飞钓").out
    broken = tmp_path / "broken.csv"
    broken.write_text("name\nx\n", encoding="utf-8")
    refused = thresher("topic", "knowledge", "add", str(broken))
    assert refused.code == 4
    assert "line 1" in refused.err
    assert [row["name"] for row in json.loads(thresher("topic", "knowledge", "list", "--json").out)][
        -1
    ] == "mine.csv"
