"""What a crawl is made of follows from its settings and its strategy."""

import pytest

from thresher.build.parts import make_parser
from thresher.core.records import Candidate, Fetched, Url
from thresher.settings.model import Settings, StrategySettings

BODY = b"<title>Sites</title><p>Jo writes <a href='/jo'>here</a> about bees.</p>"


def contexts(strategy: str, depth: int) -> list[str]:
    candidate = Candidate(Url("http://a.test/"), depth=depth)
    parse = make_parser(Settings(strategy=StrategySettings(strategy)))
    return [link.context for link in parse(Fetched(candidate, candidate.url, 200, (), BODY)).links]


@pytest.mark.parametrize(
    ("strategy", "depth", "read"),
    [
        ("shark_search", 0, True),
        ("shark_search", 1, True),
        ("thresher", 0, True),
        ("thresher", 1, False),
        ("breadth_first", 0, False),
    ],
)
def test_the_context_of_links_is_read_where_the_strategy_looks_at_it(strategy: str, depth: int, read: bool):
    assert contexts(strategy, depth) == (["Jo writes here about bees."] if read else [""])
