"""Every example in examples/ runs and does what it says."""

import importlib
from pathlib import Path

from tests.command_line import thresher

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_every_example_has_its_test():
    tested = Path(__file__).read_text()
    assert [path.name for path in EXAMPLES.iterdir() if path.is_file() and path.stem not in tested] == []


def test_a_strategy_of_ones_own_runs_by_its_name_with_its_parameter(tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    asked = ["--strategy", "own_strategy:WordsFirst", "--set", "words_count=0.7", "--pages", "40"]
    ran = thresher("crawl", "beekeeping", *asked, "-o", str(tmp_path / "own"))
    assert ran.code == 0, ran.err
    assert " of 40 pages relevant" in ran.out
    assert "words_count = 0.7" in (tmp_path / "own" / "crawl.toml").read_text()


def test_the_own_strategy_prices_a_link_by_its_words(tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    thresher(
        "crawl",
        "beekeeping",
        "--strategy",
        "own_strategy:WordsFirst",
        "--pages",
        "30",
        "-o",
        str(tmp_path / "own"),
    )
    best = thresher("report", str(tmp_path / "own"), "--json")
    assert '"strategy": "own_strategy:WordsFirst"' in best.out


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
