"""Jamali et al. 2006 as a user meets it: sub-domains of one's own, and results by Rank."""

from tests.command_line import thresher
from thresher.core.records import Page, Topic, Url
from thresher.judges.baselines import VocabularyJudge
from thresher.store.folder import CrawlFolder
from thresher.topic.build import TopicRequest, make_topic


def test_the_users_sub_domains_are_taken_and_results_go_by_rank(tmp_path):
    """Section IV: the user may name the sub-domains and their words."""
    folder = CrawlFolder(tmp_path / "c")
    words = 'topic.vocabularies=[["star", "telescopes"], ["moon", "night sky"]]'
    asked = ["crawl", "astronomy", "--strategy", "jamali", "--pages", "30", "--set", words]
    assert thresher(*asked, "-o", str(folder.path)).code == 0
    store = folder.open()
    assert store.facts.topic.vocabularies == (("star", "telescop"), ("moon", "night sky"))
    store.close()
    assert "scored by jamali" in thresher("report", str(folder.path), "--top", "3").out


def test_a_phrase_counts_where_it_stands_whole():
    topic = Topic("sky", vocabularies=(("night sky", "moon"),))
    judge = VocabularyJudge(topic)
    whole, apart = (Page(Url("http://a.test/"), text=text) for text in ("night sky", "sky night"))
    assert judge.score(whole) == 1 / 3 and judge.score(apart) == 0.0


def test_words_of_a_sub_domain_are_cut_as_texts_are():
    from thresher.knowledge.index import open_knowledge

    with open_knowledge() as lexicon:
        topic = make_topic(TopicRequest("sky", vocabularies=[["Telescopes", "the"]]), lexicon)
    assert topic.vocabularies == (("telescop",),)


def test_seeds_and_candidates_are_listed_with_what_ranks_them(tmp_path):
    """Figure 1: the tables Seed Pages and Candidate Crawled Pages."""
    folder = tmp_path / "c"
    assert (
        thresher("crawl", "astronomy", "--strategy", "jamali", "--pages", "60", "-o", str(folder)).code == 0
    )
    said = thresher("report", str(folder), "--tables", "--top", "5").out
    assert "Seed Pages" in said and "Candidate Crawled Pages, 5 of" in said
    assert "links_to_seed" in said and "similarity" in said


def test_a_strategy_without_tables_says_so(tmp_path):
    folder = tmp_path / "c"
    thresher("crawl", "astronomy", "--strategy", "best_first", "--pages", "5", "-o", str(folder))
    assert "keeps no table" in thresher("report", str(folder), "--tables").out
