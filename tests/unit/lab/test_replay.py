"""Replay: the same visits every time, redirects on the spot, and a referee beside every step."""

import json
import os
import subprocess
import sys

import pytest

from tests.command_line import thresher
from tests.unit.lab_examples import SITE, make_corpus
from thresher.core.enums import Request
from thresher.core.errors import UsageError
from thresher.core.records import Candidate, Link, Url
from thresher.frontier.frontier import Workbench
from thresher.strategies.ctfc import Ctfc
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, stage


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    return make_corpus(folder)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def played(corpus, cache, strategy, pages=20, mode="easy", **asked):
    with stage(corpus, corpus.hidden(mode), cache) as place:
        return play(place, ReplayPlan("bees", strategy, pages, seeds=("hub",), **asked))


def told(found):
    return [(step.url.removeprefix(SITE), step.outcome) for step in found.steps]


def test_breadth_first_follows_the_order_of_the_page_and_a_redirect_on_the_spot(corpus, cache):
    """old-b is the second link of the hub: its target b comes right after it, not at the end of the queue."""
    found = told(played(corpus, cache, "breadth_first"))
    assert found == [
        ("hub", "fetched"), ("far", "fetched"), ("old-b", "moved"), ("b", "fetched"), ("gone", "gone"),
        ("a", "fetched"), ("list", "fetched"), ("e", "fetched"), ("d", "fetched"), ("c", "fetched"),
    ]  # fmt: skip


def test_only_pages_cost_and_only_relevant_ones_count(corpus, cache):
    steps = played(corpus, cache, "breadth_first").steps
    assert [step.cost for step in steps] == [1, 1, 0, 1, 0, 1, 1, 1, 1, 1]
    assert sum(step.relevant for step in steps) == 5


def test_the_budget_counts_pages_and_not_requests(corpus, cache):
    found = played(corpus, cache, "breadth_first", pages=4)
    assert sum(step.outcome == "fetched" for step in found.steps) == 4
    assert len(found.steps) == 6


def test_a_hidden_page_answers_404(corpus, cache):
    assert ("list", "gone") in told(played(corpus, cache, "breadth_first", mode="hard"))


def test_the_label_oracle_takes_the_relevant_first_then_what_relevant_pages_mention(corpus, cache):
    found = told(played(corpus, cache, "label_oracle"))
    fetched = [name for name, outcome in found if outcome == "fetched"]
    assert fetched == ["hub", "b", "a", "d", "c", "far", "e", "list"]


def test_the_score_oracle_asks_for_nothing_that_is_not_there_before_everything_that_is(corpus, cache):
    found = told(played(corpus, cache, "score_oracle", model="rich"))
    assert found[-1] == ("gone", "gone")


def test_a_step_says_which_link_led_to_it_and_what_the_guide_thought(corpus, cache):
    steps = {step.url: step for step in played(corpus, cache, "best_first", model="rich").steps}
    step = steps[f"{SITE}c"]
    assert step.via == f"{SITE}a"
    assert step.priority == steps[f"{SITE}a"].relevance > 0


def test_a_second_replay_parses_nothing_and_tells_the_same(corpus, cache):
    first = played(corpus, cache, "shark_search")
    with stage(corpus, cache=cache) as place:
        second = play(place, ReplayPlan("bees", "shark_search", 20, seeds=("hub",)))
        assert place.parse.misses == 0
    assert first.steps == second.steps


def test_nothing_is_written_into_the_corpus_folder(corpus, cache):
    before = sorted(path.name for path in corpus.path.rglob("*"))
    played(corpus, cache, "label_oracle")
    assert sorted(path.name for path in corpus.path.rglob("*")) == before


