"""Judges on labelled webs: measures by hand, what a person types, and the lab judges as the product does."""

import json
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.judges.question import QuestionJudge, feedback
from thresher.judges.question.features import Effort, LogisticModel, shipped_weights
from thresher.judges.question.feedback import Feedback
from thresher.judges.question.judge import THRESHOLD
from thresher.knowledge.index import shipped_knowledge
from thresher.topic.build import make_topic
from thresher_lab.corpus import CorpusTopic
from thresher_lab.efforts import asked, further_words, typed_name
from thresher_lab.judge_bench import fit, sample
from thresher_lab.judge_data import (
    breadth_first,
    evidence_of,
    focused,
    judged_web,
    learned,
    pages_met,
    probabilities,
)
from thresher_lab.judge_measures import (
    CountMeasures,
    average_precision,
    best_common_threshold,
    bins,
    calibration_error,
    measure,
)
from thresher_lab.judge_tables import median_of_times
from thresher_lab.list_fit import END, START, FitSample, ListFit, worth_of
from thresher_lab.setup import stage


@pytest.fixture
def web(tmp_path):
    with stage(make_corpus(tmp_path / "bees"), cache=tmp_path / "cache") as place:
        return judged_web(place)


def test_average_precision_is_the_mean_precision_at_relevant_pages():
    """Relevant at ranks 1 and 3: (1/1 + 2/3) / 2."""
    scores, relevant = np.array([0.9, 0.8, 0.7]), np.array([True, False, True])
    assert average_precision(scores, relevant) == pytest.approx((1 + 2 / 3) / 2)


def test_a_judge_that_says_what_is_has_no_calibration_error_and_one_below_a_tenth_none_at_all():
    half = np.array([True, False] * 10)
    assert calibration_error(np.full(20, 0.5), half) == pytest.approx(0.0)
    assert calibration_error(np.full(20, 0.9), half) == pytest.approx(0.4)
    assert calibration_error(np.full(20, 0.05), half) is None


def test_nobody_called_relevant_is_neither_right_nor_wrong():
    found = measure(np.array([0.1, 0.2]), np.array([True, False]), 0.5)
    assert (found.yes_right, found.yes_found) == (None, 0.0)


def test_the_best_threshold_parts_relevant_pages_from_others():
    scores = np.array([0.9, 0.7, 0.3, 0.1])
    found = best_common_threshold([(scores, np.array([1.0, 1.0, 0.0, 0.0]), np.ones(4))])
    assert 0.3 <= found <= 0.7


def test_evidence_may_only_speak_for_a_page():
    """The second column is the first turned round: free, it would get a weight below 0."""
    random = np.random.default_rng(1)
    labels = random.random(400) < 0.3
    column = labels + random.normal(0, 0.5, 400)
    line = fit([sample(np.column_stack([column, -column]), labels)], [1, 1], 0.01)
    assert line.weights[0] > 1.0
    assert line.weights[1] == 0.0


def test_a_fitted_probability_can_be_believed():
    random = np.random.default_rng(2)
    rows = random.normal(0, 1, (4000, 1))
    labels = random.random(4000) < 1 / (1 + np.exp(-(2 * rows[:, 0] - 1)))
    line: LogisticModel = fit([sample(rows, labels)], [1], 0.0)
    assert line.weights[0] == pytest.approx(2.0, abs=0.3)


def test_the_line_of_the_relevance_is_the_one_with_lists_as_long_as_they_should_be():
    """Forty pages that say more or less of the question; ten are wanted by what was learned."""
    asked_alone = [[logit, 0.0, 0.0] for logit in np.linspace(1.0, 4.0, 40)]
    rows, labels = np.array([[0.0, 3.0, 0.0]] * 10 + asked_alone), np.array([1.0] * 10 + [0.0] * 40)
    lists = [FitSample(web, stage, rows, labels, np.ones(50)) for web in "ab" for stage in (300, END)]
    found = ListFit(lists).line(without="b")
    assert worth_of(lists[0], START) < 0.9
    assert worth_of(lists[0], (*found.weights, found.constant)) == 1.0
    assert min(found.weights) >= 0


def test_a_person_types_the_last_label_and_words_that_are_no_inflection_of_it():
    entry = CorpusTopic("x", "Country/Bees", keywords=("bee", "honey", "hive", "wax", "brood"))
    assert typed_name(entry) == "Bees"
    assert further_words(entry) == ("honey", "hive", "wax")
    assert typed_name(CorpusTopic("en-dotnet", "Computers/Dotnet")) == ".NET"


def test_the_orders_in_which_pages_are_met(web):
    names = [page.url.rsplit("/", 1)[-1] for page in web.pages]
    hub = names.index("hub")
    assert [names[n] for n in breadth_first(web, [hub], 4)] == ["hub", "far", "b", "a"]
    found = focused(web, [hub], 3, defaultdict(float, {names.index("far"): 0.9}), "far")
    assert [names[n] for n in found] == ["hub", "far", "e"]


