"""The verbs that read a crawl: `report`, `why`, `export`, and those that read the project itself."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path

import msgspec
import pytest

from tests.command_line import thresher
from thresher.export.items import FIELDS, Item
from thresher.settings.load import all_names
from thresher.store.folder import CrawlFolder
from thresher.strategies import ALL_STRATEGIES

PAGES = 60


@pytest.fixture(scope="module")
def crawls(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("crawls")
    for strategy in ("best_first", "breadth_first"):
        asked = ["--strategy", strategy, "--pages", str(PAGES), "--delay", "0", "--concurrency", "4"]
        assert thresher("crawl", "beekeeping", *asked, "-o", str(place / strategy)).code == 0
    return place


@pytest.fixture(autouse=True)
def _here(crawls, monkeypatch):
    monkeypatch.chdir(crawls)


@pytest.fixture(scope="module")
def exported(crawls) -> list[Item]:
    lines = thresher("export", str(crawls / "best_first")).out.splitlines()
    return [msgspec.json.decode(line, type=Item) for line in lines]


def threshold_of(folder: str) -> float:
    store = CrawlFolder(Path(folder)).open()
    try:
        return store.facts.threshold
    finally:
        store.close()


def test_report_writes_a_page_and_prints_the_figure_first():
    ran = thresher("report", "best_first")
    first, *_, last = ran.out.splitlines()
    assert f" of {PAGES} pages relevant (" in first
    assert last == f"Report: {Path('best_first/report.html')}"
    assert "<svg" in Path("best_first/report.html").read_text(encoding="utf-8")


def test_the_page_of_a_report_shows_how_its_best_pages_begin():
    thresher("report", "best_first")
    page = Path("best_first/report.html").read_text(encoding="utf-8")
    assert page.count('<span class="excerpt">') >= 10


def test_report_shows_the_ten_best_pages_with_how_they_begin_on_one_screen(exported):
    lines = thresher("report", "best_first").out.splitlines()
    best = max(exported, key=lambda item: item.relevance)
    assert lines[1].split()[:2] == ["1", f"{best.relevance:.2f}"]
    assert lines[2].strip() == best.url
    assert len(lines[3].strip()) > 40
    assert len(lines) <= 34


def test_report_compares_crawls_in_one_page():
    ran = thresher("report", "best_first", "breadth_first", "-o", "both.html")
    assert ran.code == 0
    page = Path("both.html").read_text(encoding="utf-8")
    assert page.count('class="name text-') == 4
    assert "<h2>best_first</h2>" in page
    assert "<h2>breadth_first</h2>" in page


def test_report_draws_a_picture_alone():
    assert thresher("report", "best_first", "breadth_first", "--svg", "harvest.svg").code == 0
    assert Path("harvest.svg").read_text(encoding="utf-8").startswith("<svg")


def test_report_prints_the_same_figures_as_json():
    [run] = json.loads(thresher("report", "best_first", "--json").out)["crawls"]
    assert run["pages"] == PAGES == run["outcomes"]["fetched"]
    assert run["requests"] == sum(run["outcomes"].values())
    assert run["curve"][-1] == {"pages": PAGES, "relevant": run["relevant"]}
    assert sum(host["relevant"] for host in run["hosts"]) == run["relevant"]


def test_report_prints_the_best_pages_by_the_judge(exported):
    ran = thresher("report", "best_first", "--top", "5")
    first, *lines = ran.out.splitlines()
    assert first == "The 5 best pages in best_first, scored by question"
    scores = [float(line.split()[1]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(max(item.relevance for item in exported), abs=1e-3)


def test_report_prints_the_best_pages_by_a_strategy_that_scores_results_itself():
    thresher("crawl", "beekeeping", "--strategy", "ratna", "--pages", "30", "--delay", "0", "-o", "ranked")
    [pages] = json.loads(thresher("report", "ranked", "--top", "3", "--json").out).values()
    assert len(pages) == 3
    assert {page["scored_by"] for page in pages} == {"ratna"}
    assert pages[0]["score"] >= pages[1]["score"] >= pages[2]["score"] > 0


def test_export_has_one_line_for_every_page_with_the_fields_crawlers_agree_on(exported):
    assert len(exported) == PAGES
    assert (
        tuple(
            "url requested_url status fetched_at title main language relevance is_relevant label parent depth"
            " anchor digest".split()
        )
        == FIELDS
    )
    seed = exported[0]
    assert (seed.parent, seed.depth, seed.status) == (None, 0, 200)
    assert seed.fetched_at.endswith("Z")
    assert all(item.depth > 0 and item.parent for item in exported if item.parent)
    assert {item.language for item in exported} <= {"en", "zh"}


def test_export_of_the_relevant_pages_alone(exported):
    wanted = [item.url for item in exported if item.is_relevant]
    lines = thresher("export", "best_first", "--relevant").out.splitlines()
    assert [json.loads(line)["url"] for line in lines] == wanted
    assert 0 < len(wanted) < PAGES


def test_export_as_csv_holds_the_same(exported):
    rows = list(csv.DictReader(StringIO(thresher("export", "best_first", "-f", "csv").out, newline="")))
    assert [row["main"] for row in rows] == [item.main for item in exported]
    assert [row["is_relevant"] for row in rows] == [str(item.is_relevant).lower() for item in exported]
    assert rows[0]["parent"] == ""


def test_export_to_a_file_chooses_by_its_ending():
    ran = thresher("export", "best_first", "-o", "pages.csv")
    assert (ran.code, ran.out, ran.err) == (0, "", f"{PAGES} pages in pages.csv\n")
    assert Path("pages.csv").read_text(encoding="utf-8").startswith("url,requested_url,")


def test_why_tells_the_way_from_the_seed_and_what_the_judge_saw(exported):
    item = next(item for item in reversed(exported) if item.is_relevant and item.anchor)
    ran = thresher("why", item.url, "best_first")
    assert ran.code == 0
    assert thresher("why", "best_first", item.url).out == ran.out  # as other verbs have it: the folder first
    assert ran.out.startswith(item.url)
    assert f"relevance {item.relevance:.3f}" in ran.out
    assert f": relevant, the threshold is {threshold_of('best_first'):g}" in ran.out
    assert f"because of a link on\n  {item.parent}" in ran.out
    assert f"  anchor   {item.anchor}" in ran.out
    told = json.loads(thresher("why", item.url, "best_first", "--json").out)
    assert told["way"][0]["url"] in {exported[0].url, exported[1].url, exported[2].url}
    assert [step["url"] for step in told["way"]][-2:] == [item.parent, item.url]
    alone = told["taught"]["alone"]  # by the question alone; with what was learned it is in `judged`
    assert sum(reason["weight"] for reason in told["evidence"]) == pytest.approx(alone, abs=0.05)
    assert told["judged"] == pytest.approx(item.relevance)


def test_why_shows_the_terms_of_the_price(exported):
    thresher("crawl", "beekeeping", "--strategy", "shark_search", "--pages", "12", "-o", "shark")
    listed = thresher("export", "shark", "--format", "jsonl").out.splitlines()
    ran = thresher("why", json.loads(listed[-1])["url"], "shark")
    assert "How shark_search came to the priority\n  potential" in ran.out, ran.out
    told = json.loads(thresher("why", json.loads(listed[-1])["url"], "shark", "--json").out)
    assert told["strategy"] == "shark_search"
    assert " x inherited " in told["terms"][0]


def test_why_of_a_seed_says_that_it_is_one(exported):
    assert "It is a seed (priority 1.000)." in thresher("why", exported[0].url, "best_first").out


def test_why_finds_a_page_under_the_address_with_a_tracker(exported):
    ran = thresher("why", f"{exported[5].url}?utm_source=mail", "best_first")
    assert ran.out.startswith(exported[5].url + "\n")


def test_why_of_an_unknown_page_names_the_nearest(exported):
    known = next(item.url for item in exported if item.url.endswith(".html"))
    ran = thresher("why", known + "x", "best_first")
    assert "Not visited: no page that was fetched links to it." in ran.out
    assert f"Did you mean {known}?" in ran.out


def test_why_of_an_unknown_page_names_no_stranger_of_the_same_host(exported):
    known = next(item.url for item in exported if item.url.endswith(".html"))
    told = thresher("why", known.rpartition("/")[0] + "/garbagecollection.html", "best_first").out
    assert "Did you mean" not in told
    assert "Nothing like it was visited in best_first." in told


def links(folder: str):
    store = CrawlFolder(Path(folder)).open()
    seen = {visit.candidate.url for visit in store.visits()}
    every = [link for url in seen for link in store.outlinks(url) if link.target not in seen]
    store.close()
    return every


def test_why_of_a_page_whose_turn_never_came_says_so():
    every = links("best_first")
    once = {target for target, times in Counter(link.target for link in every).items() if times == 1}
    link = next(link for link in every if "nofollow" not in link.rel and link.target in once)
    told = thresher("why", link.target, "best_first").out
    assert (
        f"Not visited: its turn had not come (page limit of {PAGES} reached); it waits at priority 0." in told
    )
    assert f"from {link.source}" in told


def test_why_of_a_link_that_was_refused_gives_the_rule():
    asked = ["--depth", "1", "--pages", "40", "--delay", "0", "--strategy", "best_first", "-o", "shallow"]
    thresher("crawl", "beekeeping", *asked)
    link = next(link for link in links("shallow") if "nofollow" not in link.rel)
    assert "Not visited: refused: too deep." in thresher("why", link.target, "shallow").out


def test_why_of_what_is_no_url_is_one_sentence():
    ran = thresher("why", "example.org/x", "best_first")
    assert ran.code == 1
    assert "write it in full, such as 'http://example.org/x'" in ran.err


@pytest.mark.parametrize("verb", [["report"], ["export"], ["why", "http://a.org/"], ["resume"]])
def test_which_crawl_is_asked_about_is_said_when_it_is_not_clear(verb, tmp_path, monkeypatch):
    assert "Name the folder you mean." in thresher(*verb).err
    ran = thresher(*verb, "best_frist")
    assert (ran.code, ran.err) == (2, "No crawl in best_frist. Did you mean 'best_first'?\n")
    monkeypatch.chdir(tmp_path)
    assert thresher(*verb).err.startswith("No crawl here.")


def test_a_file_that_is_no_database_is_no_crawl(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("odd").mkdir()
    Path("odd/crawl.db").write_text("This is not a database, it only looks like one.", encoding="utf-8")
    ran = thresher("report", "odd")
    assert ran.code == 2
    assert "damaged (file is not a database)" in ran.err


def test_settings_lists_every_one_with_value_default_and_sentence():
    listed = json.loads(thresher("settings", "--json").out)
    assert {setting["name"] for setting in listed} == set(all_names())
    assert all(setting["sentence"].endswith(".") for setting in listed)
    assert all(setting["value"] == setting["default"] for setting in listed)


def test_settings_shows_what_a_file_and_a_flag_lead_to():
    Path("mine.toml").write_text('topic = "cider"\nDOWNLOAD_DELAY = 3\n', encoding="utf-8")
    ran = thresher("settings", "mine.toml", "--set", "pages=7")
    assert 'topic.name = "cider"   (default "")' in ran.out
    assert "web.delay = 3.0   (default 1.0)" in ran.out
    assert "stop.pages = 7   (default 1000)" in ran.out
    assert thresher("settings", "min.toml").err == "No file min.toml here. Did you mean 'mine.toml'?\n"


def test_strategies_lists_every_one_with_its_sentence():
    listed = json.loads(thresher("strategies", "--json").out)
    assert [strategy["name"] for strategy in listed] == list(ALL_STRATEGIES)
    assert all(strategy["sentence"].endswith(".") for strategy in listed)
    assert all(strategy["reference"] and strategy["idea"] for strategy in listed)
