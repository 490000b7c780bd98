"""What a strategy has learned is taken up by the version that wrote it; another refuses it in a sentence."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.core.progress import FinishKind
from thresher.store.folder import CrawlFolder


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


STRATEGIES = ("thresher", "jamali", "ratna", "ctfc", "mali")


def one_field_fewer(state: dict[str, object]) -> None:
    state["head"] = json.dumps(json.loads(str(state["head"]))[:-1])


def another_version(state: dict[str, object]) -> None:
    state["version"] = 99


@cache
def _crawl_of_ten(strategy: str) -> Path:
    """Return the folder of a crawl that the tests take copies of."""
    folder = Path(tempfile.mkdtemp(dir=Path.cwd().parent)) / "beekeeping"
    asked = ["beekeeping", "--pages", "10", "--strategy", strategy, "-o", str(folder)]
    assert thresher("crawl", *asked).code == 0
    return folder


def take_crawl(strategy: str) -> None:
    shutil.copytree(_crawl_of_ten(strategy), "beekeeping")


def crawled(strategy: str, change: Callable[[dict[str, object]], None]) -> str:
    """Take a crawl of ten pages, change the state that was kept, and return the URL of the last page."""
    take_crawl(strategy)
    Path("beekeeping/crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    connection = sqlite3.connect("beekeeping/crawl.db")
    (kept,) = connection.execute("SELECT value FROM fact WHERE name = 'state'").fetchone()
    state = json.loads(kept)
    change(state)
    connection.execute("UPDATE fact SET value = ? WHERE name = 'state'", (json.dumps(state),))
    connection.commit()
    (url,) = connection.execute("SELECT url FROM visit ORDER BY number DESC").fetchone()
    connection.close()
    return str(url)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_state_of_another_version_is_refused_by_every_strategy(strategy):
    crawled(strategy, another_version)
    refused = thresher("resume", "--pages", "12")
    assert refused.code == 2 and "Traceback" not in refused.err
    assert f"What {strategy} has learned in this crawl was written by another version of it" in refused.err


@pytest.mark.parametrize("strategy", ["thresher", "jamali", "ratna", "ctfc"])
def test_a_state_with_one_field_fewer_is_one_sentence_to_resume(strategy):
    crawled(strategy, one_field_fewer)
    refused = thresher("resume", "--pages", "12")
    assert refused.code == 2 and "Traceback" not in refused.err
    assert "begin anew with 'thresher crawl'" in refused.err.splitlines()[-1]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fact SET value = '99' WHERE name = 'filters_version'",
        "UPDATE filter_state SET signature = X'90'",
    ],
)
def test_what_another_gate_has_seen_is_one_sentence_to_resume(change):
    take_crawl("best_first")
    Path("beekeeping/crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    connection = sqlite3.connect("beekeeping/crawl.db")
    assert connection.execute(change).rowcount > 0
    connection.commit()
    connection.close()
    refused = thresher("resume", "--pages", "12")
    assert refused.code == 2 and "Traceback" not in refused.err
    assert refused.err.splitlines()[-1].startswith("What the gate has learned in this crawl was written by")


def test_a_state_that_cannot_be_read_leaves_the_rest_of_the_crawl_to_be_read():
    url = crawled("thresher", one_field_fewer)
    for verb in (("report",), ("why", url)):
        told = thresher(*verb)
        assert told.code == 0 and "Traceback" not in told.err
        assert "What thresher has learned in this crawl was written by another version of it" in told.err


def test_a_crawl_refused_for_its_state_ended_as_it_had_ended_and_goes_on_with_another_strategy():
    crawled("thresher", one_field_fewer)
    thresher("resume", "--pages", "12")
    store = CrawlFolder(Path("beekeeping")).open()
    finish = store.facts.finish
    store.close()
    assert finish and finish.kind is FinishKind.PAGES
    assert thresher("resume", "--pages", "12", "--set", "strategy=best_first").code == 0


def test_nothing_is_inherited_from_a_state_that_cannot_be_read():
    crawled("thresher", another_version)
    refused = thresher("crawl", "beekeeping", "--learn-from", "beekeeping", "-o", "again", "--pages", "5")
    assert refused.code == 2 and "another version" in refused.err
