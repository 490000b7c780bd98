"""The README and the pages for users promise commands; the command line understands every one of them."""

import re
from pathlib import Path

import pytest

from scripts.write_readme import PAGES as WRITTEN
from scripts.write_readme import page_of
from tests.command_line import thresher
from thresher.cli.main import MODES
from thresher.strategies import ALL_STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [README, *(page.read_text() for page in sorted((ROOT / "docs" / "use").glob("*.md")))]
COMMANDS = [command for page in PAGES for command in re.findall(r"^(?:\$ )?thresher ([^#\n]+)", page, re.M)]
VERBS = sorted({command.split()[0] for command in COMMANDS})
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_readme_is_made_of_its_parts_and_the_figures_of_results(name):
    assert (ROOT / name).read_text() == page_of(name), "its parts or a figure have changed: make docs"


@pytest.mark.parametrize("name", WRITTEN)
def test_a_readme_fits_on_130_lines_and_shows_two_commands_and_every_strategy(name):
    page = (ROOT / name).read_text()
    assert len(page.splitlines()) <= 130
    assert re.findall(r"^thresher (\w+)", page, re.M) == ["crawl", "serve"]
    assert set(re.findall(r"`--strategy (\w+)`", page)) == set(ALL_STRATEGIES)


def test_the_tutorial_shows_the_verbs_a_user_needs():
    page = (ROOT / "docs" / "use" / "tutorial.md").read_text()
    shown = set(re.findall(r"^thresher (\w+)", page, re.M))
    assert {"crawl", "resume", "export", "report", "settings", "strategies", "topic", "why"} <= shown


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_is_shown_has_help_that_knows_its_flags(verb):
    shown = [command for command in COMMANDS if command.split()[0] == verb]
    flags = {flag for command in shown for flag in re.findall(r"(?<!\S)--[a-z-]+", command)}
    assert {flag for flag in flags if flag not in help_of(verb, shown)} == set()


def help_of(verb: str, shown: list[str]) -> str:
    """Return the help of a verb, and of those below it that are shown: `topic show`."""
    words = {command.split()[1] for command in shown if verb in ("lab", "topic")}
    words |= {flag for mode, flag in MODES if mode == verb}
    asked = [[verb, "--help"], *([verb, word, "--help"] for word in sorted(words))]
    done = [thresher(*each) for each in asked]
    assert [each.err for each in done if each.code] == []
    return "".join(each.out for each in done)


@pytest.mark.parametrize("target", re.findall(r"^make (\w+)", README, re.M))
def test_a_make_target_of_the_readme_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)


@pytest.mark.parametrize("document", ["README.md", "docs/reference/python.md"])
def test_the_lines_of_python_run_as_they_stand(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall((ROOT / document).read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, document, "exec"), {})
    assert [folder.name for folder in tmp_path.iterdir() if (folder / "crawl.db").is_file()] != []
