"""Experiments: all cores or one, interrupted or not, the tables are the same; and what they may claim."""

import gc
import json
import re
from typing import ClassVar

import msgspec
import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.core.errors import UsageError
from thresher.engine.workers import relaxed_gc
from thresher.strategies.classic import BreadthFirst
from thresher_lab import experiment
from thresher_lab.experiment import carry_out, plan
from thresher_lab.report import write_report
from thresher_lab.results import Cost, ExperimentSettings, RunResult
from thresher_lab.summary import summarise
from thresher_lab.tables import document, runs


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    return make_corpus(folder)


def asked(corpus, *strategies, **more):
    return ExperimentSettings((str(corpus.path),), strategies, seeds=(("hub",),), **more)


def test_breadth_first_and_the_label_oracle_are_always_in_the_plan(corpus):
    groups = plan(asked(corpus, "best_first"))
    assert [(group.mode, group.strategies) for group in groups] == [
        ("easy", ("breadth_first", "label_oracle", "best_first")),
        ("hard", ("breadth_first", "label_oracle", "best_first")),
    ]


def test_one_process_and_four_give_the_same_tables(corpus, tmp_path):
    question, cache = asked(corpus, "best_first", "shark_search+rich"), tmp_path / "cache"
    alone = carry_out(question, tmp_path / "1.jsonl", cache, 1)
    together = carry_out(question, tmp_path / "4.jsonl", cache, 4)
    assert runs(alone) == runs(together)
    tables = [document(summarise(results, keep_all=True), "breadth_first") for results in (alone, together)]
    assert tables[0] == tables[1]


class LooksAtTheCollector(BreadthFirst):
    """Notes with which thresholds Python collects garbage while it learns."""

    seen: ClassVar[set[tuple[int, ...]]] = set()

    def on_visit(self, visit, memory):
        self.seen.add(gc.get_threshold())
        return super().on_visit(visit, memory)


def test_seconds_are_measured_with_garbage_collected_as_in_a_crawl(corpus, tmp_path):
    name = f"{__name__}:LooksAtTheCollector"
    carry_out(asked(corpus, name), tmp_path / "kept.jsonl", tmp_path / "cache")
    with relaxed_gc():
        assert LooksAtTheCollector.seen == {gc.get_threshold()}


def test_an_interrupted_experiment_goes_on_where_it_stopped(corpus, tmp_path, monkeypatch):
    question, kept, cache = asked(corpus, "best_first"), tmp_path / "kept.jsonl", tmp_path / "cache"
    whole = runs(carry_out(question, kept, cache))
    lines = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join(lines[:4]) + lines[4][:50])  # the power fails in the middle of a line
    played: list[tuple[str, tuple[str, ...]]] = []
    monkeypatch.setattr(experiment, "run_group", counting(experiment.run_group, played))
    assert runs(carry_out(question, kept, cache)) == whole
    assert played == [("hard", ("breadth_first", "label_oracle", "best_first"))]


def counting(run_group, played):
    def counted(group, *arguments):
        played.append((group.mode, group.strategies))
        return run_group(group, *arguments)

    return counted


def test_results_of_other_settings_are_put_aside_and_not_mixed_in(corpus, tmp_path):
    kept, cache = tmp_path / "kept.jsonl", tmp_path / "cache"
    carry_out(asked(corpus, "best_first"), kept, cache)
    shorter = carry_out(asked(corpus, "best_first", pages="1x"), kept, cache)
    assert {result.budget for result in shorter} == {5}
    assert (tmp_path / "kept.old.jsonl").exists()


def test_no_strategy_and_no_such_topic_are_one_sentence_each(corpus):
    with pytest.raises(UsageError, match="No strategy"):
        plan(ExperimentSettings((str(corpus.path),), ()))
    with pytest.raises(UsageError, match="No corpus here has the topic 'wasps'"):
        plan(asked(corpus, "best_first", topics=("wasps",)))


def made(strategy, area, *, topic="t1", mode="easy", seeds="hub", wanted=40, luck=0):
    """A result that says nothing but its area."""
    with_area = {"hits": (), "area": area, "recall_at": (0.0, 0.0, area)}
    harvest = {"rate": 0.1, "by_segment": (), "mean_cumulative": 0.1, "r_precision": 0.1}
    names = "pages questions requests relevant reachable hosts relevant_hosts".split()
    shares = "recall recall_of_reachable sum_of_information urls_with_topic urls_with_context".split()
    measures: dict[str, object] = dict.fromkeys(names, 1) | dict.fromkeys(
        [*shares, "per_request", "per_megabyte"], 0.1
    )
    measures |= {"questions": 0, "wanted": wanted, "by_pages": with_area, "by_requests": with_area}
    measures |= {"harvest": harvest, "outcomes": {}}
    fields = ("c", mode, topic, seeds, strategy, 80, measures, Cost(1.0, 1.0, 1.0), luck)
    named = dict(zip(RunResult.__struct_fields__, fields, strict=True))
    return msgspec.convert(named, RunResult, from_attributes=True)


def field(gain, *, topics=8, **more):
    """Eight topics on which one strategy is better by `gain`, and the yardsticks beside it."""
    results = []
    for number in range(topics):
        base = 0.2 + 0.01 * number
        named = {"topic": f"t{number}", **more}
        results += [made("breadth_first", base, **named), made("label_oracle", 0.8, **named)]
        results += [made("ours", base + gain + 0.001 * number, **named), made("other", base, **named)]
    return results


