"""A release is held when the list of relevant pages is too long or too short on seven labelled webs.

Run with -s to see the figures. Each web is judged by weights that never saw its labels, by the name of the
topic alone, after so many pages in two orders, and after all that links lead to. After 300 pages the list is
shown, not held: it is as short as the judge is timid while a crawl is full of its topic.
"""

import os
from pathlib import Path

import pytest

from thresher.judges.question.features import Effort, shipped_weights
from thresher_lab.corpus import Corpus
from thresher_lab.judge_bench import ALL, QUESTION, JudgeRow, bench, columns
from thresher_lab.judge_data import evidence_of, judged_web
from thresher_lab.judge_tables import binned, counted, median_of_times
from thresher_lab.setup import stage
from thresher_lab.tables import as_markdown

CORPORA = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "corpora"
WEBS = ("dev-enblogs", "dev-mdn", "dev-nlab", "dev-pydir", "dev-webkb", "dev-wikispeedia", "dev-zhblogs")
PAGES = (300, 1_000, 3_000, ALL)
HELD = (1_000, 3_000, "all")
FEWEST, MOST = 0.7, 1.4  # times as many pages called relevant as are, in the median of all topics

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def rows() -> list[JudgeRow]:
    """Return what the default judge says of every topic, a web at a time."""
    found: list[JudgeRow] = []
    for name in WEBS:
        with stage(Corpus(CORPORA / name)) as place:
            web = judged_web(place)
        table = evidence_of(web, [Effort.NAME], ())
        found += bench(table, columns([Effort.NAME], [QUESTION], PAGES), shipped_weights())
    print("", *(as_markdown(each(found)) for each in (counted, binned)), sep="\n\n")
    return found


@pytest.mark.parametrize("order", ["breadth_first", "focused"])
@pytest.mark.parametrize("pages", HELD)
def test_the_median_of_said_and_true_is_near_one(rows: list[JudgeRow], pages: int | str, order: str) -> None:
    some = [row for row in rows if (row.pages, row.order) == (pages, order)]
    assert FEWEST <= median_of_times(some) <= MOST
