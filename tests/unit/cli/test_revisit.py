"""The verbs `revisit` and `changes`, on the practice web, where days pass in no time."""

import json

import pytest

from tests.command_line import thresher


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("revisit") / "bees"
    assert (
        thresher("crawl", "beekeeping", "-o", str(folder), "--pages", "60", "--strategy", "best_first").code
        == 0
    )
    ran = thresher("revisit", str(folder), "--budget", "5/hour", "--time", "1d", "--discover", "0", "--json")
    assert ran.code == 15, ran.err
    return folder, json.loads(ran.out)


def test_a_day_of_looks_keeps_to_its_budget_and_finds_news(crawl):
    _, result = crawl
    assert 110 <= result["revisits"] <= 120
    assert result["substantive"] > 0
    assert result["discovered"] == 0


def test_changes_are_listed_with_the_lines_that_went_and_came(crawl):
    folder, result = crawl
    told = thresher("revisit", "--list", str(folder)).out
    assert "\n  - " in told and "\n  + " in told
    assert told.splitlines()[-1].startswith(f"{result['substantive']} change")


def test_changes_for_a_program_have_every_field(crawl):
    folder, result = crawl
    items = json.loads(thresher("revisit", "--list", str(folder), "--all", "--json").out)
    assert len(items) == result["changed"]
    assert {"url", "found_at", "since", "kind", "substantive", "relevance", "left_topic", "diff"} <= set(
        items[0]
    )
    assert sum(item["substantive"] for item in items) == result["substantive"]


def test_since_leaves_out_what_was_found_before(crawl):
    folder, _ = crawl
    assert json.loads(thresher("revisit", "--list", str(folder), "--since", "2020-09-15", "--json").out) == []
    assert (
        json.loads(thresher("revisit", "--list", str(folder), "--since", "2020-09-13T12:00Z", "--json").out)
        != []
    )


def test_the_report_has_a_section_on_freshness(crawl):
    folder, _ = crawl
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Kept fresh" in report and "Change rates by host" in report


def test_a_resumed_crawl_leaves_the_looks_to_revisit(crawl):
    folder, _ = crawl
    before = len(json.loads(thresher("revisit", "--list", str(folder), "--all", "--json").out))
    assert thresher("resume", str(folder), "--pages", "70").code == 0
    after = json.loads(thresher("revisit", "--list", str(folder), "--all", "--json").out)
    assert len(after) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--budget", "many"], "'many' is not a budget; write it as 500/day or 20/hour."),
        ([], "Give a budget: --budget 500/day, or --once for one pass over all pages."),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(crawl, arguments, sentence):
    folder, _ = crawl
    ran = thresher("revisit", str(folder), *arguments)
    assert (ran.code, ran.err.strip()) == (2, sentence)


def test_a_folder_without_a_crawl_is_one_sentence(tmp_path):
    ran = thresher("revisit", str(tmp_path / "nothing"), "--once")
    assert ran.code == 2 and ran.err.startswith("No crawl in")


def test_a_moment_nobody_understands_is_one_sentence(crawl):
    folder, _ = crawl
    ran = thresher("revisit", "--list", str(folder), "--since", "yesterday")
    assert ran.code == 2 and "'yesterday' is not a moment" in ran.err


def test_a_crawl_never_revisited_has_no_changes(tmp_path):
    folder = tmp_path / "bees"
    thresher("crawl", "beekeeping", "-o", str(folder), "--pages", "5")
    assert thresher("revisit", "--list", str(folder)).out.startswith("No change found.")


def test_the_figures_of_a_crawl_that_was_revisited_are_json(crawl):
    ran = thresher("report", str(crawl[0]), "--json")
    assert ran.code == 0, ran.err
    [run] = json.loads(ran.out)["crawls"]
    assert run["kept"]["revisits"] > 0
