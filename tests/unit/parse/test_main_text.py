"""The part of a page worth reading: what is in it, and what is left out, in English and Chinese."""

from time import process_time

import pytest
from msgspec.structs import replace

from thresher.core.records import Candidate, Fetched, Fingerprint, Page, Url
from thresher.freshness.change import sound_change
from thresher.parse import html, parse
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


BOILERPLATE = {
    "a menu": MENU,
    "a footer": "<footer><p>Published by the Bee Press, all rights reserved, since 1970.</footer>",
    "a side column": "<div class=sidebar><p>Sign up for our letters, which we send to you every week.</div>",
    "comments": "<div id=comments><p>First! What a wonderful page this is, I will come back soon.</div>",
    "a cookie notice": "<div class=cookie-consent><p>We use cookies to make this page better for you.</div>",
    "names in camel case": "<div class=relatedArticles><p>Read next how honey is made in ten steps.</div>",
    "links under a heading": "<h3>More</h3><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>",
}


@pytest.mark.parametrize("what", BOILERPLATE)
def test_furniture_is_left_out_and_the_article_is_not(what):
    markup = f"<article><h1>Bees</h1><p>{HIVE}<p>{WAX}</article>"
    found = main(f"{BOILERPLATE[what]}{markup}{BOILERPLATE[what]}")
    assert found == f"Bees\n{HIVE}\n{WAX}"


def test_chinese_lines_are_prose_though_they_have_fewer_characters():
    assert (
        main(f"{MENU}<div><h1>蜂</h1><p>{CHINESE}</div><div class=footer>版权所有</div>") == f"蜂\n{CHINESE}"
    )


def test_an_element_that_is_called_furniture_but_holds_the_page_stays():
    assert main(f"<div class=print><p>{HIVE}<p>{WAX}</div>") == f"{HIVE}\n{WAX}"
    assert main(f"<form action=/><p>{HIVE}<p>{WAX}</form>") == f"{HIVE}\n{WAX}"


def test_the_lead_between_the_heading_and_the_article_belongs_to_it():
    lead = "What a keeper does in spring, told by one who has done it."
    found = main(f"<main><h1>Bees</h1><p>{lead}<div class=entry-content><p>{HIVE}<p>{WAX}</div></main>")
    assert found.startswith(lead)


def test_a_lead_without_a_heading_belongs_to_the_article_if_it_is_near():
    lead = "What a keeper does in spring, told by one who has done it for forty years."
    found = main(f"{MENU}<p>{lead}<p>3 March<div class=article-body><p>{HIVE}<p>{WAX}<p>{HIVE}</div>")
    assert found.startswith(lead)


def test_paragraphs_in_two_boxes_are_one_text():
    boxes = f"<div><p>{HIVE}<p>{WAX}<p>{HIVE}</div><div><p>{WAX}<p>{HIVE}</div>"
    assert main(f"<body>{MENU}<div>{boxes}</div>").count("\n") == 4


def test_a_long_block_is_no_furniture_by_a_word_that_others_use_too():
    told = " ".join([HIVE, WAX, HIVE])
    found = main(f"<div><p>{HIVE}<div class=quickEdit><p>{told}</p></div><p>{WAX * 30}</div>")
    assert told in found


def test_what_holds_the_heading_is_no_furniture_whatever_its_name():
    article = f"<h1>Bees</h1><p>{HIVE}<p>{HIVE}<p>{WAX}<p>{WAX}"
    gallery = "".join(f"<p>{number}. {HIVE}" for number in range(6))
    assert WAX in main(f"<div class=left-navigation_page>{article}</div><div>{gallery}</div>")


@pytest.mark.parametrize("name", ["match-comment", "gallery__comment", "ForumComment", "social-embed"])
def test_a_reporter_comments_and_a_page_quotes(name):
    assert main(f"<div><p>{HIVE}<p class={name}>{WAX}<p>{HIVE}</div>") == f"{HIVE}\n{WAX}\n{HIVE}"


def test_addresses_that_are_spelled_out_are_kept():
    address = "https://bees.example/hive"
    assert address in main(f"<div><p>{HIVE}<p><a href={address}>{address}</a><p>{WAX}</div>")


def test_rows_of_a_table_that_has_headings_are_kept_though_they_are_links():
    rows = "".join(f"<tr><td><a href=/{name}>{name}</a>" for name in ("smoker", "veil"))
    found = main(f"<div><p>{HIVE}<table><tr><th>Tool</th></tr>{rows}</table><p>{WAX}</div>")
    assert found == f"{HIVE}\nTool\nsmoker\nveil\n{WAX}"


def test_words_are_whole_without_hyphens_that_are_not_seen_and_without_readings():
    found = page(
        f"<p>{HIVE}<p>bee&shy;keep\u00ading<p><ruby>養<rt>よう</rt></ruby><ruby>蜂<rt>ほう</rt></ruby>"
    )
    assert "beekeeping" in found.text
    assert "養蜂" in found.text


