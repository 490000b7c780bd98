"""The screens' own files: nothing of another address, nothing that the policy refuses, one way to draw."""

import re
from importlib.resources import files

import pytest

STATIC = files("thresher.serve") / "static"
SCRIPTS = [file for file in STATIC.iterdir() if file.name.endswith(".js")]
ALL = [file for file in STATIC.iterdir() if file.name.endswith((".js", ".css", ".html"))]


@pytest.mark.parametrize("file", ALL, ids=lambda file: file.name)
def test_a_file_names_no_other_address_and_no_inline_style_or_handler(file):
    text = file.read_text()
    assert re.findall(r"https?://(?!example\.org)[\w.-]+", text) == []
    assert (
        re.findall(r"""\s(?:style|on[a-z]+)="|javascript:|eval\(|new Function|setTimeout\(["'`]""", text)
        == []
    )


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_markup_is_made_and_drawn_in_one_place(file):
    """`html` escapes every value, `picture` lets shapes and words through; nobody else makes markup."""
    text = file.read_text()
    raw = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment", text)
    assert raw == (["innerHTML"] if file.name == "text.js" else [])
    assert re.findall(r"new Html\(", text) == (["new Html("] * 2 if file.name == "text.js" else [])
    assert re.findall(r"(?<!html)`\s*<[a-z]", text) == [] or file.name == "text.js"


@pytest.mark.parametrize("file", ALL, ids=lambda file: file.name)
def test_what_a_file_asks_for_is_there(file):
    asked = re.findall(r"/static/([\w-]+\.\w+)", file.read_text())
    assert [name for name in asked if not (STATIC / name).is_file()] == []


@pytest.mark.parametrize("file", ALL, ids=lambda file: file.name)
def test_a_file_is_short_and_shows_its_size(file):
    lines = file.read_text().splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 100] == []
    assert len(lines) <= 250
