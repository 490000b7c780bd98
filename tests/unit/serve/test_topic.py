"""A topic edited in the browser: what is applied is what was changed, and nothing beside."""

from tests.unit.serve_examples import BEARER, crawl_in, served
from thresher.serve.topics import examples_of
from thresher.store.folder import CrawlFolder


async def test_words_that_are_applied_alone_leave_the_threshold_to_the_judge(tmp_path):
    crawl_in(tmp_path / "bees")
    async with served(tmp_path) as client:
        words = {"keywords": {"bee": 1.0}}
        answer = await client.put("/api/v1/crawls/bees/topic", json=words, headers=BEARER)
        assert answer.status == 200, await answer.text()
    asked = CrawlFolder(tmp_path / "bees").asked()
    assert (asked.topic.keywords, asked.judge.threshold) == ({"bee": 1.0}, None)


def test_examples_are_half_of_each_kind_and_more_of_one_where_the_other_is_rare():
    many_in, many_out = range(40), range(100, 140)
    assert examples_of(many_in, many_out) == [*range(10), *range(100, 110)]
    assert examples_of(many_in, many_out[:3]) == [*range(17), *range(100, 103)]
    assert examples_of(many_in[:3], many_out) == [*range(3), *range(100, 117)]
    assert examples_of(many_in[:0], many_out) == [*range(100, 120)]
