"""An edit late in a long paragraph is seen wherever changes are read."""

import json

import pytest

from tests.command_line import thresher
from tests.unit.changing_site import Site, html
from thresher.freshness.diff import LETTERS, DiffBlock, shown
from thresher.freshness.word_diff import Fate, WordRun, changed_lines, compared, told

LONG = "The queen bees keep warm all winter long, and honey is what they live on until spring comes. " * 20


def test_the_words_that_went_and_came_are_told_apart_from_those_that_stayed():
    assert compared("bees like honey", "bees love honey") == [
        WordRun(Fate.STAYED, "bees "),
        WordRun(Fate.WENT, "like"),
        WordRun(Fate.CAME, "love"),
        WordRun(Fate.STAYED, " honey"),
    ]
    assert told(compared("蜂王产卵", "蜂王采蜜")) == "蜂王[-产卵-]{+采蜜+}"


def test_an_edited_line_is_one_and_another_line_is_two():
    diff = "- bees like honey\n+ bees love honey\n- The end\n+ Something else entirely"
    assert [told(line) for line in changed_lines(diff)] == [
        "bees [-like-]{+love+} honey",
        "- The end",
        "+ Something else entirely",
    ]


def test_every_line_of_a_diff_is_told_and_none_twice():
    diff = "+ one new\n- gone\n… and 3 lines more"
    assert [told(line) for line in changed_lines(diff)] == ["+ one new", "- gone", "… and 3 lines more"]


def test_a_diff_keeps_whole_lines_and_says_when_it_is_cut():
    assert shown([DiffBlock(0, (LONG,), ())]) == f"- {LONG}"
    cut = shown([DiffBlock(0, tuple("x" * 19_000 for _ in range(9)), ())])
    assert len(cut) <= LETTERS + 100 and cut.endswith("… and 4 lines more")


@pytest.mark.parametrize("words", ["bees and honey. ", "蜂王在蜂巢里产卵。"])
def test_an_edit_late_in_a_paragraph_of_a_hundred_thousand_letters_is_seen(words):
    long = words * (100_000 // len(words))
    diff = shown([DiffBlock(0, (f"{long} The hive is old.",), (f"{long} The hive is new.",))])
    (line,) = changed_lines(diff)
    assert told(line).endswith("The hive is [-old-]{+new+}.")
    assert len(told(line)) < 200


def test_an_edit_late_in_a_long_paragraph_is_seen_everywhere(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", f"{LONG} The hive is old.", LONG.replace("winter", "summer"))
    site.crawl()
    site.pages["/"] = html("Bees", f"{LONG} The hive is new.", LONG.replace("winter", "summer"))
    assert site.revisit().substantive == 1
    folder = str(site.crawl_folder.path)
    assert "The hive is [-old-]{+new+}." in thresher("revisit", "--list", folder).out
    (item,) = json.loads(thresher("revisit", "--list", folder, "--json").out)
    assert len(item["words"]) == 1 and item["words"][0].endswith("The hive is [-old-]{+new+}.")
    assert item["diff"][0] != item["diff"][1]
    assert thresher("report", folder).code == 0
    report = site.crawl_folder.report.read_text()
    assert "<del>old</del><ins>new</ins>" in report
    feed = thresher("export", folder, "-f", "atom").out
    assert "The hive is &lt;del&gt;old&lt;/del&gt;&lt;ins&gt;new&lt;/ins&gt;." in feed
