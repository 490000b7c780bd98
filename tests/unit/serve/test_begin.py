"""A crawl begun in the browser: what it needs is said while it is typed, and a refusal leaves nothing."""

from tests.unit.serve_examples import BEARER, served


async def test_a_crawl_without_an_address_is_of_the_practice_web_or_is_not_begun(tmp_path):
    async with served(tmp_path) as client:

        async def told(path: str, topic: str) -> tuple[int, dict]:
            answer = await client.post(f"/api/v1/{path}", json={"topic": topic}, headers=BEARER)
            return answer.status, await answer.json()

        _, strange = await told("topics/understand", "solar cells")
        assert any("it knows beekeeping" in line for line in strange["warnings"])
        _, known = await told("topics/understand", "围棋")
        assert not any("practice web" in line for line in known["warnings"])
        status, problem = await told("crawls", "solar cells")
        assert (status, problem["title"]) == (422, "Nowhere to begin")
        assert "beekeeping" in problem["detail"]
    assert list(tmp_path.iterdir()) == []
