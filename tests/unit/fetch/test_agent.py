"""Who we say we are, and when that is not enough."""

import pytest

from thresher.core.errors import SettingsError
from thresher.fetch.live import LiveWeb
from thresher.fetch.request_headers import contact_needed, product_token, user_agent


def test_the_agent_names_its_owner():
    assert user_agent("https://example.org/bot") == "thresher/0.1 (+https://example.org/bot)"
    assert user_agent() == "thresher/0.1"


def test_robots_files_know_us_by_one_word():
    assert product_token("thresher/0.1 (+https://example.org/bot)") == "thresher"


@pytest.mark.parametrize("contact", ["https://example.org/bot", "owner@example.org"])
def test_a_broad_crawl_with_a_contact_may_go(contact):
    assert not contact_needed(agent=user_agent(contact), pages=5000, leaves_domains=True, private=False)


@pytest.mark.parametrize("contact", ["", "call me", "example.org"])
def test_a_broad_crawl_without_one_is_refused_with_the_way_out(contact):
    sentence = contact_needed(agent=user_agent(contact), pages=5000, leaves_domains=True, private=False)
    assert "5,000 pages" in sentence and "web.contact" in sentence


@pytest.mark.parametrize(
    "crawl",
    [
        {"pages": 1000, "leaves_domains": True, "private": False},
        {"pages": 5000, "leaves_domains": False, "private": False},
        {"pages": 5000, "leaves_domains": True, "private": True},
    ],
)
def test_small_narrow_and_private_crawls_need_none(crawl):
    assert not contact_needed(agent=user_agent(), **crawl)


def test_a_crawl_without_a_limit_is_broad():
    assert contact_needed(agent=user_agent(), pages=None, leaves_domains=True, private=False)


@pytest.mark.parametrize("agent", ["me\r\nX-Injected: yes", "me\n", "me\0"])
def test_a_user_agent_that_is_more_than_a_line_is_refused(agent):
    """The settings of a folder may be somebody else's."""
    with pytest.raises(SettingsError, match="one line"):
        LiveWeb(agent=agent)
