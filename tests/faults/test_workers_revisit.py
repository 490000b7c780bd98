"""A revisit made with two workers finds what a revisit without them finds, and asks as politely."""

import json
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.faults.killing.evidence import acknowledged, check_clean
from tests.faults.killing.revisit import AgedSites
from tests.faults.killing.site import NETWORK

pytestmark = pytest.mark.timeout(120)

USUAL = ("--delay=0", "--concurrency=4", f"--allow-network={NETWORK}", "--set=web.throttle=false")


@pytest.fixture(scope="module")
def revisited(tmp_path_factory):
    """Crawl once, let the sites age, and look again at two copies: by one process, and by two workers."""
    place = tmp_path_factory.mktemp("revisited")
    with AgedSites(40) as sites:
        seeds = [f"--seed={seed}" for seed in sites.seeds]
        ran = thresher("crawl", "honey", "-o", str(place / "0"), *seeds, *USUAL, "--pages=0")
        assert ran.code == 0, ran.err
        shutil.copytree(place / "0", place / "2")
        sites.aged, asked = True, {}
        for workers in ("0", "2"):
            sites.hits.clear()
            ran = thresher("revisit", str(place / workers), "--once", f"--workers={workers}", *USUAL)
            assert ran.code == 0, ran.err
            asked[workers] = Counter(sites.hits)
    return place / "0", place / "2", asked


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(folder / "crawl.db")
    try:
        return sorted(database.execute(query).fetchall(), key=repr)
    finally:
        database.close()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT url, request, outcome, status, size, reason, detail, moved_to FROM visit",
        "SELECT url, kind FROM version",
        "SELECT kind FROM revisit",
        "SELECT key, title, language, page FROM page",
    ],
    ids=["visits", "versions", "revisits", "pages"],
)
def test_two_workers_find_what_one_process_finds(revisited, query):
    single, worked, _ = revisited
    assert rows(single, query) and rows(worked, query) == rows(single, query)


def test_every_page_is_asked_for_once_and_on_conditions_where_we_have_a_copy(revisited):
    single, worked, asked = revisited
    assert asked["2"] == asked["0"] and set(asked["2"].values()) == {1}
    unchanged = "SELECT url FROM visit WHERE outcome = 'unchanged'"
    assert rows(worked, unchanged) == rows(single, unchanged) != []


def test_changes_are_told_with_the_same_lines(revisited):
    single, worked, _ = revisited
    told = [
        json.loads(thresher("revisit", "--list", str(folder), "--all", "--json").out)
        for folder in (single, worked)
    ]
    same = [
        sorted((each["url"], each["kind"], each["substantive"], each["diff"]) for each in one) for one in told
    ]
    assert same[0] and same[1] == same[0]


def test_the_archive_of_it_is_clean(revisited):
    check_clean(revisited[1], acknowledged(revisited[1]))
