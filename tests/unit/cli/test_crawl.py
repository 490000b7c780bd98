"""`thresher crawl`: what it leaves behind, what it prints, and how it ends."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.command_line import Ran, thresher
from tests.unit.practice_crawl import web_of
from thresher.core.enums import Outcome
from thresher.core.records import Url
from thresher.parse import parse
from thresher.store.folder import CrawlFolder


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def crawl(*arguments: str, stdin: str = "") -> Ran:
    return thresher("crawl", "--delay", "0", "--set", "web.kind=practice", *arguments, stdin=stdin)


def as_run(folder: str) -> dict:
    return tomllib.loads((Path(folder) / "crawl.toml").read_text())


def visits(folder: str) -> list:
    store = CrawlFolder(Path(folder)).open()
    kept = list(store.visits())
    store.close()
    return kept


def test_a_crawl_is_a_folder_named_for_its_topic():
    assert crawl("beekeeping", "--pages", "20").code == 0
    made = {path.name for path in Path("beekeeping").iterdir()}
    assert {"crawl.toml", "crawl.db", "report.html"} <= made


def test_the_figure_comes_first_then_why_it_ended():
    ran = crawl("beekeeping", "--pages", "20")
    first, second, third, *_ = ran.out.splitlines()
    assert first.endswith(f"Report: {Path('beekeeping/report.html')}")
    assert " of 20 pages relevant (" in first
    assert second == "Stopped: page limit of 20 reached."
    assert "20 fetched" in third


def test_a_crawl_without_a_relevant_page_says_so_and_what_may_help():
    """The practice web has no page about it."""
    ran = crawl("submarine volcanoes", "--pages", "40", "--seed", web_of(1).seeds("cider")[0])
    first, second, *_ = ran.out.splitlines()
    assert ran.code == 0
    assert first.startswith("0 of 40 pages relevant")
    assert second.startswith("Nothing certain found in 40 pages; the best has a relevance of 0.")
    assert second.endswith("Other words (--keyword), a sentence (--description) or other seeds may help.")


def test_a_crawl_that_finds_nothing_certain_says_so_after_60_pages_and_for_programs_at_its_end():
    seed = web_of(1).seeds("cider")[0]
    ran = crawl("apple volcanoes", "--pages", "70", "--seed", seed, "--json")
    assert ran.code == 0
    assert "Nothing certain found in 60 pages" in ran.err
    offer = json.loads(ran.out)["keyword_offer"]
    assert offer["pages"] == 70
    assert offer["best"] < 0.5
    assert "Nothing certain found in 70 pages" in Path("apple-volcanoes/report.html").read_text("utf-8")


def test_one_key_adds_the_words_that_are_offered_and_goes_on(monkeypatch):
    """As at a terminal where y is pressed once; elsewhere nothing is asked."""
    keys = iter((True, False))
    monkeypatch.setattr("thresher.cli.crawl.wants_to_go_on", lambda: next(keys))
    monkeypatch.setattr("thresher.build.second_count.other_words", lambda *_: ["cider", "apple press"])
    seed = web_of(1).seeds("cider")[0]
    ran = crawl("pomology", "--keyword", "quince", "--pages", "30", "--seed", seed)
    go_on = (
        "Go on: thresher resume pomology --pages 60 --keyword cider --keyword 'apple press' --keyword quince"
    )
    assert go_on in ran.out.splitlines()
    assert as_run("pomology")["topic"]["keywords"] == {"quince": 1.0, "cider": 1.0, "apple press": 1.0}
    assert len([visit for visit in visits("pomology") if visit.outcome is Outcome.FETCHED]) == 60
    assert "Nothing certain" not in ran.out.splitlines()[-4]


def test_nothing_but_the_result_is_on_stdout_and_nothing_on_stderr():
    ran = crawl("beekeeping", "--pages", "20", "--json")
    assert ran.err == ""
    result = json.loads(ran.out)
    assert result["pages"] == 20
    assert result["outcomes"]["fetched"] == 20
    assert result["finish_reason"] == "page limit of 20 reached"
    assert Path(result["report"]).is_file()


def test_every_flag_is_a_setting():
    flags = ["--pages=7", "--relevant=5", "--time=10m", "--concurrency=3", "--per-host=2", "--depth=4"]
    flags += ["--stop-below=2%", "--stop-found=90%"]
    scope = ["--domain=localhost", "--include=html", "--exclude=/offers/", "--exclude=/private/"]
    assert crawl("beekeeping", *flags, *scope, "--set", "judge.threshold=0.2").code == 0
    run = as_run("beekeeping")
    assert run["stop"] == {"pages": 7, "relevant": 5, "seconds": 600.0, "below": 0.02, "found": 0.9}
    assert run["web"]["concurrency"], run["web"]["per_host"] == (3, 2)
    assert run["scope"]["domains"] == ["localhost"]
    assert run["scope"]["include"] == ["html"]
    assert run["scope"]["exclude"] == ["/offers/", "/private/"]
    assert run["scope"]["depth"] == 4
    assert run["judge"]["threshold"] == 0.2


def test_it_stops_at_the_relevant_page_asked_for():
    ran = crawl("beekeeping", "--pages", "0", "--relevant", "6", "--concurrency", "1", "--json")
    assert json.loads(ran.out)["relevant"] == 6


def test_a_time_limit_ends_with_code_15():
    ran = thresher("crawl", "beekeeping", "--pages", "0", "--time", "3s")
    assert ran.code == 15
    assert "Stopped: time limit of 3 seconds reached." in ran.out


def test_seeds_come_from_flags_a_file_and_stdin(tmp_path):
    seeds = ["http://a.localhost/1", "http://a.localhost/2", "http://a.localhost/3"]
    (tmp_path / "seeds.txt").write_text(f"# mine\n\n{seeds[1]}\n{seeds[2]}\n")
    assert crawl("cider", "--seed", seeds[0], "--seeds", "seeds.txt", "-o", "x").code == 1  # nobody is there
    assert [visit.candidate.url for visit in visits("x")] == seeds
    assert crawl("cider", "--seeds", "-", "-o", "y", stdin=f"{seeds[2]}\n").code == 1
    assert [visit.candidate.url for visit in visits("y")] == seeds[2:]


def test_a_seed_that_is_no_url_is_named_and_the_others_count():
    ran = crawl("cider", "--seed", "mailto:me", "--seed", "http://a.localhost/1", "-o", "x")
    assert "'mailto:me' is not an http or https URL" in ran.err
    assert [visit.candidate.url for visit in visits("x")] == ["http://a.localhost/1"]


def test_a_seed_needs_no_scheme():
    assert crawl("cider", "--seed", "localhost:9/tea", "-o", "x").code == 1  # nobody answers there
    assert [visit.candidate.url for visit in visits("x")] == ["http://localhost:9/tea"]


def test_a_crawl_that_loses_every_seed_fails_and_names_each_with_the_reason():
    ran = crawl("cider", "--seed", "http://a.localhost/1", "--seed", "http://b.localhost/2", "-o", "x")
    assert ran.code == 1
    assert ran.out.startswith("0 of 0 pages relevant (0.0 %).")
    assert "Seed http://a.localhost/1 brought no page (" in ran.err
    assert "Seed http://b.localhost/2 brought no page (" in ran.err


def test_flag_over_file_over_default(tmp_path):
    (tmp_path / "bees.toml").write_text(
        'topic = "beekeeping"\nstop = { pages = 50 }\nweb = { concurrency = 4 }\n'
    )
    assert crawl("bees.toml", "--pages", "15").code == 0
    run = as_run("beekeeping")
    assert (run["stop"]["pages"], run["web"]["concurrency"], run["web"]["per_host"]) == (15, 4, 1)


def test_another_strategy_leaves_the_parameters_of_the_files_behind(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "bees.toml").write_text(
        'topic = "beekeeping"\nstrategy = { name = "own:Patient", patience = 3 }\nstop = { pages = 5 }\n'
    )
    assert crawl("bees.toml", "-o", "own").code == 0
    assert as_run("own")["strategy"] == {"name": "own:Patient", "patience": 3}
    assert crawl("bees.toml", "--strategy", "best_first", "-o", "best").code == 0
    assert as_run("best")["strategy"] == {"name": "best_first"}


def test_verbose_shows_every_visit_on_stderr():
    ran = crawl("beekeeping", "--pages", "5", "-v")
    assert ran.err.count("INFO: fetched") == 5
    assert "INFO" not in ran.out


OWN = """
from dataclasses import dataclass
from thresher.core.strategy import Strategy
from thresher.strategies.base import follow, links_of

