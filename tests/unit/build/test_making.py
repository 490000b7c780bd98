"""What a crawl is made of follows from its settings and its strategy."""

import pytest

from thresher.build.reading import make_parser
from thresher.core.records import Candidate, Fetched, Url
from thresher.settings.components import StrategySettings
from thresher.settings.load import read, written
from thresher.settings.model import Settings, WebSettings

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


@pytest.mark.parametrize(
    ("agent", "spoken_to"),
    [("", "thresher"), ("mybot/1.0", "mybot"), ("MyBot/2.0 (+https://a.test/bot)", "mybot")],
)
@pytest.mark.parametrize("name", ["thresher", "mybot"])
def test_what_a_page_asks_of_a_robot_is_obeyed_under_the_name_that_the_robot_gives(agent, spoken_to, name):
    """As in robots.txt, it is the product token of the user agent."""
    parse = make_parser(Settings(web=WebSettings(user_agent=agent)))
    candidate = Candidate(Url("http://a.test/"))
    meta = f"<meta name={name} content=noindex><p>Bees</p>".encode()
    header = (("x-robots-tag", f"{name}: nofollow"),)
    page = parse(Fetched(candidate, candidate.url, 200, header, meta))
    assert (page.noindex, page.nofollow) == (name == spoken_to, name == spoken_to)


@pytest.mark.parametrize(
    ("limits", "wait"),
    [
        ({"seconds": 30.0}, 0.0),  # the time is to be filled
        ({"seconds": 30.0, "pages": 0}, 0.0),
        ({"seconds": 30.0, "pages": 100}, None),  # as the time allows
        ({"seconds": 30.0, "relevant": 5}, None),
        ({"pages": 100}, None),
        ({}, None),
        ({"seconds": 30.0, "wait_for_better": 1.5}, 1.5),
    ],
)
def test_what_the_user_limits_decides_how_long_a_better_host_is_waited_for(limits, wait, tmp_path):
    settings = read(None, list(limits.items()))
    assert settings.web.wait_for_better == wait
    file = tmp_path / "crawl.toml"
    file.write_text(written(settings), encoding="utf-8")
    assert read(file).web.wait_for_better == wait
