"""The documents are complete and current: every setting, verb and strategy has its place."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.write_docs import PAGES
from thresher.cli.main import VERBS
from thresher.settings.load import ALIASES, all_names, described
from thresher.strategies import ALL_STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"


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


@pytest.mark.parametrize("verb", VERBS)
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
    stages = "fetch read check store strategy labels gate frontier stop observers".split()
    page = (DOCS / "extend" / "architecture.md").read_text()
    assert [name for name in re.findall(r"^\| (\w+) \| ", page, re.M) if name != "stage"] == stages


def test_every_document_has_its_door():
    """Three doors, and no page that only a search finds."""
    doors = (DOCS / "README.md").read_text()
    pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md") if page.parent != DOCS]
    assert [str(page) for page in pages if f"({page})" not in doors and "papers" not in page.parts] == []


def test_the_readme_fits_on_sixty_lines():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 60


def test_the_picture_of_the_demo_draws_both_strategies_twice():
    picture = (DOCS / "images" / "harvest.svg").read_text()
    ElementTree.fromstring(picture)
    assert (picture.count("thresher"), picture.count("breadth_first")) == (2, 2)


@pytest.mark.parametrize("drawn", ["thresher", "breadth_first", "ctfc", "label_oracle"])
def test_the_picture_of_the_readme_sets_us_beside_breadth_first_the_best_paper_and_the_bound(drawn):
    picture = ElementTree.fromstring((DOCS / "images" / "recall.svg").read_text())
    names = {"".join(text.itertext()).split("+")[0] for text in picture.iter() if text.tag.endswith("text")}
    assert drawn in names
