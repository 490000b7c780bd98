"""The frontier in the laboratory: what waits, ranked by every opinion there is of it."""

import numpy as np
import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.strategies.learned.features import NAMES
from thresher.strategies.learned.model import EXPERTS
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, stage
from thresher_lab.studies import frontier
from thresher_lab.studies.frontier import PERFECT, Ranking, Snapshot, ranking, snapshots, table

PLAN = ReplayPlan("bees", "thresher", 8, seeds=("hub",), model="rich")


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(frontier, "FEWEST", 1)
    (tmp_path / "corpus").mkdir()
    return make_corpus(tmp_path / "corpus")


def test_after_the_hub_its_links_wait_and_each_is_labelled_by_the_page_it_leads_to(corpus, tmp_path):
    """hub -> a, old-b, far, gone, list: a, b are relevant; a opens c, b opens d, far opens e, list d, e."""
    with stage(corpus, cache=tmp_path / "cache") as place:
        [seen] = snapshots(place, "easy", PLAN, [1], tmp_path / "kept")
    assert (seen.pages, seen.waiting, seen.relevant, seen.opening) == (1, 5, 2, 4)
    assert set(seen.rankings) == {
        "priority", PERFECT, *(f"expert {name}" for name in EXPERTS), *(f"column {name}" for name in NAMES)
    }  # fmt: skip
    assert seen.rankings[PERFECT].opening == 1.0
    [file] = (tmp_path / "kept").iterdir()
    kept = np.load(file)
    assert kept["relevant"].sum() == 2 and sorted(kept["opens"]) == [0, 1, 1, 1, 2]
    assert kept["scores"].shape == (len(kept["names"]), 5)


def test_what_is_fetched_already_and_what_it_leads_to_count_no_more(corpus, tmp_path):
    """Hub, a, c are fetched: a brings c to what waits, and opens nothing any more; c goes from there."""
    with stage(corpus, cache=tmp_path / "cache") as place:
        seen = snapshots(place, "easy", PLAN, [1, 2, 3])
    assert [(each.waiting, each.relevant, each.opening) for each in seen] == [(5, 2, 4), (5, 2, 3), (4, 1, 3)]


def test_a_watch_changes_no_visit(corpus, tmp_path):
    with stage(corpus, cache=tmp_path / "cache") as place:
        seen = []
        steps = play(place, PLAN, watch=lambda visit, progress, *_: seen.append(progress.pages)).steps
        assert steps == play(place, PLAN).steps
    assert seen[0] == 1 and len(seen) == len(steps)


def test_a_ranking_is_measured_by_precision_at_each_relevant_link():
    relevant, opening = np.array([True, False, True, False]), np.zeros(4, bool)
    found = ranking(np.array([4.0, 3.0, 2.0, 1.0]), relevant, opening)
    assert found == Ranking((1 + 2 / 3) / 2, 0.5, None)


def test_the_mean_is_over_topics_and_then_the_best_ranking_stands_first():
    def seen(topic, priority, arrival):
        rankings = {"priority": Ranking(priority, 0.5, None), "expert arrival": Ranking(arrival, 0.5, None)}
        return Snapshot("web", "easy", topic, 3, 20, 5, 0, rankings)

    rows = table([seen("bees", 0.2, 0.9), seen("bees", 0.4, 0.9), seen("mead", 0.7, 0.2)]).rows
    assert rows == (
        ("expert arrival", "0.550", "0.500", "", "0.550"),
        ("priority", "0.500", "0.500", "", "0.500"),
    )


def test_a_strategy_without_experts_is_refused(corpus):
    ran = thresher("lab", "frontier", str(corpus.path), "--strategy", "breadth_first")
    assert (ran.code, "no experts" in ran.err) == (2, True)


def test_the_verb_prints_a_table(corpus, tmp_path):
    cache = str(tmp_path / "cache")
    ran = thresher("lab", "frontier", str(corpus.path), "--seeds", "hub", "--at", "1,2", "--cache", cache)
    assert ran.code == 0 and "expert meaning" in ran.out and "column anchor words" in ran.out
