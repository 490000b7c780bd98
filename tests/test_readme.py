"""The README promises commands; the command line understands every one of them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^\.venv/bin/thresher ([^#\n]+)", README, re.M)
VERBS = sorted({command.split()[0] for command in COMMANDS})


def test_the_readme_shows_the_verbs_a_user_needs():
    assert {"crawl", "resume", "export", "report", "settings", "strategies", "topic", "why"} <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_of_the_readme_has_help_that_knows_its_flags(verb):
    done = subprocess.run([sys.executable, "-m", "thresher", verb, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = [command for command in COMMANDS if command.split()[0] == verb]
    flags = {flag for command in shown for flag in re.findall(r"--[a-z-]+", command)}
    assert {flag for flag in flags if flag not in done.stdout} == set()


@pytest.mark.parametrize("target", re.findall(r"^make (\w+)", README, re.M))
def test_a_make_target_of_the_readme_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)
