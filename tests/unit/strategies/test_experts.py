"""Opinions mixed by their ranks, and the chance that a request brings a page."""

import msgspec
import numpy as np
import pytest

from thresher.core.records import Topic
from thresher.judges.baselines import Cosine
from thresher.strategies.learned.features import (
    ANCHOR,
    ANCHOR_MEANING,
    FADES,
    FEWEST,
    HEADING_MEANING,
    LEAST,
    NAMES,
    Requests,
    SuccessModel,
)
from thresher.strategies.learned.features import REQUEST_NAMES as COLUMNS
from thresher.strategies.learned.model import BY_MEANING, EXPERTS, Experts, opinions_of
from thresher.strategies.learned.strategy import Thresher

LEARNER_ROW, ARRIVAL = 0, 1


def opinions(*columns: float) -> np.ndarray:
    """The same opinion of every expert, for each of so many rows."""
    return np.array([columns] * len(EXPERTS))


def ready() -> Experts:
    experts = Experts()
    experts.rank(opinions(*range(99)))
    return experts


def test_before_there_are_ranks_half_of_what_meaning_says_is_added_to_the_learner():
    said = opinions(0.3, 0.7)
    said[list(EXPERTS).index("meaning")] = [0.2, 0.0]
    assert Experts().mix(said).tolist() == pytest.approx([0.3 + 0.5 * 0.2, 0.7])
    assert Experts(meaning=0.1).mix(said).tolist() == [0.3, 0.7], "where it is hardly trusted, nothing"


def test_meaning_takes_its_weight_and_the_others_share_the_rest():
    weights = dict(zip(EXPERTS, Experts(meaning=0.4).weights.tolist(), strict=True))
    assert weights["meaning"] == 0.4
    assert weights["learner"] == pytest.approx(0.5 * 0.6)
    assert weights["words"] == weights["arrival"] == pytest.approx(0.1 * 0.6)
    assert sum(weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(("name", "weight"), [("bees", 0.4), ("Qt", 0.1), ("养蜂", 0.1)])
def test_meaning_weighs_little_where_the_name_is_short_or_not_english(name, weight):
    topic = Topic(name, {name: 1.0})
    strategy = Thresher(judge=Cosine(topic), topic=topic)
    assert strategy._priority_model.experts.weights[BY_MEANING] == weight


def test_the_best_of_all_is_worth_one_and_the_middle_much_less():
    best, middle, worst = ready().mix(opinions(1000.0, 49.0, -1.0))
    assert best == pytest.approx(np.log(100) / np.log(101))
    assert middle == pytest.approx(np.log(100 / 50.5) / np.log(101))
    assert worst == 0.0


def test_the_scale_of_an_opinion_does_not_matter():
    few, many = ready(), Experts()
    many.rank(1e6 * opinions(*range(99)) - 5e7)
    assert few.mix(opinions(10.0, 80.0)).tolist() == many.mix(1e6 * opinions(10.0, 80.0) - 5e7).tolist()


def test_who_was_right_counts_for_more_and_nobody_for_nothing():
    experts = ready()
    said = opinions(50.0)
    said[LEARNER_ROW], said[ARRIVAL] = (
        0.0,
        98.0,
    )  # the learner called it the worst, the order of arrival the best
    before = experts.weights.copy()
    for _ in range(50):
        experts.learn(said, 0.8)
    assert experts.weights[ARRIVAL] > before[ARRIVAL]
    assert experts.weights[LEARNER_ROW] < before[LEARNER_ROW]
    assert experts.weights.min() > 0.015 and experts.weights.sum() == pytest.approx(1.0)


def test_a_page_that_disappoints_counts_against_who_praised_it():
    experts = ready()
    said = opinions(50.0)
    said[ARRIVAL] = 98.0
    experts.learn(said, -0.5)
    assert experts.weights[ARRIVAL] < Experts().weights[ARRIVAL]


def test_the_first_that_was_mentioned_stands_first_by_arrival_and_the_one_with_words_by_words():
    evidence = np.zeros((2, len(NAMES)))
    evidence[1, ANCHOR] = 0.5
    evidence[:, ANCHOR_MEANING], evidence[0, HEADING_MEANING] = 0.2, 0.6
    found = dict(zip(EXPERTS, opinions_of(evidence, np.array([1, 2], np.int32), np.zeros(2)), strict=True))
    assert found["arrival"][0] > found["arrival"][1]
    assert found["words"].tolist() == [0.0, 0.5]
    assert found["meaning"].tolist() == [0.6, 0.2], "the nearest of anchor, URL and heading"


def row(mentions: float, host: float = 0.0) -> np.ndarray:
    return np.array([mentions, host, *[0.0] * (len(COLUMNS) - 2)])


def taught(answers: SuccessModel, requests: int = 200) -> SuccessModel:
    """What many pages mention is there, what one page mentions is gone."""
    for number in range(requests):
        known = number % 2 == 0
        answers.count(row(2.0 if known else 0.7), brought=known)
    answers.fit()
    return answers


def test_until_something_was_learned_everything_is_there():
    answers = SuccessModel()
    for _ in range(FEWEST - 1):
        answers.count(row(1.0), brought=False)
    answers.fit()
    assert answers.chances(np.array([row(1.0)])).tolist() == [1.0]


def test_what_is_mentioned_often_is_likelier_to_be_there_where_that_was_so():
    rare, often = taught(SuccessModel()).chances(np.array([row(0.7), row(2.0)]))
    assert rare < 0.2 and often > 0.8


def test_no_chance_is_nothing_or_more_than_certain():
    found = taught(SuccessModel()).chances(np.array([row(-50.0), row(50.0)]))
    assert found.tolist() == [LEAST, 1.0]


def test_old_requests_fade():
    answers = SuccessModel()
    for _ in range(20_000):
        answers.count(row(1.0), brought=True)
    assert answers.requests.number == pytest.approx(1 / (1 - FADES), rel=0.01)


def test_what_requests_taught_is_kept_to_the_last_digit():
    answers, again = taught(SuccessModel()), SuccessModel()
    again.requests = msgspec.json.decode(msgspec.json.encode(answers.requests), type=Requests)
    for each in (answers, again):
        each.count(row(1.3), brought=True)
        each.fit()
    assert answers.lesson == again.lesson
