"""A paper's strategy is judged as its paper judges, unless the user names another judge."""

from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.build.plugins import own_threshold
from thresher.build.reading import make_judge, with_own_judge
from thresher.build.topic import topic_of
from thresher.core.records import Page, Topic, Url
from thresher.engine.read import as_sync
from thresher.judges import DEFAULT_JUDGE
from thresher.judges.baselines import Cosine, GuardedJudge
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder

THE_PAPERS = {
    "jamali": ("vocabulary", 0.01, "whole"),
    "ctfc": ("lexicon", 0.1, "whole"),
    "ratna": ("tfidf", 0.035, "whole"),
    "mali": ("topic_vector", 0.002, "whole"),
    "fcmrps": ("cosine", 0.1, "labels"),
}


def asked(strategy: str, *more: tuple[str, object]):
    return with_own_judge(
        read(None, [("topic.node", "Sports/Basketball/NBA"), ("strategy", strategy), *more])
    )


@pytest.mark.parametrize("strategy", THE_PAPERS)
def test_a_paper_has_its_own_judge_threshold_and_topic(strategy):
    settings = asked(strategy)
    found = (settings.judge.name, settings.judge.threshold, settings.topic.form)
    assert found == THE_PAPERS[strategy]


def test_other_strategies_keep_the_default_judge():
    settings = asked("best_first")
    assert (settings.judge.name, settings.judge.threshold) == (DEFAULT_JUDGE, None)  # found by the crawl
    assert make_judge(settings, Topic("basketball")).threshold == own_threshold(DEFAULT_JUDGE)


def test_who_names_a_judge_gets_it_with_its_own_threshold_and_the_whole_topic():
    settings = asked("fcmrps", ("judge.name", "topic_vector"))
    assert (settings.judge.name, settings.judge.threshold, settings.topic.form) == (
        "topic_vector",
        0.002,
        "whole",
    )


def test_the_threshold_follows_the_parameter_that_the_paper_has_for_it():
    assert asked("mali", ("tau", 0.01)).judge.threshold == 0.01
    assert asked("mali", ("tau", 0.01), ("judge.threshold", 0.02)).judge.threshold == 0.02


def test_r_pc_of_the_worked_page_as_a_crawl_makes_it():
    """Chen et al. 2009, eq. (1): (2 x 1 + 1 x 1/3) / (3 x sqrt(1/9 + 4/9 + 1))."""
    settings = asked("fcmrps")
    judge = as_sync(make_judge(settings, topic_of(settings)))
    page = Page(Url("http://a.test/"), text="nba nba sports ticket ticket")
    assert judge.score(page) == pytest.approx(0.623610, abs=1e-6)


def test_the_labels_of_either_language_are_a_vector_of_their_own():
    settings = asked("fcmrps")
    judge = as_sync(make_judge(settings, topic_of(settings)))
    chinese = Page(Url("http://a.test/"), text="体育 篮球")
    assert judge.score(chinese) == pytest.approx((1 / 3 + 2 / 3) / (2**0.5 * (14 / 9) ** 0.5), abs=1e-6)


def test_a_crawl_says_what_its_paper_goes_by_and_keeps_it(tmp_path):
    """So that nobody takes another judge's figures for the paper's."""
    folder = tmp_path / "x"
    said = thresher(*"crawl astronomy --strategy fcmrps --pages 5 -o".split(), str(folder))
    assert "judge cosine, relevant above 0.1, topic: labels of Science / Astronomy" in said.err
    assert read(folder / "crawl.toml").judge.name == "cosine"


def test_a_crawl_by_no_paper_says_nothing_of_the_kind(tmp_path):
    said = thresher(*"crawl astronomy --strategy best_first --pages 5 -o".split(), str(tmp_path / "x"))
    assert "judge" not in said.err


@pytest.mark.parametrize("strategy", ["ctfc", "fcmrps"])
def test_a_guard_before_a_papers_judge_gives_nothing_to_pages_stuffed_with_the_topics_word(
    tmp_path, strategy
):
    """Not in the papers, and off by default: without it the best page on astronomy is a shop's."""
    best = {}
    for name, more in (("as printed", ()), ("guarded", ("--set", "judge.guard=true"))):
        folder = str(tmp_path / name)
        asked = [*"crawl astronomy --pages 300 --delay 0 --strategy".split(), strategy, *more, "-o", folder]
        assert thresher(*asked).code == 0
        store = CrawlFolder(Path(folder)).open()
        least = store.facts.threshold
        shop = [
            each
            for each in store.pages()
            if "bargains" in each.candidate.url and "/offers/" in each.candidate.url
        ]
        best[name] = sum(each.relevance >= least for each in shop)
        store.close()
    assert best["as printed"] > 0 == best["guarded"]


def test_a_page_is_stuffed_if_an_eighth_of_its_fifty_words_or_more_is_one_of_the_topics():
    judge = GuardedJudge(Cosine(Topic("bees", {"bee": 1.0})))
    short, plain, stuffed = (
        Page(Url("http://a.test/"), text=f"{bees * 'bee '}{' '.join(f'w{n}' for n in range(others))}")
        for bees, others in ((5, 5), (7, 60), (20, 60))
    )
    assert judge.score(short) > 0.5 and judge.score(plain) > 0
    assert (judge.score(stuffed), judge.distrusts(stuffed)) == (0.0, True)
