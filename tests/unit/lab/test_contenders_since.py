"""The systems of others: the equations in their heads, worked by hand, and crawls that they make."""

from math import log, sqrt

import numpy as np
import pytest

from tests.small_web import TOPIC, SmallCrawl, url
from thresher.build.plugins import strategy_class
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, PageRecord, PageWords, Visit
from thresher.core.strategy import Strategy
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher_lab.contenders.ache import AcheLinks
from thresher_lab.contenders.context_graph import ContextGraph
from thresher_lab.contenders.guides import SvmGuide
from thresher_lab.contenders.link_orders import Opic, hubs
from thresher_lab.contenders.named import SINCE
from thresher_lab.contenders.sb_classifier import Action, SbClassifier, cosine, grams
from thresher_lab.contenders.tres import grown, value_of
from thresher_lab.contenders.waiting import NaiveBayes, link_words

JUDGE = Cosine(TOPIC)


def made(name: str) -> Strategy:
    return strategy_class(SINCE[name])(judge=JUDGE, topic=TOPIC)


WEB = {
    "s": ("bread", ["a", "b"]),
    "a": ("bee hive", ["c", "d"]),
    "b": ("cake oven", ["e"]),
    "c": ("bee honey", ["f"]),
    "d": ("bee", []),
    "e": ("cake", ["s"]),
    "f": ("bee bee", []),
}


@pytest.mark.parametrize("name", SINCE)
def test_every_contender_visits_each_page_of_a_small_web_once(name):
    crawl = SmallCrawl(made(name), WEB)
    assert sorted(set(crawl.run("s", visits=60))) == sorted(WEB)


@pytest.mark.parametrize("name", SINCE)
def test_the_same_crawl_twice_is_the_same(name):
    assert SmallCrawl(made(name), WEB).run("s", visits=60) == SmallCrawl(made(name), WEB).run("s", visits=60)


def test_naive_bayes_with_one_added_to_each_count():
    """bee 2 of 3 words, cake 2 of 2; vocabulary bee, hive, cake: 3/6 against 1/5 for 'bee', equal priors."""
    model = NaiveBayes()
    model.learn({"bee": 2, "hive": 1}, 1)
    model.learn({"cake": 2}, 0)
    assert model.probabilities({"bee": 1}) == pytest.approx(
        [(1 / 5) / (1 / 5 + 3 / 6), (3 / 6) / (1 / 5 + 3 / 6)]
    )


def test_a_support_vector_machine_tells_apart_what_it_has_learned():
    guide = SvmGuide(judge=JUDGE, topic=TOPIC)
    for n in range(4):
        for text, relevance in ((f"bee hive{n}", 1.0), (f"cake oven{n}", 0.0)):
            page = Page(url(text), text=text)
            record = PageRecord(words=PageWords(dict.fromkeys(text.split(), 1)))
            visit = Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page, relevance, page_record=record)
            guide.on_visit(visit, Database())
    assert guide.posterior({"bee": 1}) > 0.5 > guide.posterior({"cake": 1})


def test_opic_hands_cash_on_in_equal_shares():
    """One seed with cash 1 and two links: a half each; a links to b: b has 1 when a is fetched first."""
    opic = Opic(judge=JUDGE, topic=TOPIC)
    opic.start([url("s")])

    def visit(name: str, *targets: str):
        page = Page(url(name), links=tuple(Link(url(name), url(each)) for each in targets))
        return list(opic.on_visit(Visit(Candidate(url(name)), Outcome.FETCHED, 0.0, page), Database()))

    assert [offer.priority for offer in visit("s", "a", "b")] == [0.5, 0.5]
    assert [(offer.url, offer.priority) for offer in visit("a", "b")] == [(url("b"), 1.0)]


def test_the_hub_that_names_what_others_name_is_the_best():
    scores = hubs({url("x"): [url("1"), url("2")], url("y"): [url("1")], url("z"): [url("3")]})
    assert scores[url("x")] > scores[url("y")] > scores[url("z")] == pytest.approx(0.0, abs=1e-3)


def test_ache_ranks_by_class_before_probability():
    """100 (2 - c) + 100 Pr: a link sure to be of class 0 has 299, one of class 2 at most 99."""
    ache = AcheLinks(judge=JUDGE, topic=TOPIC)
    links = {"near": "bee", "far": "cake"}
    ache._waiting.links = {
        url(name): (Link(url("s"), url(name), anchor), 1) for name, anchor in links.items()
    }
    ache._model = NaiveBayes(3)
    for _ in range(200):
        ache._model.learn(link_words(Link(url("s"), url("near"), "bee")), 0)
        ache._model.learn(link_words(Link(url("s"), url("far"), "cake")), 2)
    assert ache.priority(url("near")) == pytest.approx(299.0)
    assert ache.priority(url("far")) == pytest.approx(99.0)


def test_the_context_graph_serves_the_queue_nearest_to_the_targets_first():
    """Layer 0 says bee, layer 1 hive, layer 2 garden: queues 1, 1/2 and 1/3; what fits none is last."""
    graph = ContextGraph(judge=JUDGE, topic=TOPIC)
    for layer, word in enumerate(("bee", "hive", "garden")):
        graph._model.learn({word: 20}, layer)
    assert [graph.priority({word: 5}) for word in ("bee", "hive", "garden")] == [1.0, 1 / 2, 1 / 3]
    assert graph.priority({"car": 1}) == 0.0


def test_an_action_is_worth_its_mean_and_what_is_not_known_of_it():
    bandit = SbClassifier(judge=JUDGE, topic=TOPIC)
    bandit._requests = 10
    assert bandit.score(Action({}, tries=4, reward=1.0)) == pytest.approx(0.25 + 0.5 * sqrt(log(10) / 4))
    assert bandit.score(Action({})) > bandit.score(Action({}, tries=1, reward=1.0))


def test_like_places_are_one_action():
    """html/body/ul/li and html/body/ol/li share three of five pairs: .6; under theta = .75, two actions."""
    assert cosine(grams("html/body/ul/li"), grams("html/body/ol/li")) == pytest.approx(3 / 5)
    bandit = SbClassifier(judge=JUDGE, topic=TOPIC)
    assert bandit.action("html/body/ul/li") is not bandit.action("html/body/ol/li")
    assert bandit.action("html/body/div/div/ul/li/p/a") is bandit.action("html/body/div/div/div/ul/li/p/a")


def test_the_tree_splits_where_rewards_differ_most_and_leaves_no_leaf_under_five():
    x = np.array([[float(n), 0.0] for n in range(10)])
    y = np.array([0.0] * 5 + [1.0] * 5)
    tree = grown(x, y)
    assert tree[:2] == (0, 4.0)
    assert [value_of(tree, [place, 0.0])[0] for place in (4.0, 5.0)] == [0.0, 1.0]
    assert len(grown(x[:9], y[:9])) == 2