@pytest.mark.parametrize("effort", list(Effort))
def test_the_lab_judges_as_the_product_does(web, effort, monkeypatch):
    """The lab does the sums for all pages at once."""
    monkeypatch.setattr(feedback, "ENOUGH", 3)
    table, topic = evidence_of(web, [effort], []), web.topics[0]
    weights = shipped_weights().everything
    with shipped_knowledge() as lexicon:
        made = make_topic(asked(topic.entry, effort, [web.pages[n] for n in topic.examples]), lexicon)
    judge = QuestionJudge(made, weights=weights)
    answer = probabilities(table, topic, effort, weights)
    assert answer == pytest.approx([judge.score(page) for page in web.pages], abs=1e-5)
    met = pages_met(table, topic, effort, answer, "breadth_first", 300)
    revisits, learner = [judge.question_score(page) for page in web.pages], judge.learner()
    learner.feedback = Feedback()
    shown = topic.examples if effort is Effort.EXAMPLES else ()
    lessons = {page: revisits[page].lesson(True if page in shown else None) for page in met}
    for lesson in lessons.values():
        learner.feedback.meet(lesson)
    told = [learner.updated(revisit, lessons.get(place)) for place, revisit in enumerate(revisits)]
    assert learned(table, topic, effort, weights, met) == pytest.approx(told, abs=1e-4)


def test_the_shipped_threshold_is_the_fitted_one():
    assert shipped_weights().everything.threshold == THRESHOLD


def test_lab_judge_prints_a_row_for_every_topic_effort_and_judge(tmp_path):
    folder = make_corpus(tmp_path / "bees").path
    ran = thresher("lab", "judge", str(folder), "--judge", "question", "--judge", "cosine", "--json",
                   "--cache", str(tmp_path / "cache"))  # fmt: skip
    rows = json.loads(ran.out)
    kinds = {(row["effort"], row["judge"], row["pages"], row["order"]) for row in rows}
    assert len(kinds) == len(rows) == 4 * 4
    assert {row["judge"] for row in rows if row["default"]} == {"question"}
    wanted = {"corpus", "topic", "effort", "judge", "default", "pages", "order", "ap", "p20", "calibration",
              "yes_right", "yes_found"}  # fmt: skip
    assert wanted <= rows[0].keys()
    assert all(0.0 <= row["ap"] <= 1.0 for row in rows)


def test_lab_judge_prints_a_table_for_people_and_chooses(tmp_path):
    folder = make_corpus(tmp_path / "bees").path
    ran = thresher("lab", "judge", str(folder), "--judge", "question", "--effort", "name", "--pages", "0",
                   "--cache", str(tmp_path / "cache"))  # fmt: skip
    assert "| name  | question | 0 " in ran.out
    assert "focused" not in ran.out


def test_counts_and_bins_are_those_of_the_pages_met(tmp_path):
    """All that links lead to from the hub are eight pages, five of them relevant."""
    folder = make_corpus(tmp_path / "bees").path
    asked = ["--judge", "question", "--effort", "name", "--pages", "4", "--pages", "all"]
    asked += ["--cache", str(tmp_path / "cache")]
    rows = json.loads(thresher("lab", "judge", str(folder), *asked, "--json").out)
    assert [(row["pages"], row["met"]) for row in rows] == [(4, 4), (4, 4), ("all", 8), ("all", 8)]
    for row in rows:
        assert sum(every for every, _ in row["bins"]) == row["met"]
        assert sum(right for _, right in row["bins"]) == row["counts"]["true"]
    assert rows[-1]["counts"]["true"] == 5
    out = thresher("lab", "judge", str(folder), *asked).out
    assert "| name  | question | all focused " in out
    assert "said / true, median" in out


def test_a_tenth_of_the_probabilities_is_a_bin_and_one_belongs_to_the_last():
    found = bins(np.array([0.05, 0.31, 0.39, 1.0]), np.array([False, True, False, True]))
    assert [each for each in enumerate(found) if each[1][0]] == [(0, (1, 0)), (3, (2, 1)), (9, (1, 1))]


def test_the_median_of_said_and_true_leaves_out_topics_without_a_relevant_page():
    told = [
        CountMeasures(said=6, true=2, right=2),
        CountMeasures(said=3, true=3, right=3),
        CountMeasures(said=9, true=0, right=0),
    ]
    rows: list[Any] = [SimpleNamespace(counts=each) for each in told]
    assert median_of_times(rows) == 2.0


def test_one_web_cannot_be_left_out(tmp_path):
    refused = thresher("lab", "fit-judge", str(make_corpus(tmp_path / "bees").path))
    assert refused.code == 2
    assert "name at least two" in refused.err