def test_what_browsers_without_scripts_are_shown_is_the_page_if_it_is_most_of_it():
    told = f"<p>{HIVE * 5}<p>{WAX * 5}"
    assert WAX in main(f"<h1>Bees</h1><script>show()</script><noscript>{told}</noscript>")
    notice = "<noscript><p>Please switch scripts on to read this page as it was meant to be.</noscript>"
    assert "scripts" not in page(f"<p>{HIVE}</p><p>{WAX}</p>{notice}").text


def test_code_is_kept_to_its_last_line():
    found = main(f"<article><p>{HIVE}<p>{WAX}<pre>open(hive)\nx = 1</pre></article>{MENU}")
    assert found.endswith("open(hive)\nx = 1")


def test_a_list_or_a_name_behind_the_prose_is_kept_and_what_a_page_ends_with_is_not():
    items = "".join(f"<li>{what}" for what in ("smoker", "hive tool", "veil"))
    assert main(f"<div><p>{HIVE}<p>{WAX}<ul>{items}</ul></div>").endswith("smoker\nhive tool\nveil")
    end = "".join(f"<p><a href=/{what}>{what}</a><p>or {what}" for what in ("share", "print", "shop", "ask"))
    found = main(f"<div><p>{HIVE}<p>{WAX}<p>Anne, keeper{end}</div>")
    assert found == f"{HIVE}\n{WAX}\nAnne, keeper"
    assert main(f"<p>{HIVE}</p><p>{WAX}</p><p>12 visitors") == f"{HIVE}\n{WAX}"


def test_a_list_before_the_prose_is_kept_and_a_line_or_two_over_its_heading_are_not():
    needs = "".join(f"<li>{what}" for what in ("smoker", "hive tool", "veil", "gloves"))
    assert main(f"<div><ul>{needs}</ul><p>{HIVE}<p>{WAX}</div>").startswith("smoker\nhive tool\nveil\n")
    found = main(f"<div><p>3 March<p>Oakham<h2>In spring</h2><p>{HIVE}<p>{WAX}</div>")
    assert found == f"In spring\n{HIVE}\n{WAX}"


def test_a_page_of_short_lines_is_all_worth_reading():
    lines = [f"{number} March, Oakham" for number in range(1, 9)]
    assert main("".join(f"<p>{line}" for line in lines)).splitlines() == lines


def test_an_index_is_worth_reading_too():
    links = "".join(f"<li><a href=/{number}>Letter {number}</a>" for number in range(9))
    assert main(f"<h1>Letters</h1><ul>{links}</ul>").count("Letter ") == 9
    assert main(f"<h1>Letters</h1><ul>{links}</ul><p>Made by the keeper.").count("Letter ") == 9


def test_teasers_of_other_articles_at_the_end_are_left_out():
    teaser = "<h3><a href=/next>How honey is made</a></h3><p>Ten steps from the flower to the jar.</p>"
    markup = f"<article><p>{HIVE}</p><p>{WAX}</p><p>{HIVE}</p>{teaser * 3}</article>"
    assert main(markup) == f"{HIVE}\n{WAX}\n{HIVE}"


def test_signs_behind_headings_and_no_break_spaces_are_left_out_of_all_texts():
    found = page(f'<h2>Bees<a class="headerlink" href="#bees">¶</a></h2><p>{HIVE}\u00a0{WAX}')
    assert found.text == f"Bees\n{HIVE} {WAX}"
    assert "¶" not in found.main


@pytest.mark.parametrize("tag", ["aside", "article", "div class=comments", "div"])
def test_elements_nested_without_end_cost_no_more_than_their_text(tag):
    """Each of 3,000 elements holds the whole text: to look at all of it each time would take minutes."""
    markup = f"<{tag}>" * 3_000 + f"<p>{HIVE}" * 5_000
    started = process_time()
    assert HIVE in main(markup)
    assert process_time() - started < 10


def test_a_table_that_is_laid_out_much_wider_than_written_is_not_laid_out_for_each_part_around_it():
    """Of 180 elements each holds the table, which is 40 times as long when it is laid out."""
    table = f"<p>{HIVE}<table><tr>{'<td>' * 900}x{'<tr><td>y' * 450}</table>"

    def took(times: int) -> float:
        started = process_time()
        assert HIVE in html.read("<div role=navigation class=ad>" * times + table, context=False).main
        return process_time() - started

    assert took(180) < 50 * min(took(1), took(1))


def test_many_parts_for_browsers_without_scripts_cost_no_more_than_their_text():
    """Each of 1,000 could be the page: to count the words of all of it each time would take 20 seconds."""
    markup = f"<p>{HIVE}" + f"<noscript>{'word ' * 210}</noscript>" * 1_000
    started = process_time()
    assert page(markup).text == HIVE
    assert process_time() - started < 2


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
