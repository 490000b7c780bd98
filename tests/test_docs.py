"""The documents are complete and current: every setting, verb and strategy has its place."""

import asyncio
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.write_docs import PAGES
from thresher.build.crawl import run
from thresher.cli.main import MODES, thresher
from thresher.settings.load import ALIASES, all_names, described, read
from thresher.store.folder import CrawlFolder
from thresher.store.trust import GUARDED
from thresher.strategies import ALL_STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
TOLD_BY_WHAT_THEY_HOLD = {
    "strategy.name",
    "judge.name",
    "web.kind",
    "web.readers",
    "topic.examples",
    "topic.negatives",
}
"""Settings that are guarded only where they hold a class or a file, which is what the document says."""


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_current(page):
    assert (REFERENCE / page).read_text() == PAGES[page](), "the code has changed: make docs"


@pytest.mark.parametrize("name", all_names())
def test_every_setting_has_its_row_with_default_and_sentence(name):
    page = (REFERENCE / "settings.md").read_text()
    assert re.search(rf"^\| `{re.escape(name)}` \| `.+` \| .+\. \|", page, re.M)


def test_the_threshold_has_its_default_and_its_reason():
    page = (REFERENCE / "settings.md").read_text()
    assert re.search(r"^\| `judge\.threshold` \| .* \| .*the judge's own.*Chen et al\. 2009", page, re.M)


def test_every_setting_has_a_sentence():
    assert {name for name, _, _ in described()} == set(all_names())
    assert [name for name, _, sentence in described() if not sentence.endswith(".")] == []


@pytest.mark.parametrize("alias", ALIASES)
def test_every_name_from_scrapy_is_listed(alias):
    assert f"`{alias}`" in (REFERENCE / "settings.md").read_text()


@pytest.mark.parametrize("name", [each for each in GUARDED if each not in TOLD_BY_WHAT_THEY_HOLD])
def test_every_setting_that_reaches_beyond_a_crawl_is_named_to_who_asks_about_security(name):
    assert f"`{name}`" in (ROOT / "SECURITY.md").read_text()


@pytest.mark.parametrize(
    "package", sorted(path.parent.name for path in ROOT.glob("src/thresher/*/__init__.py"))
)
def test_every_room_has_a_line_for_who_looks_where_to_change_something(package):
    assert f"`{package}/" in (DOCS / "extend" / "where-to-change.md").read_text()


@pytest.mark.parametrize("verb", [*thresher.sentences(), *map(" ".join, MODES)])
def test_every_verb_has_its_heading(verb):
    assert f"\n## {verb}\n" in (REFERENCE / "commands.md").read_text()


@pytest.mark.parametrize("strategy", ALL_STRATEGIES)
def test_every_strategy_has_its_row_in_how_good_it_is(strategy):
    page = (DOCS / "trust" / "how-good.md").read_text()
    assert re.search(rf"^\| \[?`{strategy}`.* \| 0\.\d+ \|", page, re.M)


def test_the_way_of_one_page_has_its_twelve_steps_in_order():
    steps = re.findall(r"^(\d+)\. \*\*", (DOCS / "extend" / "architecture.md").read_text(), re.M)
    assert steps == [str(number) for number in range(1, 13)]


def test_the_architecture_names_every_stage_of_the_pipeline_in_order():
    stages = "fetch read check judge store strategy labels filters frontier stop observers".split()
    page = (DOCS / "extend" / "architecture.md").read_text()
    assert [name for name in re.findall(r"^\| (\w+) \| ", page, re.M) if name != "stage"] == stages


MILESTONES = [  # one for each step of the page from the fifth on, as a real crawl passes them
    ("frontier/frontier.py", "take"),
    ("engine/workers.py", "send"),
    ("engine/read.py", "read"),
    ("parse/document.py", "parse"),
    ("text/page_record.py", "record_of"),
    ("filters/pages.py", "drop_missing"),
    ("judges/question/learned.py", "update"),
    ("judges/question/judge.py", "question_score"),
    ("store/database.py", "add"),
    ("frontier/frontier.py", "done"),
    ("core/progress.py", "add"),
    ("strategies/learned/strategy.py", "on_visit"),
    ("filters/filters.py", "admit"),
    ("frontier/frontier.py", "update"),
    ("frontier/frontier.py", "push"),
    ("filters/filters.py", "commit"),
]


def test_a_real_crawl_passes_what_the_architecture_names_in_that_order(tmp_path):
    calls = traced(tmp_path)
    start = len(calls) - 1 - calls[::-1].index(("engine/workers.py", "send"))
    start = start - 1 - calls[:start][::-1].index(("frontier/frontier.py", "take"))
    passed = iter(calls[start:])
    assert [each for each in MILESTONES if each not in passed] == []
    page = (DOCS / "extend" / "architecture.md").read_text()
    steps = page[page.index("4. **The frontier") : page.index("Then everything else")]
    assert {path for path, _ in MILESTONES} <= set(re.findall(r"`([a-z_0-9]+/[a-z_0-9/]+\.py)`", steps))


def traced(folder):
    """Return the calls of our own functions in a crawl of a few pages, one visit at a time."""
    calls, home = [], str(ROOT / "src" / "thresher") + "/"

    def note(frame, event, argument):
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(home):
            calls.append((path.removeprefix(home), frame.f_code.co_name))

    settings = read(None, [("topic", "beekeeping"), ("pages", 4), ("web.concurrency", 1)])
    sys.setprofile(note)
    try:
        asyncio.run(run(settings, CrawlFolder(folder / "bees")))
    finally:
        sys.setprofile(None)
    return calls


def test_every_document_has_its_door():
    doors = (DOCS / "README.md").read_text()
    pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md") if page.parent != DOCS]
    assert [str(page) for page in pages if f"({page})" not in doors] == []


def test_the_picture_of_the_demo_draws_both_strategies_twice():
    picture = ElementTree.fromstring((DOCS / "images" / "harvest.svg").read_text())
    names = ["".join(text.itertext()).split()[-1] for text in picture.iter() if text.tag.endswith("text")]
    assert (names.count("thresher"), names.count("breadth_first")) == (2, 2)


@pytest.mark.parametrize("drawn", ["thresher", "breadth_first", "ctfc", "label_oracle"])
def test_the_picture_of_the_readme_sets_us_beside_breadth_first_the_best_paper_and_the_bound(drawn):
    picture = ElementTree.fromstring((DOCS / "images" / "recall.svg").read_text())
    names = {"".join(text.itertext()).split("+")[0] for text in picture.iter() if text.tag.endswith("text")}
    assert drawn in names


def words(text: str) -> int:
    return len(text.split())


def test_the_documents_are_short_and_few():
    """A page answers one question; what a help text or the code says is not said again."""
    pages = [page for page in DOCS.rglob("*.md") if page.name not in ("commands.md", "settings.md")]
    assert sum(words(page.read_text()) for page in pages) <= 30_000
    assert len(pages) <= 58


def test_results_are_tables_with_few_words_between():
    lines = [line for page in (ROOT / "results").rglob("*.md") for line in page.read_text().splitlines()]
    assert words("\n".join(line for line in lines if not line.startswith("|"))) <= 13_000


def test_the_changelog_of_a_version_takes_sixty_lines():
    _, *versions = re.split(r"^## \[(?!Unreleased)", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    assert versions and all(len(version.splitlines()) <= 60 for version in versions)
