"""The tutorial is followed word for word, on the practice web."""

import re
import shlex
from pathlib import Path

from tests.command_line import thresher

USE = Path(__file__).resolve().parents[1] / "docs" / "use"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.M | re.S)


def steps(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((USE / page).read_text())


def test_every_step_of_the_tutorial_works_in_its_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = "tutorial.md"
    told = ""
    for kind, text in steps(page):
        if kind == "python":
            exec(compile(text, page, "exec"), {})
            continue
        for line in text.strip().splitlines():
            program, *words = shlex.split(line, comments=True)
            ran = thresher(*words)
            assert (program, ran.code) == ("thresher", 0), f"{line}: {ran.err}"
            told += ran.out
    assert "relevant" in told


def test_the_tutorial_ends_with_pieces_for_retrieval_and_the_chinese_one_has_the_same_commands():
    english, chinese = (
        [text for kind, text in steps(page) if kind == "sh"] for page in ("tutorial.md", "tutorial.zh.md")
    )
    assert english == chinese
    assert any("-f markdown" in text for text in english)