def test_topics_with_few_relevant_pages_are_left_out_and_listed():
    summary = summarise([*field(0.1), made("breadth_first", 0.1, topic="tiny", wanted=29),
                         made("label_oracle", 0.9, topic="tiny", wanted=29)])  # fmt: skip
    assert [(each.topic, each.reason) for each in summary.dropped] == [("tiny", "29 relevant pages")]


def test_topics_that_breadth_first_solves_as_well_as_the_oracle_are_left_out():
    solved = [made("breadth_first", 0.75, topic="solved"), made("label_oracle", 0.8, topic="solved")]
    (dropped,) = summarise([*field(0.1), *solved]).dropped
    assert (dropped.topic, dropped.reason) == ("solved", "breadth-first has 0.94 of the label oracle's area")


def test_a_gain_on_every_topic_is_called_one():
    summary = summarise(field(0.1))
    (found,) = [
        each for each in summary.comparisons if (each.strategy, each.against) == ("ours", "breadth_first")
    ]
    assert found.difference.low > 0.09 and (found.wins, found.losses) == (8, 0)
    assert found.p == pytest.approx(2 / 2**8)
    assert found.p_holm == pytest.approx(2 * 2 / 2**8)  # two are compared with breadth-first: ours and other


def test_oracles_are_bounds_and_not_in_the_race():
    assert not any("oracle" in each.strategy + each.against for each in summarise(field(0.1)).comparisons)


def test_the_worst_seed_set_is_told_beside_the_mean():
    results = [*field(0.1, seeds="hub"), *field(0.0, seeds="offtopic")]
    rows = {row.strategy: row for row in summarise(results).blocks[0].rows}
    assert rows["ours"].worst < rows["ours"].area.mean
    assert rows["other"].worst == pytest.approx(rows["other"].area.mean)


def test_what_politeness_costs_stands_beside_the_figures_which_are_those_of_the_polite_runs():
    """Areas of .3 to .377 become .2 to .277 with one seed of latencies and stay with another."""
    summary = summarise([*field(0.1), *field(0.0, luck=1), *field(0.1, luck=2)])
    (block,) = summary.blocks
    areas = {row.strategy: row.area.mean for row in block.rows}
    (ours,) = [each for each in summary.kept if (each.strategy, each.block) == ("ours", "c easy")]
    assert areas["ours"] == pytest.approx(ours.polite) == pytest.approx(ours.impolite - 0.05)
    assert ours.share == pytest.approx(ours.polite / ours.impolite)
    assert ours.lowest == pytest.approx(0.25 / 0.30)


def test_without_politeness_nothing_is_said_of_it():
    assert summarise(field(0.1)).kept == ()


def test_the_report_needs_nothing_but_itself(corpus, tmp_path):
    question = asked(corpus, "best_first")
    results = carry_out(question, tmp_path / "kept.jsonl", tmp_path / "cache")
    report = write_report(
        tmp_path / "out",
        question,
        results,
        summarise(results, keep_all=True),
        "breadth_first",
        "thresher lab",
    )
    page = report.read_text()
    assert page.count("<svg") == 9 and "<script" not in page and "<link" not in page
    addresses = set(re.findall(r"""https?://[^"' <]+""", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert len(list((tmp_path / "out").glob("*.svg"))) == 9
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["blocks"]


def test_compare_from_the_command_line(corpus, tmp_path):
    ran = thresher(
        "lab", "compare", str(corpus.path), "--strategies", "best_first", "--seeds", "hub", "--seeds",
        "ordinary", "--processes", "1", "--keep-all", "-o", str(tmp_path / "out"),
        "--cache", str(tmp_path / "cache"),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "12 runs" in ran.out and "label_oracle" in ran.out
    assert len((tmp_path / "out" / "runs.tsv").read_text().splitlines()) == 13


@pytest.mark.parametrize(
    ("strategies", "sentence"),
    [("", "No strategy"), ("best_frist", "Did you mean 'best_first'"), ("best_first+poor", "topic model")],
)
def test_strategies_that_cannot_be_compared_are_one_sentence(corpus, tmp_path, strategies, sentence):
    ran = thresher(
        "lab", "compare", str(corpus.path), "--strategies", strategies, "-o", str(tmp_path / "out")
    )
    assert ran.code in (2, 4) and sentence in ran.err and ran.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_polite_comparison_plays_each_run_without_and_with_politeness(corpus, tmp_path):
    ran = thresher(
        "lab", "compare", str(corpus.path), "--strategies", "best_first", "--seeds", "hub", "--modes", "easy",
        "--polite", "--luck", "1,2", "--processes", "1", "--keep-all", "-o", str(tmp_path / "out"),
        "--cache", str(tmp_path / "cache"),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "9 runs" in ran.out and "What politeness costs" in ran.out
    lines = (tmp_path / "out" / "runs.tsv").read_text().splitlines()
    columns = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    assert {(each["luck"], bool(each["seconds"])) for each in columns} == {
        ("0", False),
        ("1", True),
        ("2", True),
    }


def test_a_seed_of_latencies_that_is_none_is_one_sentence(corpus, tmp_path):
    ran = thresher(
        "lab", "compare", str(corpus.path), "--polite", "--luck", "good", "-o", str(tmp_path / "out")
    )
    assert ran.code == 2 and "no seed of latencies" in ran.err
