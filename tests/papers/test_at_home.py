"""What a person meets who tries the papers' crawlers at home, on the practice web."""

import pytest

from tests.command_line import thresher
from thresher.build.topic import topic_of
from thresher.cli.options import settings_of
from thresher.knowledge.index import open_knowledge
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher.topic.url_spellings import spelling_row
from thresher_practice.text import TOPICS

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


@pytest.mark.parametrize("subject", TOPICS)
def test_every_topic_of_the_practice_web_is_a_node(subject):
    with open_knowledge() as lexicon:
        nodes = lexicon.nodes(subject.name)
    assert [node.id for node in nodes][:1] == [f"topic:{subject.node}"]


def test_fcmrps_and_ctfc_start_from_the_node_of_the_topics_name_and_say_so():
    """Chen et al. 2009, section 1: a topic is a node, in both languages; CT-FC, Figure 7: one concept."""
    for name in ("basketball", "篮球"):
        said: list[str] = []
        settings = read(None, [("topic", name), ("strategy", "fcmrps"), ("seeds", ["http://a.test/"])])
        topic = topic_of(settings, said.append)
        assert set(topic.paths.values()) == {("Sports", "Basketball"), ("体育", "篮球")}
        assert "taken for Sports/Basketball" in said[0]


def test_a_topic_that_is_no_node_is_told_the_nearest():
    said: list[str] = []
    settings = read(None, [("topic", "baskettball"), ("strategy", "ctfc"), ("seeds", ["http://a.test/"])])
    assert topic_of(settings, said.append).path == ()
    assert "is no node" in said[0] and "Sports/Basketball" in said[0]


def test_the_taxonomy_can_be_browsed_in_both_languages():
    assert "Sports: Sports / 体育" in thresher("topic", "browse").out
    under = thresher("topic", "browse", "体育/篮球").out
    assert under.startswith("Sports/Basketball") and "NBA: NBA / 美国职业篮球联赛" in under
    assert "NBA" in thresher("topic", "browse", "Sports", "--depth", "2").out
    assert "Sports/Basketball" in thresher("topic", "browse", "baskettball").err


def test_an_abbreviation_is_its_own_pinyin():
    """Section 3.5, Table 1: Chinese pages write NBA, and so do their addresses."""
    with open_knowledge() as lexicon:
        (node, *_) = lexicon.nodes("NBA")
    assert spelling_row(node.labels) == ("nba|nationalbasketballassociation", "nba", "nba", "")


@pytest.mark.parametrize("subject", ["astronomy", "茶艺"])
def test_ctfc_goes_all_four_ways_in_300_pages_of_the_practice_web(subject):
    """Section 5.4: links of relevant pages, of others, spouses by authorities, siblings by hubs."""
    assert (
        thresher("crawl", subject, "--strategy", "ctfc", "--pages", "300", "--delay", "0", "-o", "c").code
        == 0
    )
    table = thresher("report", "c", "--tables").out.split("Quadrants")[1].split("Hubs")[0]
    requests = {
        line.split()[2].rstrip(","): int(line.split()[0]) for line in table.splitlines() if ", " in line[8:]
    }
    assert all(requests[kind] for kind in ("I", "II", "III", "IV")), table


def test_a_papers_policy_is_one_word_and_printed_line_by_line(tmp_path):
    """Mali and Meshram 2011: strategy and judge, and the revisit of layers 2 and 3."""
    ran = crawl("astronomy", "--paper", "mali")
    assert ran.code == 0
    for line in (
        "topic_vector, relevant from",
        "revisit.change = paper (section 3.2",
        "revisit.policy = pvalue",
    ):
        assert line in ran.err
    asked = CrawlFolder(tmp_path / "astronomy").asked()
    assert asked.strategy.name == "mali"
    assert (asked.revisit.policy, asked.revisit.change, asked.revisit.repository) == (
        "pvalue",
        "paper",
        "paper",
    )


def test_a_crawl_may_be_revisited_by_another_papers_policy():
    crawl("astronomy", "--strategy", "best_first")
    ran = thresher("revisit", "astronomy", "--once", "--budget", "5", "--paper", "mali", "--plan")
    assert ran.code == 0 and "revisit.change = paper" in ran.err and "strategy.name" not in ran.err
    refused = thresher("revisit", "astronomy", "--once", "--paper", "jamali")
    assert refused.code == 2 and "does not say how pages are revisited; mali does" in refused.err


def test_a_paper_and_a_strategy_are_two_answers_to_one_question():
    assert crawl("astronomy", "--paper", "mali", "--strategy", "ctfc").code == 2
    assert "ratna" in crawl("astronomy", "--paper", "page").err
