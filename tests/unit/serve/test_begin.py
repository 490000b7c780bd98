"""A crawl begun in the browser: what it needs is said while it is typed, and a refusal leaves nothing."""

import pytest

from tests.unit.serve_examples import BEARER, crawl_in, served
from thresher.serve.processes import Processes


async def test_a_crawl_without_an_address_is_of_the_practice_web_or_is_not_begun(tmp_path):
    async with served(tmp_path) as client:

        async def told(path: str, topic: str) -> tuple[int, dict]:
            answer = await client.post(f"/api/v1/{path}", json={"topic": topic}, headers=BEARER)
            return answer.status, await answer.json()

        _, strange = await told("topics/understand", "solar cells")
        assert any("its topics are beekeeping" in line for line in strange["warnings"])
        _, known = await told("topics/understand", "围棋")
        assert not any("practice web" in line for line in known["warnings"])
        status, problem = await told("crawls", "solar cells")
        assert (status, problem["title"]) == (422, "No seed")
        assert "beekeeping" in problem["detail"]
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def spawned(monkeypatch) -> list[list[str]]:
    """The command lines of the crawls that would be begun."""
    lines: list[list[str]] = []
    monkeypatch.setattr(Processes, "_spawn", lambda self, folder, arguments: lines.append(arguments))
    return lines


async def test_what_a_topic_is_said_to_be_and_the_pause_become_flags_of_the_crawl(tmp_path, spawned):
    asked = {
        "topic": "cider",
        "keywords": ["apple wine", "--delay=0"],
        "description": "How cider is made",
        "examples": ["https://example.org/press"],
        "delay": 0.5,
        "contact": "me@example.org",
    }
    async with served(tmp_path) as client:
        answer = await client.post("/api/v1/crawls", json=asked, headers=BEARER)
        assert answer.status == 201, await answer.text()
        refused = await client.post("/api/v1/crawls", json=asked | {"delay": 0}, headers=BEARER)
        local = {"examples": ["file:///etc/passwd"], "name": "other"}
        unsafe = await client.post("/api/v1/crawls", json=asked | local, headers=BEARER)
    assert (refused.status, unsafe.status) == (400, 422)
    (line,) = spawned
    assert line[line.index("--keyword=apple wine") :][:6] == [
        "--keyword=apple wine",
        "--keyword=--delay=0",
        "--description=How cider is made",
        "--example=https://example.org/press",
        "--delay=0.5",
        "--set=contact=me@example.org",
    ]


async def test_keywords_that_are_added_stand_beside_those_of_the_crawl(tmp_path, spawned):
    crawl_in(tmp_path / "bees", keywords=("nectar",))
    async with served(tmp_path) as client:
        added = {"to": "running", "keywords": ["apiary"]}
        answer = await client.post("/api/v1/crawls/bees/state", json=added, headers=BEARER)
        assert answer.status == 202, await answer.text()
    assert spawned == [["resume", "--keyword=nectar", "--keyword=apiary", "--", str(tmp_path / "bees")]]
