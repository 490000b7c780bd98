"""The part of a page worth reading: what is in it, and what is left out, in English and Chinese."""

from time import process_time

import pytest
from msgspec.structs import replace

from thresher.core.records import Candidate, Fetched, Fingerprint, Page, Url
from thresher.freshness.change import sound_change
from thresher.parse import parse
from thresher.parse.fingerprint import VERSION

HIVE = (
    "The keeper opens the hive on a warm day in March, and looks for eggs before anything else is done. "
    "A colony without eggs has lost its queen."
)
WAX = (
    "Wax is melted in a pot of water and poured through a cloth, so that the dirt of the comb stays behind. "
    "It takes an afternoon."
)
CHINESE = "养蜂人在三月一个温暖的日子打开蜂箱，先看有没有卵。没有卵的蜂群已经失去了蜂王，需要尽快补救。"
MENU = "<nav><a href=/a>Home</a> <a href=/b>Shop</a> <a href=/c>Contact us</a></nav>"


def page(markup: str) -> Page:
    url = Url("http://a.test/")
    headers = (("content-type", "text/html; charset=utf-8"),)
    return parse(Fetched(Candidate(url), url, 200, headers, markup.encode()))


def main(markup: str) -> str:
    return page(f"<html><body>{markup}</body></html>").main


FURNITURE = {
    "a menu": MENU,
    "a footer": "<footer><p>Published by the Bee Press, all rights reserved, since 1970.</footer>",
    "a side column": "<div class=sidebar><p>Sign up for our letters, which we send to you every week.</div>",
    "comments": "<div id=comments><p>First! What a wonderful page this is, I will come back soon.</div>",
    "a cookie notice": "<div class=cookie-consent><p>We use cookies to make this page better for you.</div>",
    "names in camel case": "<div class=relatedArticles><p>Read next how honey is made in ten steps.</div>",
    "links under a heading": "<h3>More</h3><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>",
}


@pytest.mark.parametrize("what", FURNITURE)
def test_furniture_is_left_out_and_the_article_is_not(what):
    markup = f"<article><h1>Bees</h1><p>{HIVE}<p>{WAX}</article>"
    found = main(f"{FURNITURE[what]}{markup}{FURNITURE[what]}")
    assert found == f"{HIVE}\n{WAX}"


def test_chinese_lines_are_prose_though_they_have_fewer_characters():
    assert main(f"{MENU}<div><h1>蜂</h1><p>{CHINESE}</div><div class=footer>版权所有</div>") == CHINESE


def test_an_element_that_is_called_furniture_but_holds_the_page_stays():
    assert main(f"<div class=print><p>{HIVE}<p>{WAX}</div>") == f"{HIVE}\n{WAX}"
    assert main(f"<form action=/><p>{HIVE}<p>{WAX}</form>") == f"{HIVE}\n{WAX}"


def test_the_lead_between_the_heading_and_the_article_belongs_to_it():
    lead = "What a keeper does in spring, told by one who has done it."
    found = main(f"<main><h1>Bees</h1><p>{lead}<div class=entry-content><p>{HIVE}<p>{WAX}</div></main>")
    assert found.startswith(lead)


def test_code_is_kept_to_its_last_line():
    found = main(f"<article><p>{HIVE}<p>{WAX}<pre>open(hive)\nx = 1</pre></article>{MENU}")
    assert found.endswith("open(hive)\nx = 1")


def test_a_list_behind_the_prose_is_kept_and_a_stray_line_is_not():
    items = "".join(f"<li>{what}" for what in ("smoker", "hive tool", "veil"))
    assert main(f"<div><p>{HIVE}<p>{WAX}<ul>{items}</ul></div>").endswith("smoker\nhive tool\nveil")
    assert main(f"<div><p>{HIVE}<p>{WAX}<p>Share this</div>") == f"{HIVE}\n{WAX}"


def test_a_page_of_short_lines_is_all_worth_reading():
    lines = [f"{number} March, Oakham" for number in range(1, 9)]
    assert main("".join(f"<p>{line}" for line in lines)).splitlines() == lines


def test_an_index_is_worth_reading_too():
    links = "".join(f"<li><a href=/{number}>Letter {number}</a>" for number in range(9))
    assert main(f"<h1>Letters</h1><ul>{links}</ul>").count("Letter ") == 9


def test_teasers_of_other_articles_at_the_end_are_left_out():
    teaser = "<h3><a href=/next>How honey is made</a></h3><p>Ten steps from the flower to the jar.</p>"
    markup = f"<article><p>{HIVE}</p><p>{WAX}</p><p>{HIVE}</p>{teaser * 3}</article>"
    assert main(markup) == f"{HIVE}\n{WAX}\n{HIVE}"


def test_signs_behind_headings_and_no_break_spaces_are_left_out_of_all_texts():
    found = page(f'<h2>Bees<a class="headerlink" href="#bees">¶</a></h2><p>{HIVE}\u00a0{WAX}')
    assert found.text == f"Bees\n{HIVE} {WAX}"
    assert "¶" not in found.main


@pytest.mark.parametrize("tag", ["aside", "article", "div class=comments"])
def test_elements_nested_without_end_cost_no_more_than_their_text(tag):
    """Each of 3,000 elements holds the whole text: to look at all of it each time would take minutes."""
    markup = f"<{tag}>" * 3_000 + f"<p>{HIVE}" * 5_000
    started = process_time()
    assert HIVE in main(markup)
    assert process_time() - started < 10


def test_main_texts_of_different_versions_are_not_compared():
    """A page whose words are not kept is compared by the digest of its main text."""
    old = Page(Url("http://a.test/"), fingerprint=Fingerprint(tags="t", digest="a", version=1))
    new = replace(old, fingerprint=replace(old.fingerprint, digest="b", version=VERSION))
    assert sound_change(old, new) is None
    assert sound_change(replace(old, fingerprint=replace(old.fingerprint, version=VERSION)), new) is not None


def test_the_main_text_is_the_same_whoever_asks_for_the_places_of_links():
    line = "The keeper of the hives walked to the heather with his smoker and a new queen that morning."
    body = f"<body><p>{line}<hr><a href=/a>x</a><br><a href=/b>y</a><br>{line}"
    url = Url("http://a.org/")
    fetched = Fetched(Candidate(url), url, 200, (("content-type", "text/html"),), body.encode())
    assert parse(fetched, offsets=True).main == parse(fetched, offsets=False).main == f"{line}\n{line}"
