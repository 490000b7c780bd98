"""A spider whose scheduler is ours asks for the pages of its topic first, and loses nothing of its own."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.spider_site import EVERY
from thresher.store.folder import CrawlFolder

FOCUSED = {"SCHEDULER": "thresher.scrapy.FocusedScheduler", "THRESHER_TOPIC": "beekeeping"}


def crawled(**settings: Any) -> dict[str, Any]:
    """Return what a spider asked for and scraped, in a process of its own: a reactor runs once."""
    command = [sys.executable, "-m", "tests.spider_site", json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout) | {"said": done.stderr}


def on_topic(paths: list[str]) -> int:
    """Count the pages about bees."""
    return sum(path[2:].isdigit() and int(path[2:]) % EVERY == 0 for path in paths)


@pytest.fixture(scope="module")
def focused() -> dict[str, Any]:
    return crawled(**FOCUSED, CLOSESPIDER_PAGECOUNT=80)


def test_the_pages_of_the_topic_come_first(focused):
    plain = crawled(CLOSESPIDER_PAGECOUNT=80)
    assert on_topic(focused["asked"]) >= 1.5 * on_topic(plain["asked"])


def test_what_is_no_plain_link_passes_through(focused):
    assert "POST /form" in focused["asked"]
    assert {"url", "form"} <= set(next(item for item in focused["items"] if "form" in item))


def test_a_redirect_is_one_page_of_the_topic(focused):
    (item,) = [each for each in focused["items"] if each["url"].endswith("/p6")]
    assert item["thresher"]["relevant"]


def test_a_callback_hears_price_relevance_and_why(focused):
    said = [item["thresher"] for item in focused["items"] if item.get("thresher")]
    assert all(set(each) == {"price", "relevance", "relevant", "why"} for each in said)
    assert any("link 'hive" in each["why"] or "link 'bees" in each["why"] for each in said)
    assert focused["stats"]["thresher/pages"] == len(said)
    assert focused["stats"]["thresher/relevant"] > 20


def test_without_a_topic_the_spider_is_closed_with_a_sentence():
    done = crawled(SCHEDULER=FOCUSED["SCHEDULER"])
    assert done["asked"] == [] and done["stats"]["finish_reason"] == "thresher_failed"
    assert "THRESHER_TOPIC" in done["said"] and "Traceback" not in done["said"]


def test_a_job_directory_is_a_folder_that_can_be_read_and_gone_on_with(tmp_path):
    job = str(tmp_path / "job")
    first = crawled(**FOCUSED, JOBDIR=job, CLOSESPIDER_PAGECOUNT=30)
    with CrawlFolder(tmp_path / "job").open() as store:
        assert len(list(store.visits())) >= 30
    assert first["stats"]["thresher/pages"] >= 30


def test_another_topic_in_the_same_job_directory_is_refused(tmp_path):
    job = str(tmp_path / "job")
    crawled(**FOCUSED, JOBDIR=job, CLOSESPIDER_PAGECOUNT=5)
    done = crawled(**FOCUSED | {"THRESHER_TOPIC": "railways"}, JOBDIR=job)
    assert done["asked"] == [] and "'beekeeping'" in done["said"] and "Traceback" not in done["said"]


def test_the_spider_ends_when_enough_was_found():
    done = crawled(**FOCUSED, THRESHER_STOP_BELOW=0.3)
    assert done["stats"]["finish_reason"] == "thresher_poor_forecast"