def log_of(corpus, tmp_path, hash_seed, *arguments):
    log = tmp_path / f"log-{hash_seed}.jsonl"
    command = ["lab", "replay", str(corpus.path), "--topic", "bees", "--log", str(log), "--pages", "9"]
    subprocess.run(
        [sys.executable, "-m", "thresher", *command, "--cache", str(tmp_path / hash_seed), *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
    )
    return log.read_bytes()


def test_the_log_does_not_depend_on_the_hash_seed(corpus, tmp_path):
    first, second = (log_of(corpus, tmp_path, seed, "--strategy", "shark_search") for seed in ("1", "2"))
    assert first == second
    assert set(json.loads(first.splitlines()[0])) >= set("n url outcome cost relevance priority via".split())


def test_rules_are_off_unless_asked_for(corpus, cache):
    """The pages c, d and e say the same: with the rules on, near-duplicates are not expanded."""
    archive = {name for name, _ in told(played(corpus, cache, "breadth_first"))}
    assert archive >= {"c", "d", "e"}
    assert played(corpus, cache, "breadth_first", rules=True).steps[0].outcome == "fetched"


def test_a_topic_without_relevant_pages_is_one_sentence(corpus, cache):
    (corpus.path / "relevant" / "bees.txt").write_text("")
    with pytest.raises(UsageError, match="no relevant page"):
        played(corpus, cache, "breadth_first")


def test_a_seed_outside_the_archive_is_one_sentence(corpus, cache):
    with stage(corpus, cache=cache) as place, pytest.raises(UsageError, match="not in the archive"):
        play(place, ReplayPlan("bees", "breadth_first", 5, seeds=("http://other.test/",)))


@pytest.mark.parametrize("pages", ["none", "0", "-3", "x"])
def test_a_budget_that_is_none_is_one_sentence(corpus, tmp_path, pages):
    ran = thresher(
        "lab", "replay", str(corpus.path), "--topic", "bees", f"--pages={pages}", "--cache", str(tmp_path)
    )
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1 and "number of pages" in ran.err


def test_the_command_says_recall_and_area(corpus, tmp_path):
    """The five relevant pages come 3rd, 4th, 6th, 7th and 8th: (8 + 7 + 5 + 4 + 3) / (5 * 10)."""
    ran = thresher(
        "lab", "replay", str(corpus.path), "--topic", "bees", "--strategy", "breadth_first", "--pages", "2x",
        "--seeds", "hub", "--cache", str(tmp_path / "cache"),
    )  # fmt: skip
    assert ran.code == 0
    assert "5 of 8 pages relevant" in ran.out and "recall 1.000 of 5" in ran.out
    assert "Area under the recall curve 0.5400 by pages" in ran.out


def offered(url, **fields):
    return Candidate(Url(url), via=Link(Url(SITE), Url(url)), **fields)


def test_the_target_of_a_redirect_keeps_the_price_of_its_link():
    frontier = Workbench(delay=0.0, urgent=frozenset({Request.REDIRECT}))
    frontier.offer([offered(f"{SITE}x", priority=0.9), offered(f"{SITE}y", priority=0.1)])
    frontier.offer([offered(f"{SITE}y", priority=0.3, redirects=1, kind=Request.REDIRECT)])
    taken = frontier.take(0.0)
    assert taken is not None and (taken.url, taken.priority) == (f"{SITE}y", 0.3)


def test_a_host_that_asks_for_rest_gets_it_only_when_politeness_is_asked_for():
    for polite, next_one in ((False, f"{SITE}y"), (True, None)):
        frontier = Workbench(delay=0.0, heeds_rests=polite)
        frontier.offer([offered(f"{SITE}x", priority=1.0), offered(f"{SITE}y")])
        first = frontier.take(0.0)
        assert first is not None
        frontier.done(first, 0.0, rest=60.0)
        second = frontier.take(0.0)
        assert (second.url if second else None) == next_one


def test_a_question_for_back_links_costs_a_page_unless_the_plan_says_that_answers_are_free(corpus, cache):
    charged = played(corpus, cache, "ctfc", pages=6, parameters={"eager": True})
    free = played(corpus, cache, "ctfc", pages=6, parameters={"charged": False})
    spent = {name: [step.cost for step in run.steps] for name, run in (("charged", charged), ("free", free))}
    assert sum(spent["charged"]) == sum(spent["free"]) == 6
    questions = [step for step in free.steps if step.outcome == "backlinks"]
    assert questions and not any(step.cost for step in questions)
    assert all(step.cost for step in charged.steps if step.outcome == "backlinks")


class Derived(Ctfc):
    """A strategy of a user's own that is CT-FC but for its name."""


def test_a_strategy_derived_from_ctfc_gets_a_lexicon_as_well(corpus, cache):
    own = played(corpus, cache, f"{__name__}:Derived", model="rich")
    assert told(own) == told(played(corpus, cache, "ctfc", model="rich"))
    with stage(corpus, cache=cache) as place:
        assert place.topic(ReplayPlan("bees", f"{__name__}:Derived", 5)).lexicon
