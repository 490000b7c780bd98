"""Constants chosen on all webs but one, and what jitter does to a figure."""

import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.core.errors import UsageError
from thresher_lab.contenders.named import check, contender_of
from thresher_lab.experiment import jittered, left_out, variants
from thresher_lab.setup import budget_of

AREAS = {
    "breadth_first": {"a": 0.2, "b": 0.2, "c": 0.2},
    "label_oracle": {"a": 0.8, "b": 0.8, "c": 0.8},
    "base": {"a": 0.40, "b": 0.40, "c": 0.40},
    "base+x=1": {"a": 0.90, "b": 0.38, "c": 0.39},  # superb on a alone
    "base+x=2": {"a": 0.39, "b": 0.43, "c": 0.44},
}
CANDIDATES = ["base", "base+x=1", "base+x=2"]


def test_what_is_superb_on_one_web_is_not_reported_for_that_web():
    rows = {row.corpus: row for row in left_out(AREAS, "base", CANDIDATES)}
    assert (rows["a"].chosen, rows["a"].area) == ("base+x=2", 0.39)  # best on b and c; on a it is worse
    assert rows["b"].chosen == rows["c"].chosen == "base+x=1"


def test_one_web_alone_cannot_be_left_out():
    with pytest.raises(UsageError, match="takes two"):
        left_out({name: {"a": webs["a"]} for name, webs in AREAS.items()}, "base", CANDIDATES)


def test_each_variant_differs_in_one_parameter():
    assert variants("thresher+rich", ["learner=0.3,0.7", "ridge=3"]) == [
        "thresher+rich", "thresher+rich+learner=0.3", "thresher+rich+learner=0.7", "thresher+rich+ridge=3",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="names no values"):
        variants("thresher", ["learner"])


def test_jitter_moves_every_number_by_at_most_its_share_and_the_same_way_for_the_same_seed():
    draws = jittered("thresher+rich", 0.1, 3, seed=7)
    assert draws == jittered("thresher+rich", 0.1, 3, seed=7) != jittered("thresher+rich", 0.1, 3, seed=8)
    assert len(set(draws)) == 3
    for draw in draws:
        named = contender_of(draw)
        check(named)
        assert 0.45 <= float(named.parameters["learner"]) <= 0.55
        assert 54 <= int(named.parameters["explore"]) <= 66
        assert "without" not in named.parameters


@pytest.mark.parametrize(("text", "pages"), [("2x:240", 240), ("2x:900", 400), ("300:240", 240), ("2x", 400)])
def test_a_budget_may_have_a_bound(text, pages):
    assert budget_of(text, 200) == pages


def test_the_command_says_what_was_chosen_without_looking_and_what_jitter_does(tmp_path):
    folders = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folders.append(str(make_corpus(tmp_path / name).path))
    ran = thresher(
        "lab", "tune", *folders, "--strategy", "thresher", "--try", "learner=0.2", "--jitter", "0.1",
        "--draws", "2", "--processes", "1", "-o", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    for words in ("Chosen on the other webs", "learner=0.2", "jittered at random", "| mean"):
        assert words in ran.out
    assert (tmp_path / "out" / "tuned.md").read_text().strip() == ran.out.strip()
