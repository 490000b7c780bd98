"""robots.txt against Google's own tests and specification suite, and the statuses of crawler-commons."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from thresher.core.records import Candidate, Fetched
from thresher.core.url import parse
from thresher.fetch.robots import RobotsGate, parse_robots


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "")) / "faults/data/robots"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for row in json.loads((folder / name).read_text()) if isinstance(row, dict)]


def body(row: dict[str, Any]) -> bytes:
    return base64.b64decode(row["robots_b64"]) if "robots_b64" in row else row["robots"].encode()


def wrong(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    verdicts = [parse_robots(body(case), case["agent"]).verdict(case["url"]).allowed for case in cases]
    return [case for case, allowed in zip(cases, verdicts, strict=True) if allowed != case["allowed"]]


@pytest.mark.parametrize(("name", "count"), [("google_spec_test.json", 378), ("google_robots_test.json", 72)])
def test_every_standard_case_of_google(folder: Path, name: str, count: int):
    cases = [row for row in rows(folder, name) if not row["google_specific"]]
    assert len(cases) == count
    assert wrong(cases) == []


def test_what_is_googles_own_differs_in_two_rules_only(folder: Path):
    """`index.html` standing for its folder, and names with a space in them."""
    cases = [
        row for name in ("google_spec_test.json", "google_robots_test.json") for row in rows(folder, name)
    ]
    ours = [
        case for case in wrong(cases) if len(body(case)) < 2000
    ]  # their limit of a line's length is not ours
    assert {case["url"] for case in ours} <= {"http://foo.com/allowed-slash/", "http://foo.bar/x/y"}


def test_hostile_files_are_read_in_bounded_time(folder: Path):
    for name in ("crawler_commons_robots.json", "protego_robots.json"):
        for row in rows(folder, name):
            rules = parse_robots(body(row), "thresher")
            rules.verdict("http://example.org/any/path?query=1")


async def test_statuses_mean_what_crawler_commons_says(folder: Path):
    cases = [row for row in rows(folder, "crawler_commons_http_status.json") if row["status"] != 301]
    assert len(cases) == 21
    for case in cases:

        async def ask(candidate: Candidate, max_bytes: int, status: int = case["status"]) -> Fetched:
            return Fetched(candidate, candidate.url, status)

        answer = await RobotsGate(ask, "thresher").answer(parse("http://example.org/"))
        assert (answer.refusal is None) == case["allow_all"], case
