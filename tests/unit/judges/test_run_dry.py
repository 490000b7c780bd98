"""Crawls of the practice web until nothing is left to visit: as many pages are called relevant as are."""

import pytest

from tests.command_line import thresher
from tests.nightly import cases
from tests.unit.practice_crawl import web_of
from thresher.judges.question.judge import THRESHOLD
from thresher.store.folder import CrawlFolder

HERE = [("beekeeping", "thresher", 1.1), ("书法", "breadth_first", 2.0)]
CRAWLS = [
    *HERE,
    ("beekeeping", "breadth_first", 1.1),
    ("sailing", "thresher", 1.1),
    ("书法", "thresher", 2.0),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("run", cases(CRAWLS, HERE), ids=str)
def test_a_crawl_run_dry_says_as_many_as_there_are(tmp_path, run):
    """Links lead to 202 pages about a topic; the list was ten times as long when leftovers set the scale."""
    topic, strategy, times = run
    asked = ["--strategy", strategy, "--pages", "0", "-o", str(tmp_path / "dry")]
    assert thresher("crawl", topic, *asked).code == 0
    store, wanted = CrawlFolder(tmp_path / "dry").open(), web_of(1).labels(topic)
    try:
        fetched = [visit.candidate.url for visit in store.visits() if visit.outcome.value == "fetched"]
        then = sum(store.history(url)[0].relevance >= THRESHOLD for url in fetched)
        listed = {url for url in fetched if (store.judged(url) or 0.0) >= store.facts.threshold}
    finally:
        store.close()
    true = len(wanted.intersection(fetched))
    assert true >= 202
    assert true / times <= len(listed) <= true * times
    assert len(listed) <= 1.25 * then
