"""Who we say we are, and when that is not enough."""

import pytest

from thresher.core.errors import SettingsError
from thresher.fetch.live import LiveWeb
from thresher.fetch.request_headers import contact_needed, product_token, robots_token_of, user_agent
from thresher.settings.model import WebSettings


def test_the_agent_names_its_owner():
    assert user_agent("https://example.org/bot") == "thresher/0.1 (+https://example.org/bot)"
    assert user_agent() == "thresher/0.1"


def test_robots_files_know_us_by_one_word():
    assert product_token("thresher/0.1 (+https://example.org/bot)") == "thresher"


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "googlebot"),
        ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "bingbot"),
        ("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "yandexbot"),
        ("Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "ahrefsbot"),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)", "gptbot"),
        ("Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)", "archive"),
        ("Mozilla/5.0 (compatible; heritrix/3.4.0 +https://example.org)", "heritrix"),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", "ccbot"),
        ("DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "duckduckbot"),
        ("Scrapy/2.13 (+https://scrapy.org)", "scrapy"),
    ],
)
def test_a_crawler_behind_mozilla_is_known_by_its_own_name(agent, token):
    assert robots_token_of(WebSettings(user_agent=agent)) == token


@pytest.mark.parametrize("agent", ["Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "2bot/1.0", "爬虫/1.0"])
def test_an_agent_without_a_name_for_robots_txt_needs_one(agent):
    with pytest.raises(SettingsError, match=r"web\.robots_token"):
        robots_token_of(WebSettings(user_agent=agent))
    assert robots_token_of(WebSettings(user_agent=agent, robots_token="tea-crawler")) == "tea-crawler"


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
