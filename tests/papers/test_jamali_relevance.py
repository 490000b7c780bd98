"""Jamali et al. 2006, eq. (2): the share of a page's vocabulary in the k = 2 best sub-domains."""

import pytest

from thresher.core.records import Topic
from thresher.judges.baselines import VocabularyJudge

SPORTS = Topic(
    "sports",
    vocabularies=(("ball", "team", "goal", "match"), ("race", "lap", "team", "driver"), ("chess", "move")),
)
PAGE = ["ball", "team", "goal", "news", "lap"]


def test_similarity_is_the_mean_of_the_two_best_overlaps():
    """0.6 and 0.4 of the page's five words; the third sub-domain has none."""
    assert VocabularyJudge(SPORTS).overlap(PAGE) == pytest.approx(0.5)


def test_rank_of_the_worked_page():
    """eq. (1): (2 + 3) links * (0.1 + sim) = 3.0, and 0.5 without similarity."""
    rank = [(2 + 3) * (0.1 + VocabularyJudge(SPORTS).overlap(page)) for page in (PAGE, ["news"])]
    assert rank == pytest.approx([3.0, 0.5])


def test_full_similarity_is_worth_eleven_times_none():
    """eq. (1): that is what 0.1 is for; an image or another file without words can still be ranked."""
    full, none = (0.1 + VocabularyJudge(SPORTS).overlap(page) for page in (["team"], ["news"]))
    assert full / none == pytest.approx(11)


def test_fewer_sub_domains_than_k_give_the_mean_of_those_there_are():
    assert VocabularyJudge(Topic("x", vocabularies=(("ball", "team"),))).overlap(PAGE) == pytest.approx(0.4)


def test_an_empty_page_has_no_similarity():
    assert VocabularyJudge(SPORTS).overlap([]) == 0.0


def test_a_page_of_one_topical_word_scores_1():
    """A weakness of the formula: it rewards short pages."""
    assert VocabularyJudge(SPORTS).overlap(["team"]) == 1.0
