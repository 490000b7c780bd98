"""Forecasts in the laboratory: each beside what came, and how often the band held it."""

import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.core.progress import Forecast
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, stage
from thresher_lab.studies import forecast as forecast_check
from thresher_lab.studies.forecast import Foreseen, foreseen, table


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    return make_corpus(folder)


def test_to_foresee_changes_no_visit(corpus, tmp_path):
    plan = ReplayPlan("bees", "shark_search", 20, seeds=("hub",))
    with stage(corpus, cache=tmp_path / "cache") as place:
        assert play(place, plan, foresee_every=2).steps == play(place, plan).steps


def test_the_truth_is_what_the_own_judge_says_of_the_downloads_foreseen(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(forecast_check, "EVERY", 2)
    monkeypatch.setattr(forecast_check, "DEFAULT_SEEDS", ("hub",))
    with stage(corpus, cache=tmp_path / "cache") as place:
        seen = list(foreseen(place, "easy", "bees", "breadth_first", pages="8"))
        steps = play(place, ReplayPlan("bees", "breadth_first", 8, seeds=("hub",))).steps
    flags = [step.relevance >= 0.1 for step in steps if step.outcome == "fetched"]
    assert [each.forecast.pages for each in seen] == [2, 4, 6]
    assert [each.truth for each in seen] == [sum(flags[2:8]), sum(flags[4:8]), sum(flags[6:8])]


def test_a_run_that_leaves_nothing_to_visit_foresees_nothing_at_its_end(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(forecast_check, "EVERY", 2)
    monkeypatch.setattr(forecast_check, "DEFAULT_SEEDS", ("hub",))
    with stage(corpus, cache=tmp_path / "cache") as place:
        seen = list(foreseen(place, "easy", "bees", "breadth_first", pages="1000"))
    last = seen[-1]
    assert (last.phase, last.share, last.truth) == ("nothing", 1.0, 0)
    assert (last.forecast.relevant, last.forecast.low, last.forecast.high) == (0, 0, 0)
    assert {each.phase for each in seen[:-1]} <= {"before", "after"}
    assert [row[0] for row in table(seen).rows if row[0] == "nothing"] == ["nothing"]


def test_a_band_that_is_as_wide_as_its_forecast_and_holds_every_second_truth():
    forecast = Forecast(100, 1000, 20.0, 10, 30)
    seen = [Foreseen("web", "easy", "bees", "thresher", forecast, truth) for truth in (25, 35)]
    row = table(seen).rows[0]
    assert row == ("all", "2", "50.0%", "20.0", "30.0", "10.0", "20.0", "1.00", "0", "")


def test_runs_of_less_than_a_hundred_pages_foresee_nothing(corpus, tmp_path):
    cache = str(tmp_path / "cache")
    ran = thresher("lab", "forecast", str(corpus.path), "--strategies", "breadth_first", "--cache", cache)
    assert (ran.code, "No run came to a hundred pages" in ran.err) == (2, True)
