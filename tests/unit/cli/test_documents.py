"""JSON and CSV for programs: nothing of a page drives a terminal, nothing is computed in a spreadsheet."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import thresher
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.export.text import cell
from thresher.store.folder import CrawlFolder

pytestmark = pytest.mark.posix
pty = pytest.importorskip("pty")

ROOT = Path(__file__).resolve().parents[3]
ODD = "Bees \x9b31m and \u202eyenoh \x1b[2J\x7f"
URL = Url("http://a.test/")


@pytest.fixture
def crawl(tmp_path) -> Path:
    """A crawl of one page whose title would drive a terminal."""
    folder = CrawlFolder(tmp_path / "bees")
    store = folder.create()
    page = Page(URL, title=ODD, text=ODD)
    store.add(Visit(Candidate(URL), Outcome.FETCHED, 1.7e9, page, 0.9, status=200))
    store.close()
    return folder.path


def on_a_terminal(*arguments: str) -> str:
    """Return what a command shows on a terminal."""
    leader, follower = pty.openpty()
    program = "import sys; from thresher.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, stdout=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 1 << 16)
            except OSError:  # nobody writes any more
                break
            if not piece:
                break
            shown += piece
    os.close(leader)
    assert process.returncode == 0
    return shown.decode()


VERBS = {
    "why": ["why", URL, "{}", "--json"],
    "report": ["report", "{}", "--top", "3", "--json"],
    "export": ["export", "{}"],
    "csv": ["export", "{}", "-f", "csv"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_on_a_terminal_nothing_of_a_page_drives_it(verb, crawl):
    arguments = [word.format(crawl) for word in VERBS[verb]]
    shown = on_a_terminal(*arguments)
    assert "Bees" in shown
    assert {each for each in shown if not each.isprintable()} <= set("\r\n")
    if verb != "csv":
        told = thresher(*arguments).out
        assert "\u202e" in told  # a program gets it as it is
        assert json.loads(told) == json.loads(shown)


def read_back(*values: object) -> list[str]:
    """Return the cells of a row as a reader of CSV finds them."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow([cell(value) for value in values])
    (row,) = csv.reader(io.StringIO(text.getvalue(), newline=""))
    return row


@pytest.mark.parametrize(
    "text", ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1", "＋1", "－1", "＠1"]
)
def test_a_cell_of_text_is_no_formula_and_a_number_stays_one(text):
    assert read_back(text, -0.5) == [f"'{text}", "-0.5"]


@given(st.text(alphabet=st.sampled_from("=+-@\t\r\n＝＋－＠ 'a1(\""), min_size=1))
def test_no_cell_of_text_begins_like_a_formula(text):
    (title,) = read_back(text)
    assert title[0] not in "=+-@\t\r\n＝＋－＠"
    assert title.removeprefix("'") == text.removeprefix("'")
