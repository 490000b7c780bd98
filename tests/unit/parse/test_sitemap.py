"""Sitemaps as they are found."""

import gzip

import pytest

from tests.stopwatch import MOMENT, cpu_seconds
from thresher.core.enums import Origin
from thresher.core.records import Candidate, Fetched, Link, Page
from thresher.core.url import parse
from thresher.parse import parse as parse_page
from thresher.parse.sitemap import (
    SitemapEntry,
    asked_sitemap,
    moment,
    parse_sitemap,
    sitemap_page,
    with_named,
)

HERE = parse("https://example.org/sitemap.xml")
A, B = parse("https://example.org/a"), parse("https://example.org/b")


def read(text: str):
    return parse_sitemap(text.encode(), HERE)


def test_urls_with_their_dates():
    found = read(
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<url><loc> https://example.org/a </loc><lastmod>1970-01-02</lastmod></url>"
        "<url><loc><![CDATA[/b]]></loc></url></urlset>"
    )
    assert found.urls == (SitemapEntry(A, 86_400.0), SitemapEntry(B))
    assert found.children == () and found.flaw == ""


def test_an_index_has_children():
    found = read(
        "<sitemapindex><sitemap><loc>/a</loc></sitemap><sitemap><loc>/b</loc></sitemap></sitemapindex>"
    )
    assert found.children == (SitemapEntry(A), SitemapEntry(B)) and found.urls == ()


def test_images_and_videos_are_not_pages():
    found = read(
        '<s:urlset xmlns:s="x" xmlns:image="y"><s:url><s:loc>/a</s:loc>'
        "<image:image><image:loc>/b</image:loc></image:image></s:url></s:urlset>"
    )
    assert found.urls == (SitemapEntry(A),)


def test_plain_text_rss_and_atom():
    assert read("\ufeffhttps://example.org/a\r\nnot a url\nhttps://example.org/b").urls == (
        SitemapEntry(A),
        SitemapEntry(B),
    )
    assert read("<rss><channel><link>/</link><item><link>/a</link></item></channel></rss>").urls == (
        SitemapEntry(A),
    )
    assert read('<feed><link href="/"/><entry><link href="/a"/></entry></feed>').urls == (SitemapEntry(A),)


def test_packed_once_or_twice():
    text = b"https://example.org/a"
    for packed in (gzip.compress(text), gzip.compress(gzip.compress(text))):
        assert parse_sitemap(packed, HERE).urls == (SitemapEntry(A),)


def test_what_came_before_a_fault_is_kept_and_the_fault_named():
    found = read("<urlset><url><loc>/a</loc></url><url><loc>/b</loc><lastm")
    assert found.urls == (SitemapEntry(A), SitemapEntry(B))
    assert found.flaw.startswith("broken XML")


def test_entities_are_neither_expanded_nor_fetched():
    found = read(
        '<!DOCTYPE z [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY l0 "lol"><!ENTITY l1 "&l0;&l0;">]>'
        "<urlset><url><loc>/a&file;&l1;</loc></url></urlset>"
    )
    assert found.urls == (SitemapEntry(A),)


def test_there_is_an_end_to_every_list():
    found = parse_sitemap(b"<urlset>" + b"<url><loc>/a</loc></url>" * 100, HERE, max_urls=10)
    assert found.flaw == "more than 10 entries"
    assert "unpack" in parse_sitemap(gzip.compress(bytes(30_000_000)), HERE).flaw


def test_a_page_is_no_sitemap():
    assert read("<html><body>Not found</body></html>").flaw == "not a sitemap"
    assert read("nothing of the kind").flaw == "not a sitemap"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970", 0.0),
        ("1970-02", 2_678_400.0),
        ("1970-01-01T00:01", 60.0),
        ("1970-01-01T01:00:00.5+01:00", 0.5),
        ("1970-01-01T00:00:00Z", 0.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 60.0),
        ("yesterday", None),
        ("1970-13-01", None),
        ("", None),
    ],
)
def test_dates(text, seconds):
    assert moment(text) == seconds


def test_a_fetched_sitemap_reads_as_a_page_of_links():
    fetched = Fetched(Candidate(HERE), HERE, 200, body=b"<urlset><url><loc>/a</loc></url></urlset>")
    page = sitemap_page(fetched)
    assert page is not None and [link.target for link in page.links] == [A]
    assert sitemap_page(Fetched(Candidate(HERE), HERE, 200, body=b"<html></html>")) is None


def test_what_robots_names_is_linked_from_the_seed():
    seed = Fetched(Candidate(A), A, 200, body=b"<p>hello</p>", sitemaps=(HERE,))
    page = with_named(Page(A, links=(Link(A, B),)), seed)
    assert [link.target for link in page.links] == [HERE, B]


URLSET = b"<urlset><url><loc>https://example.org/a</loc></url></urlset>"


@pytest.mark.parametrize(
    ("via", "targets"),
    [
        (Link(B, HERE, rel="sitemap"), []),  # an author's word for it
        (Link(B, HERE, origin=Origin.SITEMAP), [A]),
        (Link(B, HERE, origin=Origin.ROBOTS_TXT), [A]),
    ],
)
def test_only_we_can_say_that_a_link_leads_to_a_sitemap(via, targets):
    fetched = Fetched(Candidate(HERE, via=via), HERE, 200, body=URLSET)
    page = asked_sitemap(fetched, asked_for=True)
    assert [link.target for link in (page.links if page else ())] == targets


def test_the_parser_writes_no_origin_but_the_page():
    html = b"<a rel=sitemap href=/a>a</a><a rel=backlink href=/b>b</a><a rel='robots.txt' href=/c>c</a>"
    links = parse_page(Fetched(Candidate(A), A, 200, (("content-type", "text/html"),), html)).links
    assert {link.origin for link in links} == {Origin.PAGE}


HOSTILE = {
    "links far inside": b"<urlset>" + b"<x>" * 40_000 + b"<link/>" * 40_000,
    "entries inside each other": b"<feed>" + b"<entry>" * 40_000 + b"<link/>" * 40_000,
    "three million lines": b"x\n" * 3_000_000,
    "one line": b"http://" + b"a" * 8_000_000,
    "many attributes": b"<urlset><url " + b"".join(b"a%d='' " % number for number in range(8_000)) + b"/>",
    "one value in many pieces": b"<urlset><url><loc>" + b"a&amp;" * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sitemap_takes_but_a_moment(name):
    body = HOSTILE[name]
    assert cpu_seconds(lambda: parse_sitemap(body, HERE)) < MOMENT
    packed = gzip.compress(body)
    assert cpu_seconds(lambda: parse_sitemap(packed, HERE)) < MOMENT


@pytest.mark.parametrize("body", [HOSTILE["links far inside"], b"<urlset>" + b"<x/>" * 600_000])
def test_a_sitemap_of_too_many_elements_says_so(body):
    assert "elements" in parse_sitemap(body, HERE).flaw


def test_an_entry_within_other_elements_still_has_its_link():
    found = read('<feed><entry><a><link href="/a"/></a></entry><link href="/b"/></feed>')
    assert found.urls == (SitemapEntry(A),)


def test_a_long_list_is_read_up_to_its_cap():
    lines = "\n".join(f"https://example.org/{number}" for number in range(60_000))
    assert len(read(lines).urls) == 50_000
