"""Jamali et al. 2006: seeds, candidates and the rank that decides whose links are fetched."""

import json
from math import log, sqrt

import pytest
from msgspec.structs import replace

from tests.small_web import TOPIC, SmallCrawl, url
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.judges.baselines import Cosine, VocabularyJudge
from thresher.store.database import Database
from thresher.strategies.jamali import Jamali, Known

SPORTS = Topic(
    "sports",
    vocabularies=(("ball", "team", "goal", "match"), ("race", "lap", "team", "driver"), ("chess", "move")),
)
BEES = Topic("bees", {"bee": 1.0}, vocabularies=(("bee", "hive"),))


def jamali(topic: Topic = BEES, **parameters) -> Jamali:
    return Jamali(judge=Cosine(topic), topic=topic, **parameters)


def known(links_to: int, links_from: int, similarity: float) -> Known:
    return Known(Url("http://a.test/"), 0, 0, False, links_to, links_from, similarity)


def found(strategy: Jamali, name: str) -> Known:
    page = strategy._candidates.find(url(name))
    assert page is not None
    return page


def sub_domains(strategy: Jamali) -> list[frozenset[str]]:
    assert strategy._domain is not None
    return strategy._domain.vocabularies


def test_rank_of_the_worked_page():
    """Section III, eq. (1) and (2): (2 + 3) * (0.1 + 0.5) = 3.0."""
    page = Page(Url("http://a.test/"), text="ball team goal news lap")
    similarity = VocabularyJudge(SPORTS).score(page)
    assert similarity == pytest.approx(0.5)
    assert jamali().rank(known(2, 3, similarity)) == pytest.approx(3.0)


def test_a_page_without_similarity_still_has_a_rank():
    """Section III.A: images and Flash have none, but 5 links make 0.5."""
    assert jamali().rank(known(5, 0, 0.0)) == pytest.approx(0.5)


def test_full_similarity_is_worth_eleven_times_none():
    """Section III.A: that is what 0.1 was chosen for."""
    assert jamali().rank(known(1, 0, 1.0)) / jamali().rank(known(1, 0, 0.0)) == pytest.approx(11.0)


WEB = {
    "seed": ("start", ["off", "on"]),
    "off": ("ants", ["off/1"]),
    "on": ("bee hive", ["on/1"]),
    "off/1": ("ants", []),
    "on/1": ("bee hive", ["on/2"]),
    "on/2": ("bee", []),
}


def test_a_page_that_was_fetched_is_expanded_only_when_it_is_promoted():
    """Section III.A: the links of the best candidate are downloaded, and no others."""
    assert SmallCrawl(jamali(), WEB).run("seed") == ["seed", "off", "on", "on/1", "on/2", "off/1"]


def test_learning_from_a_page_offers_nothing():
    strategy = jamali()
    crawl = SmallCrawl(strategy, WEB)
    assert crawl.run("seed", visits=1) == ["seed"]
    assert len(crawl.frontier) == 0
    assert [offer.url for offer in strategy.on_empty(crawl.store)] == [url("off"), url("on")]


def test_links_to_and_from_seeds_are_counted_as_seeds_are_added():
    """a is linked from the seed and links back; b is linked from the seed and from c, promoted first."""
    web = {
        "seed": ("start", ["a", "b", "c"]),
        "a": ("ants", ["seed"]),
        "b": ("ants", []),
        "c": ("bee hive", ["b", "d"]),
        "d": ("ants", []),
    }
    strategy = jamali()
    assert SmallCrawl(strategy, web).run("seed", visits=5)[-1] == "d"
    counts = {name: found(strategy, name) for name in "abcd"}
    assert {name: (page.links_to, page.links_from) for name, page in counts.items()} == {
        "a": (1, 1), "b": (0, 2), "c": (0, 1), "d": (0, 1)
    }  # fmt: skip


def test_a_page_that_links_to_a_later_seed_is_ranked_higher_from_then_on():
    """'After moving a candidate it is needed to adjust links values for the remaining candidates.'"""
    web = {
        "seed": ("start", ["a", "b", "c"]),
        "a": ("ants", ["x"]),
        "b": ("ants", ["c", "y"]),
        "c": ("bee hive", ["z"]),
        **dict.fromkeys("xyz", ("ants", [])),
    }
    assert SmallCrawl(jamali(), web).run("seed") == ["seed", "a", "b", "c", "z", "y", "x"]


def test_a_redirect_does_not_hide_a_link():
    """old moves to a, which was fetched: that is a second link from a seed, and one that b has to a seed."""
    web = {
        "seed": ("start", ["c", "a", "b"]),
        "a": ("ants", ["x"]),
        "b": ("ants", ["old", "y"]),
        "c": ("bee hive", ["old", "z"]),
        "old": ("->a", []),
        **dict.fromkeys("xyz", ("ants", [])),
    }
    strategy = jamali()
    SmallCrawl(strategy, web).run("seed", visits=6)
    page = found(strategy, "a")
    assert (page.links_to, page.links_from) == (0, 2)
    assert found(strategy, "old") is page


