"""Labels in the laboratory: who gives them, when, and what they may not count for."""

import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.core.errors import UsageError
from thresher_lab.replay import ReplayStep, play
from thresher_lab.setup import ReplayPlan, stage
from thresher_lab.studies import labels
from thresher_lab.studies.labels import LabelGain, Teacher, labelled_runs, table


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(labels, "FIRST", 4)
    monkeypatch.setattr(labels, "DEFAULT_SEEDS", ("hub",))
    (tmp_path / "corpus").mkdir()
    return make_corpus(tmp_path / "corpus")


def step(n, outcome="fetched", relevant=False):
    return ReplayStep(n, f"http://a.test/{n}", outcome, int(outcome == "fetched"), 0.0, 0.0, "", relevant)


def test_labels_are_given_once_when_enough_pages_are_fetched_and_say_what_the_referee_says(monkeypatch):
    monkeypatch.setattr(labels, "FIRST", 4)
    teacher = Teacher(4, draw=1)
    steps = [step(1), step(2, "gone"), step(3, relevant=True), step(4)]
    assert teacher(steps) == {}, "three pages are fetched"
    steps.append(step(5, relevant=True))
    assert teacher(steps) == {
        "http://a.test/1": False, "http://a.test/3": True, "http://a.test/4": False, "http://a.test/5": True
    }  # fmt: skip
    assert teacher([*steps, step(6)]) == {}


def test_both_runs_are_the_same_until_labels_are_given_and_count_no_labelled_page(corpus, tmp_path):
    with stage(corpus, cache=tmp_path / "cache") as place:
        plan = ReplayPlan("bees", "thresher", 8, seeds=("hub",), model="rich")
        teacher = Teacher(4, draw=1)
        told, untold = play(place, plan, teacher=teacher).steps, play(place, plan).steps
        run, other = labelled_runs(place, "easy", "bees", "thresher", 4, 2, "8", "rich")
    assert told[:4] == untold[:4]
    fetched = [each for each in untold if each.outcome == "fetched"]
    assert set(teacher.labels) == {each.url for each in fetched[:4]}
    left = len(corpus.relevant("bees")) - sum(teacher.labels.values())
    hits = [n for n, each in enumerate(fetched[4:], start=1) if each.relevant]
    assert run.untold == pytest.approx(sum(4 - hit + 1 for hit in hits) / (left * 4))
    assert (run.draw, other.draw) == (1, 2)


def test_a_strategy_that_cannot_be_taught_is_refused_in_a_sentence(corpus, tmp_path):
    with (
        stage(corpus, cache=tmp_path / "cache") as place,
        pytest.raises(UsageError, match="learns nothing from labels"),
    ):
        play(place, ReplayPlan("bees", "best_first", 8, seeds=("hub",)), teacher=Teacher(4, draw=1))


def test_the_change_of_a_corpus_is_the_mean_over_its_runs():
    runs = [
        LabelGain("web", "easy", topic, "thresher", 1, 3, 0.3, told)
        for topic, told in (("a", 0.4), ("b", 0.3))
    ]
    assert table(runs).rows[0] == ("web", "2", "0.300", "0.350", "+0.0500", "+0.0000 to +0.1000", "1, 0")


def test_runs_of_less_than_a_hundred_pages_get_no_labels(tmp_path):
    (tmp_path / "corpus").mkdir()
    make_corpus(tmp_path / "corpus")
    ran = thresher("lab", "labels", str(tmp_path / "corpus"), "--cache", str(tmp_path / "cache"))
    assert (ran.code, "No run came to 100 pages" in ran.err) == (2, True)