@dataclass
class Patient(Strategy):
    patience: int = 1

    def on_visit(self, visit, memory):
        return [follow(visit, link, 0.0) for link in links_of(visit)]

class Clumsy(Patient):
    def on_visit(self, visit, memory):
        raise ZeroDivisionError("oops")

class Half:
    def start(self, seeds):
        return []
"""

BAD = {
    "unknown setting": (["bees", "--set", "web.dely=1"], 4, "Did you mean 'web.delay'?"),
    "unknown short setting": (["beekeeping", "--set", "concurency=1"], 4, "Did you mean 'web.concurrency'?"),
    "setting named with its rooms": (
        ["beekeeping", "--set", "strategy.parameters.without=page"],
        4,
        "Did you mean 'without'?",
    ),
    "unknown scrapy name": (["bees", "--set", "DOWNLOAD_DELY=1"], 4, "Did you mean 'DOWNLOAD_DELAY'?"),
    "wrong kind of value": (
        ["bees", "--set", "web.per_host=few"],
        4,
        "web.per_host: expected a whole number",
    ),
    "value out of range": (
        ["bees", "--concurrency", "0"],
        4,
        "expected a whole number of at least 1",
    ),
    "no value": (["bees", "--set", "web.delay"], 2, "--set takes NAME=VALUE"),
    "unknown topic file": (["bes.toml"], 4, "No file bes.toml here. Did you mean 'bees.toml'?"),
    "broken topic file": (["broken.toml"], 4, "broken.toml is not valid TOML"),
    "unknown key in a file": (["odd.toml"], 4, "Did you mean 'stop.pages'?"),
    "unknown topic": (["beekeepin"], 2, "Did you mean 'beekeeping'?"),
    "unknown strategy": (["beekeeping", "--strategy", "best_frist"], 4, "Did you mean 'best_first'?"),
    "unknown module": (["beekeeping", "--strategy", "nowhere:Patient"], 4, "No module named 'nowhere'"),
    "unknown class": (["beekeeping", "--strategy", "own:Patent"], 4, "Did you mean 'Patient'?"),
    "no strategy": (
        ["beekeeping", "--strategy", "own:Half"],
        4,
        "derive it from thresher.Strategy.",
    ),
    "unknown judge": (["beekeeping", "--set", "judge.name=cosin"], 4, "Did you mean 'cosine'?"),
    "unknown web": (["beekeeping", "--set", "web.kind=practise"], 4, "Did you mean 'practice'?"),
    "unknown option": (["beekeeping", "--page", "1"], 2, "--pages"),
    "not a number": (["beekeeping", "--pages", "many"], 2, "'many' is not a valid integer"),
    "not a duration": (["beekeeping", "--time", "soon"], 4, "write it as 90s, 10m, 2h or 1d"),
    "a time without its unit": (
        ["beekeeping", "--time", "5"],
        4,
        "5 of what? Write 5s for seconds, 5m, 5h or 5d.",
    ),
    "not an expression": (["beekeeping", "--include", "("], 4, "'(' is not a regular expression"),
    "a URL for a topic": (["http://example.org/"], 2, "thresher crawl TOPIC --seed http"),
    "no topic": ([], 2, "--seed URL or --example PAGE"),
    "no such seeds file": (["cider", "--seeds", "seed.txt"], 2, "Did you mean 'seeds.txt'?"),
    "no seed is a URL": (["cider", "--seed", "example"], 1, "such as 'https://example.org/page'"),
    "a file for a folder": (["beekeeping", "-o", "bees.toml"], 2, "Choose another with -o."),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_a_code(case, tmp_path):
    arguments, code, words = BAD[case]
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "bees.toml").write_text('topic = "beekeeping"\n')
    (tmp_path / "broken.toml").write_text("topic = \n")
    (tmp_path / "odd.toml").write_text('topic = "beekeeping"\nstop = { page = 3 }\n')
    (tmp_path / "seeds.txt").write_text("http://a.localhost/\n")
    ran = crawl(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "Traceback" not in ran.err
    assert not (tmp_path / "beekeeping").exists()


def test_a_strategy_that_raises_stops_the_crawl_loudly_and_loses_nothing(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    ran = crawl("beekeeping", "--strategy", "own:Clumsy", "-o", "x")
    assert ran.code == 1
    assert ran.err.startswith("Strategy own:Clumsy raised ZeroDivisionError('oops') at http://")
    assert len(ran.err.splitlines()) == 1
    assert len(visits("x")) == 1
    assert "oops" in thresher("report", "x", "--json").out


def test_a_page_that_breaks_the_parser_is_one_visit_with_the_reason(monkeypatch):
    broken: list[Url] = []

    def clumsy(fetched, **how):
        if len(broken) < 1:
            broken.append(fetched.url)
            raise RecursionError("too deep")
        return parse(fetched, **how)

    monkeypatch.setattr("thresher.build.parsing.parse", clumsy)
    ran = crawl("beekeeping", "--pages", "20")
    assert ran.code == 0
    assert "Traceback" not in ran.err
    [visit] = [visit for visit in visits("beekeeping") if visit.candidate.url == broken[0]]
    assert visit.outcome is Outcome.FAILED
    assert visit.reason == "not parsed: RecursionError('too deep')"
    assert len(visits("beekeeping")) > 20


def test_a_folder_that_holds_a_crawl_is_refused():
    crawl("beekeeping", "--pages", "5")
    before = Path("beekeeping/crawl.db").read_bytes()
    ran = crawl("beekeeping", "--pages", "5")
    assert ran.code == 2
    assert ran.err.startswith("beekeeping holds a crawl already.")
    assert len(ran.err.splitlines()) == 1
    assert Path("beekeeping/crawl.db").read_bytes() == before


def test_every_limit_prints_the_command_that_goes_on():
    ran = crawl("cider", "--pages", "12", "-o", "more cider")
    assert "Go on: thresher resume 'more cider' --pages 24" in ran.out.splitlines()


def test_a_limit_of_relevant_pages_goes_on_from_that_limit():
    ran = crawl("beekeeping", "--pages", "0", "--relevant", "60")
    assert "Stopped: limit of 60 relevant pages reached." in ran.out.splitlines()
    assert "Go on: thresher resume beekeeping --relevant 120" in ran.out.splitlines()


@pytest.mark.parametrize("rule", ["--stop-found 50%", "--stop-below 60%"])
def test_a_crawl_that_a_forecast_ended_goes_on_without_it(rule):
    """With the rule it would end at once, as it had ended."""
    flag, share = rule.split()
    ran = crawl("beekeeping", "--pages", "400", flag, share)
    assert f"Go on: thresher resume beekeeping {flag} 0" in ran.out.splitlines()
    pages = len(visits("beekeeping"))
    assert thresher("resume", "beekeeping", flag, "0").code == 0
    assert len(visits("beekeeping")) > pages