def test_what_is_no_page_can_be_promoted_and_has_nothing_to_offer():
    """A picture with three links from seeds goes before a page with one, as eq. (1) has it."""
    web = {
        "seed": ("start", ["picture", "a", "b"]),
        "a": ("bee hive", ["picture", "a/1"]),
        "b": ("bee hive", ["picture", "b/1"]),
        "picture": ("", []),
        "a/1": ("ants", ["far"]),
        "b/1": ("ants", []),
        "far": ("ants", []),
    }
    strategy = jamali()
    SmallCrawl(strategy, web).run("seed")
    picture = found(strategy, "picture")
    assert picture.promoted
    assert strategy.rank(picture) == pytest.approx(0.3)


def test_two_links_to_one_page_count_once():
    """The paper counts pages; a menu above and below the text is one link."""
    strategy = jamali()
    SmallCrawl(strategy, {"seed": ("start", ["a", "a"]), "a": ("ants", ["seed", "seed"])}).run(
        "seed", visits=2
    )
    page = found(strategy, "a")
    assert (page.links_to, page.links_from) == (1, 1)


def test_the_seeds_are_added_first_and_in_their_order():
    web = {
        "one": ("start", ["a"]),
        "two": ("start", ["b"]),
        "a": ("bee hive", ["c"]),
        **dict.fromkeys("bc", ("ants", [])),
    }
    assert SmallCrawl(jamali(), web).run("one", "two") == ["one", "two", "a", "b", "c"]


def test_without_examples_the_sub_domains_come_from_what_the_seeds_link_to():
    """Section IV.A: 'it is also possible to first crawl pages and create sub-domains based on them.'"""
    pages = {f"p{n}": (f"bee bee smoker frame{n % 2}", [f"p{n}/1"]) for n in range(12)}
    web = {"seed": ("start", [*pages]), **pages, "p3/1": ("smoker", []), "p5/1": ("ants", [])}
    strategy = jamali(TOPIC)
    SmallCrawl(strategy, web).run("seed")
    assert "smoker" in set().union(*sub_domains(strategy))
    assert found(strategy, "p3/1").similarity == 1.0
    assert found(strategy, "p5/1").similarity == 0.0


def test_with_few_relevant_pages_round_the_seeds_the_words_of_the_topic_are_the_only_sub_domain():
    strategy = jamali(TOPIC)
    SmallCrawl(strategy, WEB).run("seed")
    assert sub_domains(strategy) == [frozenset({"bee"})]


def test_what_is_missing_in_the_topic_is_said_with_what_stands_in_for_it():
    assert jamali().missing() == ""
    assert "no example pages" in jamali(TOPIC).missing()


def test_the_sound_rank_grows_with_the_logarithm_of_the_links():
    assert jamali(sound=True).rank(known(2, 3, 0.5)) == pytest.approx(log(6) * 0.6)


def test_the_sound_similarity_gives_a_page_of_one_word_no_full_marks():
    """|v & s| / sqrt(|v| |s|) = 1 / sqrt(2) for one of two words, and 1 only for the whole vocabulary."""
    sound = VocabularyJudge(BEES, sound=True)
    assert sound.overlap(["bee"]) == pytest.approx(1 / sqrt(2))
    assert sound.overlap(["bee", "hive"]) == pytest.approx(1.0)
    assert VocabularyJudge(BEES).overlap(["bee"]) == 1.0


def test_the_state_is_told_entry_by_entry():
    strategy, twin = jamali(), jamali()
    crawl = SmallCrawl(strategy, WEB)
    crawl.run("seed", visits=4)
    first = [*strategy.save().rows]
    assert len(first) == 4
    later = strategy.save()
    assert list(later.rows) == []
    twin.load(replace(later, rows=first))
    assert list(twin.on_empty(crawl.store)) == list(strategy.on_empty(crawl.store))
    assert json.loads(twin.save().head)[1] == json.loads(strategy.save().head)[1]


def test_the_terms_of_a_rank_are_told():
    strategy = jamali()
    SmallCrawl(strategy, WEB).run("seed", visits=4)
    offer = Candidate(url("on/1"), 1.1, via=Link(url("on"), url("on/1")))
    assert strategy.explain(offer, Database()) == [
        "promoted: http://a.test/on at rank 1.100",
        "its own rank 1.100 = 1 links x (0.1 + similarity 1.000)",
        "links = 0 to pages promoted + 1 from them",
    ]


def test_a_failed_visit_is_no_candidate():
    strategy = jamali()
    assert list(strategy.on_visit(Visit(Candidate(url("x")), Outcome.GONE, 0.0), Database())) == []
    assert list(strategy.on_empty(Database())) == []
