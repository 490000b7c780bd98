"""A contender's score follows from the server's log alone, with the measures of a replay."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.command_line import thresher
from tests.unit.served_examples import BEES, OTHER, get, make_served_corpus, say, while_served
from thresher.core.errors import UsageError
from thresher_lab.judge_measures import CountMeasures
from thresher_lab.measures import measure
from thresher_lab.replay import play
from thresher_lab.score import Access, ContenderRun, LogEnd, Served, read_log, read_runs, score
from thresher_lab.served_web import RequestKind
from thresher_lab.setup import ReplayPlan, stage
from thresher_lab.standings import complete, grid_of, stand

PEERS = Path(__file__).resolve().parents[3] / "benchmarks" / "peers"


@pytest.fixture
def corpus(tmp_path):
    return make_served_corpus(tmp_path / "web")


def page(at, url, **more):
    return Access(at, url, RequestKind.PAGE, 200, 1_000_000, **more)


HAND = [
    Access(0.0, f"{BEES}robots.txt", RequestKind.ROBOTS, 200, 40),
    page(1.0, f"{BEES}hub"),
    page(1.1, f"{BEES}a", hasty=True),
    Access(2.0, f"{BEES}gone", RequestKind.ABSENT, 404, 30),
    page(3.0, f"{BEES}a"),
    page(4.0, f"{OTHER}e", forbidden=True),
    page(9.0, f"{BEES}b"),
]
"""Of the first four pages the second and the fourth are relevant for the first time."""


def write(path, lines, budget=4):
    head = Served(("web",), 7, budget=budget)
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in (head, *lines)))
    return path


def scored(corpus, log, **run):
    with stage(corpus, cache=corpus.path.parent / "cache") as place:
        return score(ContenderRun("them", "web", "bees", log.name, **run), log, place)


def test_a_page_fetched_again_costs_a_page_and_is_not_found_again(corpus, tmp_path):
    """Hits at pages 2 and 4 of 4, five wanted: (3 + 1) / (5 * 4)."""
    found = scored(corpus, write(tmp_path / "log", HAND)).results[0].measures
    assert (found.pages, found.relevant, found.by_pages.hits) == (4, 2, (2, 4))
    assert found.by_pages.area == pytest.approx(4 / 20)
    assert (found.requests, found.by_requests.hits) == (5, (2, 5))


def test_conduct_is_that_of_the_server_and_only_while_the_budget_lasts(corpus, tmp_path):
    conduct = scored(corpus, write(tmp_path / "log", HAND)).conduct
    assert (conduct.hasty, conduct.forbidden, conduct.again, conduct.robots_txt) == (1, 1, 1, 1)
    assert conduct.pages_a_second == pytest.approx(4 / 4.0)
    assert conduct.bytes == 4_000_070


def test_the_list_of_a_contender_is_counted_among_the_pages_that_the_log_says_it_fetched(corpus, tmp_path):
    """Fetched hub, a and e, of which a and e are relevant; b is on the list and was not fetched."""
    (tmp_path / "said.txt").write_text(f"{BEES}hub\n{BEES}a\n{BEES}b\n")
    found = scored(corpus, write(tmp_path / "log", HAND), said="said.txt")
    assert found.counts == CountMeasures(said=2, true=2, right=1)
    assert (found.counts.precision, found.counts.recall, found.counts.times) == (0.5, 0.5, 1.0)
    assert found.unseen == 1
    told, _ = stand([found], "them")
    assert told.rows[0].counts == found.counts
    assert grid_of(told, "them").heads[-4:] == ("said", "true", "right of said", "said of true")
    assert grid_of(told, "them").rows[0][-4:] == ("2", "2", "0.500", "0.500")


def test_lab_score_tells_the_list_of_a_run(corpus, tmp_path):
    log, said = write(tmp_path / "log", HAND), tmp_path / "said.txt"
    said.write_text(f"{BEES}a\n{OTHER}e\n")
    asked = ["--log", str(log), "--topic", "bees", "--cache", str(tmp_path / "cache")]
    ran = thresher("lab", "score", str(corpus.path), *asked, "--said", str(said))
    assert ran.out.endswith("It calls 2 of them relevant, 2 are: precision 1.000, recall 1.000.\n")
    assert "It calls" not in thresher("lab", "score", str(corpus.path), *asked).out


def test_the_log_of_a_replay_s_visits_has_the_replay_s_measures(corpus, tmp_path):
    plan = ReplayPlan("bees", "breadth_first", 5)
    with stage(corpus, cache=tmp_path / "cache") as place:
        steps = play(place, plan).steps
        seeds = place.graph.reachable(corpus.seeds("bees", plan.seeds), place.hidden)
        replayed = measure(steps, corpus.topic("bees"), place.relevant("bees"), seeds, 5)

    async def same(server):
        for step in steps:
            await say(server.port, get(step.url.replace("https:", "http:")))

    while_served(corpus, same)
    log = corpus.path.parent / "access.jsonl"
    again = next(read_log(log))
    write(log, [line for line in read_log(log) if isinstance(line, Access)], budget=5)
    found = scored(corpus, log).results[0].measures
    assert found.by_pages.area == replayed.by_pages.area > 0
    assert found.sum_of_information == pytest.approx(replayed.sum_of_information)
    assert isinstance(again, Served)


def test_contenders_stand_in_one_table_and_who_is_told_nothing_counts_for_every_effort(corpus, tmp_path):
    better = [page(0.1, f"{BEES}a"), page(0.2, f"{BEES}b")]
    worse = [page(0.1, f"{BEES}hub"), page(0.2, f"{BEES}a")]
    runs = [
        ("ours", ("name",), better),
        ("ours", ("keywords",), better),
        ("theirs", ("name", "keywords"), worse),
    ]
    told = []
    with stage(corpus, cache=tmp_path / "cache") as place:
        for number, (name, efforts, lines) in enumerate(runs):
            log = write(tmp_path / str(number), lines, budget=2)
            run = ContenderRun(name, "web", "bees", log.name, efforts, seconds=1.5)
            told.append(score(run, log, place))
    kept, out = complete(told)
    standings, _ = stand(kept, "ours", out)
    assert [row.contender for row in standings.rows] == ["ours", "theirs"] and not out
    theirs = standings.rows[1]
    assert theirs.by_effort == {"name": pytest.approx(0.1), "keywords": pytest.approx(0.1)}
    assert theirs.against and theirs.against.difference.mean == pytest.approx(0.1 - 0.3)


def test_a_topic_that_not_everybody_ran_is_left_out_and_named(corpus, tmp_path):
    log = write(tmp_path / "log", HAND)
    both = scored(corpus, log, efforts=("name", "keywords"))
    other = scored(corpus, log, efforts=("name",))
    other = msgspec.structs.replace(other, run=msgspec.structs.replace(other.run, contender="others"))
    moved = tuple(msgspec.structs.replace(each, strategy="others") for each in other.results)
    kept, out = complete([both, msgspec.structs.replace(other, results=moved)])
    assert {result.mode for each in kept for result in each.results} == {"name"}
    assert out == ["them on web bees"]


def test_the_command_prints_one_run_and_many(corpus, tmp_path):
    log = write(tmp_path / "log", [*HAND, LogEnd("done", 9.0, {})])
    cache = ["--cache", str(tmp_path / "cache")]
    one = thresher("lab", "score", str(corpus.path), "--log", str(log), "--topic", "bees", *cache)
    assert one.code == 0 and "2 of 4 pages relevant" in one.out
    assert "1 requests against robots.txt, 1 before the delay was over, 1 pages again" in one.out
    runs = tmp_path / "runs.jsonl"
    names = ("thresher", "theirs")
    runs.write_text(
        "".join(
            json.dumps({"contender": n, "corpus": "web", "topic": "bees", "log": "log"}) + "\n" for n in names
        )
    )
    out = tmp_path / "out"
    many = thresher("lab", "score", str(corpus.path), "--runs", str(runs), "-o", str(out), *cache)
    assert many.code == 0 and "| theirs" in many.out
    assert {"standings.md", "standings.json", "report.html"} <= {path.name for path in out.iterdir()}


def test_what_is_no_log_and_what_is_no_file_of_runs_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "log").write_text('{"type": "access"}\n')
    with pytest.raises(UsageError, match="line 1"):
        list(read_log(tmp_path / "log"))
    (tmp_path / "runs").write_text("{}\n")
    with pytest.raises(UsageError, match="line 1"):
        read_runs(tmp_path / "runs")


def test_a_log_that_was_being_written_when_the_server_was_killed_counts_up_to_there(corpus, tmp_path):
    log = write(tmp_path / "log", HAND[:3])
    log.write_bytes(log.read_bytes() + b'{"type":"acc')
    assert scored(corpus, log).results[0].measures.pages == 2


def test_a_peer_that_cannot_be_installed_is_skipped_with_a_sentence(tmp_path):
    code = (
        "from pathlib import Path; import contenders, install, subprocess\n"
        f"contenders.ENVIRONMENTS = Path({str(tmp_path)!r})\n"
        "def fail(*args, **kwargs): raise subprocess.SubprocessError('no such package')\n"
        "install.venv.create = lambda *args, **kwargs: None\n"
        "install.subprocess.run = fail\n"
        "install.main()\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=PEERS, capture_output=True, text=True, check=True)
    assert "scrapy==2.19.0 is skipped: it cannot be installed here (no such package)." in ran.stdout
    assert ran.stdout.count("is skipped") >= 5


def test_what_the_server_hid_by_a_file_is_asked_of_nobody(corpus, tmp_path):
    log, hide = tmp_path / "log", tmp_path / "hide.txt"
    head = Served(("web",), 7, mode="hidden", budget=4)
    log.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in (head, *HAND)))
    hide.write_text(f"{BEES}c\n{BEES}d\n")
    asks = ["lab", "score", str(corpus.path), "--log", str(log), "--topic", "bees", "--cache", str(tmp_path)]
    without = thresher(*asks)
    assert without.code == 2 and "--hide" in without.err
    assert "of 3 relevant pages" in thresher(*asks, "--hide", str(hide)).out
