"""Pages written to hurt: none raises, none is kept whole, and each ends within the time a test may take."""

import json
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.parse_examples import fetched, page, targets
from thresher.core.records import Page
from thresher.parse import parse

MILLION = 1_000_000
HOSTILE = {
    "nesting": "<div>" * 100_000,
    "formatting": "<b><i><font>" * 50_000,
    "formatting in blocks": "<b><p>" * 300_000,
    "tables in tables": "<table><tr><td>" * 20_000,
    "anchors in tables in anchors": "<a href=/n><table><td>word " * 20_000,
    "hidden in hidden": "<div hidden><a href=/n>word</a>" * 50_000,
    "one letter": "<" * 8 * MILLION,
    "attributes": "<a " + " ".join(f"a{number}=1" for number in range(MILLION)) + ">",
    "the same attribute": "<a " + "x=1 " * MILLION + ">",
    "a tag of quotes": "<a " + '"' * 2 * MILLION + ">",
    "a long attribute": "<a title='" + "x" * 8 * MILLION + "'>",
    "references": "&amp;&lt;&#x110000;&#xD800;&#0;&nosuch;" * 50_000,
    "a long reference": "&#" + "1" * MILLION + ";",
    "links": "".join(f"<a href=/{number}>word</a> " for number in range(100_000)),
    "zeros": "\0" * MILLION,
    "our own marks": "&#2;7&#3;word&#4;" * 50_000,
    "menus": "<nav>" * 100_000,
    "drawings": "<svg><title>" * 50_000,
    "templates": "<template><a href=/n>" * 50_000,
    "lists": "<ul><li><a href=/n>word</a>" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_parsed_within_its_caps(name):
    found = page(HOSTILE[name])
    assert len(found.links) <= 5_000
    assert len(found.text) <= MILLION
    assert sum(len(link.place) for link in found.links) <= 5_000 * 1_000


def test_a_link_behind_a_long_attribute_or_many_attributes_is_found():
    assert targets(page(f"<a title='{'x' * 8 * MILLION}' href=/last>x</a>")) == ["http://a.com/last"]
    assert targets(page(f"<a {'x=1 ' * 50_000} href=/last>x</a>")) == ["http://a.com/last"]


def test_a_link_below_any_number_of_elements_is_found():
    assert targets(page("<div>" * 100_000 + "<a href=/last>x</a>")) == ["http://a.com/last"]


def test_only_so_many_bytes_are_read():
    body = "<p>seen</p>" + " " * 100 + "<p>not seen</p>"
    assert parse(fetched(body), max_bytes=60).text == "seen"


def assert_storable(found: Page) -> None:
    """Whatever was parsed can be written as JSON and into SQLite, in UTF-8."""
    texts = [found.title, found.text, found.main, found.language, found.charset, str(found.url)]
    texts += [
        part
        for link in found.links
        for part in (link.target, link.anchor, link.context, link.rel, link.place)
    ]
    for text in texts:
        assert json.loads(json.dumps(text).encode()) == text
        text.encode()
    with sqlite3.connect(":memory:") as database:
        assert database.execute("SELECT ?", (found.text,)).fetchone() == (found.text,)
    database.close()


@given(
    st.binary(max_size=400),
    st.sampled_from(["text/html", "", "text/plain", "application/rss+xml", "text/html; charset=x"]),
)
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise(body, content_type):
    assert_storable(page(body, content_type=content_type))


TAGS = ["<title>", "<html lang=", "<base href=", "<a href=", "<iframe src=", "<img src=", "<svg xlink:href="]
METAS = [
    "<link rel=canonical href=",
    "<meta name=robots content=",
    "<meta http-equiv=refresh content='0;url=",
]
VALUES = [
    "http://",
    "javascript:",
    "//",
    "/b>",
    "?q=中&x",
    "[",
    "%zz",
    "#",
    "'>",
    ">",
    "é",
    "\0",
    "<p hidden>",
]
MARKS = ["&#2;", "&#3;", "&#4;", "0", "&#xD800;", "\ud7ff", "\x02", "\x03", "\x04"]
ALMOST = st.sampled_from([*TAGS, *METAS, *VALUES, *MARKS])


@given(
    st.lists(ALMOST | st.text(max_size=8), max_size=30).map("".join),
    st.sampled_from(["utf-8", "gb18030", "utf-16"]),
)
@settings(max_examples=300, deadline=None)
def test_no_almost_page_raises(markup, encoding):
    body = markup.encode(encoding, "replace")
    assert_storable(page(body, content_type=f"text/html; charset={encoding}"))
    assert page(body, content_type="text/html") == page(body, content_type="text/html")


HEADER = st.text(st.characters(codec="latin-1"), max_size=40)


@given(HEADER, HEADER, HEADER, HEADER)
@settings(deadline=None)
def test_no_header_raises(content_type, tag, link, language):
    page("<p>x", content_type=content_type, x_robots_tag=tag, link=link, content_language=language)
    page("<p>x", x_robots_tag=f"unavailable_after: {tag}", link=f"<{link}>; rel=canonical")


@pytest.mark.parametrize("start", [b" " * 1_000 + b"x", b"<!-- -->" * 120 + b"x", b"<?" * 500, b"<!--" * 250])
@pytest.mark.parametrize("content_type", ["", "text/html", "text/plain", "text/xml"])
def test_no_beginning_makes_us_try_again_and_again(start, content_type):
    """A pattern that tries every way to split white space would take longer than the universe has."""
    page(start, content_type=content_type)


@pytest.mark.parametrize("header", ["<" * 60_000, "<>" * 30_000, "<a>; rel=" * 6_000, "rel " * 15_000])
def test_no_header_makes_us_try_again_and_again(header):
    page("<p>x", link=header, x_robots_tag=header, content_language=header)


@pytest.mark.parametrize(
    "date", ["99999999999999 Jun 2010 15:00:00 PST", "0", "25 Jun", "2010-13-45", "\0", "(" * 9]
)
def test_a_date_that_is_none_hides_no_page(date):
    assert not page("<p>x", x_robots_tag=f"unavailable_after: {date}").noindex
