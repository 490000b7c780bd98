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


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_current(page):
    assert (DOCS / page).read_text() == PAGES[page](), "the code has changed: make docs"


@pytest.mark.parametrize("name", all_names())
def test_every_setting_has_its_row_with_default_and_sentence(name):
    page = (DOCS / "settings.md").read_text()
    assert re.search(rf"^\| `{re.escape(name)}` \| `.+` \| .+\. \|", page, re.M)


def test_the_threshold_has_its_default_and_its_reason():
    page = (DOCS / "settings.md").read_text()
    assert re.search(r"^\| `judge\.threshold` \| .* \| .*the judge's own.*Chen et al\. 2009", page, re.M)


def test_every_setting_has_a_sentence():
    assert {name for name, _, _ in described()} == set(all_names())
    assert [name for name, _, sentence in described() if not sentence.endswith(".")] == []


@pytest.mark.parametrize("alias", ALIASES)
def test_every_name_from_scrapy_is_listed(alias):
    assert f"`{alias}`" in (DOCS / "settings.md").read_text()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_heading(verb):
    assert f"\n## {verb}\n" in (DOCS / "commands.md").read_text()


@pytest.mark.parametrize("strategy", ALL_STRATEGIES)
def test_every_strategy_is_in_the_readme(strategy):
    assert f"`{strategy}`" in (ROOT / "README.md").read_text()


def test_the_walk_has_its_twelve_steps_in_order():
    steps = re.findall(r"^(\d+)\. \*\*", (DOCS / "walk.md").read_text(), re.M)
    assert steps == [str(number) for number in range(1, 13)]


def test_the_picture_of_the_readme_draws_both_strategies_twice():
    picture = (DOCS / "images" / "harvest.svg").read_text()
    ElementTree.fromstring(picture)
    assert (picture.count("thresher"), picture.count("breadth_first")) == (2, 2)
