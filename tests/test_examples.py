"""Every example in examples/ runs and does what it says."""

import ast
import importlib
import json
import sys
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher import Candidate, Page, Topic, Url, open_crawl
from thresher.build.reading import make_parser
from thresher.core.records import Fetched
from thresher.settings.load import read

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PLUGINS = EXAMPLES / "plugins"


def test_every_example_has_its_test():
    tested = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.iterdir() if path.is_file() and path.stem not in tested] == []
    assert [path.name for path in PLUGINS.glob("*.py") if f'"{path.stem}' not in tested] == []


@pytest.fixture
def plugins(monkeypatch):
    """The folder of the plug-ins, as that in which thresher runs."""
    names = [path.stem for path in PLUGINS.glob("*.py")]
    monkeypatch.chdir(PLUGINS)
    monkeypatch.syspath_prepend(PLUGINS)
    yield
    for name in names:
        sys.modules.pop(name, None)


def test_a_plug_in_is_about_ten_lines():
    for path in PLUGINS.glob("*.py"):
        [kind] = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
        assert (kind.end_lineno or 0) - kind.lineno <= 16, path.name


def test_the_notebook_is_kept_without_outputs():
    """tests/clients runs it: notebook.ipynb by `make clients`."""
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text())
    assert [cell for cell in notebook["cells"] if cell.get("outputs") or cell.get("execution_count")] == []


def test_a_strategy_of_ones_own_runs_by_its_name_with_its_parameter(plugins, tmp_path):
    asked = ["--strategy", "strategy:WordsFirst", "--set", "words_count=0.7", "--pages", "40"]
    ran = thresher("crawl", "beekeeping", *asked, "-o", str(tmp_path / "own"))
    assert ran.code == 0, ran.err
    assert " of 40 pages relevant" in ran.out
    assert "words_count = 0.7" in (tmp_path / "own" / "crawl.toml").read_text()


def test_the_own_strategy_prices_a_link_by_its_words(plugins, tmp_path):
    thresher(
        "crawl",
        "beekeeping",
        "--strategy",
        "strategy:WordsFirst",
        "--pages",
        "30",
        "-o",
        str(tmp_path / "own"),
    )
    best = thresher("report", str(tmp_path / "own"), "--json")
    assert '"strategy": "strategy:WordsFirst"' in best.out


def test_two_strategies_from_python(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    rates = importlib.import_module("two_strategies").compare(tmp_path, pages=200)
    assert rates["best_first"] > rates["breadth_first"] > 0


def test_cider_from_a_file_with_flags_over_it(tmp_path):
    ran = thresher("crawl", str(EXAMPLES / "cider.toml"), "--pages", "30", "-o", str(tmp_path / "cider"))
    assert ran.code == 0, ran.err
    written = (tmp_path / "cider" / "crawl.toml").read_text()
    assert "pages = 30" in written
    assert "threshold = 0.12" in written
    assert "seconds = 600" in written


def test_a_judge_of_ones_own_counts_the_title_three_times_the_text(plugins):
    judge = importlib.import_module("judge").WordShare(Topic("green tea"))
    page = Page(Url("http://a.test/"), title="Tea in spring", text="How green leaves become tea")
    assert judge.similarity("Green tea") == 1.0
    assert judge.score(page) == pytest.approx(0.75 * 1 / 2 + 0.25 * 2 / 2)
    assert judge.score(Page(Url("http://a.test/"), title="Kites")) == 0.0 < judge.threshold


async def test_a_web_of_ones_own_answers_for_its_folder_and_nothing_else(plugins, tmp_path):
    inside = tmp_path / "site"
    inside.mkdir()
    (inside / "index.html").write_text("<title>Tea</title>")
    (tmp_path / "secret.html").write_text("not for you")
    web = importlib.import_module("web").FolderWeb(inside)
    asked = ["index.html", "no.html", "../secret.html"]
    answers = [await web.get(Candidate(Url(f"http://folder.localhost/{name}"))) for name in asked]
    assert [answer.status for answer in answers] == [200, 404, 404]
    await web.close()


def test_a_format_of_ones_own_writes_a_line_for_each_relevant_page(plugins, tmp_path):
    thresher("crawl", "beekeeping", "--pages", "30", "-o", str(tmp_path / "bees"))
    items = list(open_crawl(tmp_path / "bees").pages(relevant=True))
    asked = ["--relevant", "-f", "export_format:MarkdownList"]
    ran = thresher("export", str(tmp_path / "bees"), *asked)
    lines = ran.out.splitlines()
    assert lines[0] == f"* [{items[0].title}]({items[0].url}) {items[0].relevance:.2f}"
    assert len(lines) == len(items) > 0


def test_a_reader_of_ones_own_reads_what_is_spoken(plugins):
    settings = read(None, [("web.readers", ["document_reader:Subtitles"])])
    body = (
        b"WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nTea in spring\n\n2\n00:05.0 --> 00:07.0\nPick it young."
    )
    headers = (("content-type", "text/vtt"),)
    fetched = Fetched(Candidate(Url("http://a.test/t.vtt")), Url("http://a.test/t.vtt"), 200, headers, body)
    page = make_parser(settings)(fetched)
    assert (page.title, page.text) == ("Tea in spring", "Tea in spring\nPick it young.")
    assert make_parser(read())(fetched).text == ""


def test_a_label_source_of_ones_own_labels_what_a_sheet_has_ticked(plugins, tmp_path, monkeypatch):
    thresher("crawl", "beekeeping", "--pages", "10", "-o", str(tmp_path / "bees"))
    first, second, *_ = open_crawl(tmp_path / "bees").pages()
    sheet = tmp_path / "ticked.tsv"
    sheet.write_text(f"✓\t{first.url}\n✗\t{second.url}\n?\thttp://a.test/\n", encoding="utf-8")
    monkeypatch.setenv("SHEET", str(sheet))
    ran = thresher("label", str(tmp_path / "bees"), "--from", "label_source:Sheet")
    assert ran.out.startswith("2 pages labelled."), ran.err
    said = {item.url: item.label for item in open_crawl(tmp_path / "bees").pages(labelled=True)}
    assert said == {first.url: "yes", second.url: "no"}
