"""The tables and figures of Chen et al. 2009 from results of ours."""

import msgspec
import pytest
from msgspec.structs import replace

from tests.command_line import thresher
from tests.unit.lab.test_experiment import made
from thresher.report.charts import draw
from thresher_lab.studies.chen_figures import NAMES, kept, make_figures, tables

RATES = {"breadth_first": 0.1, "best_first": 0.2, "fcmrps": 0.3, "fcmrps+anchor_weight=0+type_weight=0": 0.25}


def run(strategy, corpus, topic="t1", mode="easy"):
    result = made(strategy, 0.2, topic=topic, mode=mode)
    rate = RATES.get(strategy, 0.9)
    hits = tuple(range(1, round(80 * rate) + 1))
    measures = replace(
        result.measures,
        harvest=replace(result.measures.harvest, rate=rate),
        by_pages=replace(result.measures.by_pages, hits=hits),
        sum_of_information=100 * rate,
        information_so_far=tuple(100 * rate * portion / 20 for portion in range(1, 21)),
    )
    return replace(result, corpus=corpus, measures=measures)


@pytest.fixture
def results():
    oracles = [replace(made("label_oracle", 0.9), corpus=corpus) for corpus in ("english", "chinese")]
    return [*(run(strategy, corpus) for strategy in RATES for corpus in ("english", "chinese")), *oracles]


def test_table_3_stands_for_all_topics_and_for_each_language(results):
    found = tables(kept(results), ["chinese"])
    assert [grid.caption for grid in found] == [
        "As Table 3, all topics (2 topics)",
        "As Table 3, English (1 topics)",
        "As Table 3, Chinese (1 topics)",
        "As Table 4, all topics (2 topics)",
        "As Table 5, all topics (2 topics)",
    ]
    assert found[0].heads == ("", "Breadth-First", "Best-First", "FCMRPS", "FCMRPS13")
    assert found[0].rows[0] == ("precision_rate", "10.00%", "20.00%", "30.00%", "25.00%")


def test_the_figures_run_over_the_budget_and_end_at_recall_and_at_the_share_of_information(results):
    drawn = make_figures(kept(results), ["chinese"])
    assert [each.title.split(":")[0] for each in drawn] == [f"As Figure {number}" for number in range(7, 17)]
    relevant, information = drawn[0].lines[-1], drawn[1].lines[-1]
    assert relevant.name == information.name == "FCMRPS"
    assert relevant.points[-1][1] == pytest.approx(24 / 40)
    assert information.points[-1][1] == 1.0
    assert draw(drawn[0]).startswith("<svg")


def test_content_alone_stands_beside_best_first_in_the_figures_of_single_predictions(results):
    alone = run("fcmrps+anchor_weight=0+url_weight=0+type_weight=0", "english")
    drawn = make_figures(kept([*results, alone]), ["chinese"])
    assert [line.name for line in drawn[-1].lines] == ["Best-First", "FCMRPS1"]


def test_topics_that_tell_nothing_and_strategies_of_others_are_left_out(results):
    saturated = [replace(each, topic="t2") for each in results if each.strategy == "breadth_first"]
    oracle = [
        replace(made("label_oracle", 0.2, topic="t2"), corpus=corpus) for corpus in ("english", "chinese")
    ]
    assert {each.topic for each in kept([*results, *saturated, *oracle])} == {"t1"}
    assert {each.strategy for each in kept(results)} <= set(NAMES)


def test_the_verb_reads_results_and_writes_pictures(results, tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"{}\n" + b"".join(msgspec.json.encode(each) + b"\n" for each in results))
    ran = thresher("lab", "figures", str(path), "--chinese", "chinese", "-o", str(tmp_path / "out"))
    assert ran.code == 0, ran.err
    assert "As Table 4" in ran.out
    assert sorted(file.name for file in (tmp_path / "out").iterdir())[0] == "figure-10.svg"
