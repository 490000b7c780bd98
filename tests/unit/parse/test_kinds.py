"""What is read as a page, what as text, what as a feed, and what not at all."""

import pytest

from tests.unit.parse_examples import page, targets
from thresher.parse.document import DocumentKind, kind_of

RSS = """<?xml version="1.0"?><!-- made by hand --><rss version="2.0"><channel><title>Hoops</title>
<link>http://a.com/</link><description>All the news</description>
<item><title>One</title><link>http://a.com/1</link>
<description>&lt;p&gt;First &lt;b&gt;game&lt;/b&gt;</description></item>
<item><title>Two</title><link>/2</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Hoops</title><entry><title>One</title>
<link href="http://a.com/1"/><summary>First game</summary></entry></feed>"""


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"<p>", DocumentKind.HTML),
        ("TEXT/HTML;charset=x", b"anything", DocumentKind.HTML),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", DocumentKind.HTML),
        ("text/html", RSS.encode(), DocumentKind.FEED),
        ("text/plain", b"words < more", DocumentKind.TEXT),
        ("text/plain", b"\xef\xbb\xbf <!DOCTYPE html><p>", DocumentKind.HTML),
        ("text/xml", b"<?xml version='1.0'?><!-- x --><html xmlns='x'>", DocumentKind.HTML),
        ("application/rss+xml", RSS.encode(), DocumentKind.FEED),
        ("application/xml", b"<urlset>", DocumentKind.FEED),
        ("", b"\n <!-- hello --> <html>", DocumentKind.HTML),
        ("", b"<div>", DocumentKind.HTML),
        ("application/octet-stream", b"<a href=x>", DocumentKind.HTML),
        ("", b"plain words", DocumentKind.TEXT),
        ("", ATOM.encode(), DocumentKind.FEED),
        ("", b"\xff\xfea\0b\0", DocumentKind.TEXT),
        ("", b"\x00\x01\x02", DocumentKind.OTHER),
        ("", b"", DocumentKind.OTHER),
        ("text/html", b"%PDF-1.7", DocumentKind.PDF),
        ("text/html", b"\x1f\x8b\x08", DocumentKind.OTHER),
        ("text/plain", b"\x89PNG\r\n", DocumentKind.IMAGE),
        ("image/svg+xml", b"<svg>", DocumentKind.FEED),
        ("application/pdf", b"<html>", DocumentKind.OTHER),
        ("text/css", b"a {}", DocumentKind.OTHER),
        ("application/json", b"{}", DocumentKind.OTHER),
    ],
)
def test_the_declared_type_is_corrected_by_the_first_bytes(content_type, body, kind):
    assert kind_of(content_type, body) is kind


def test_plain_text_is_text_and_has_no_links():
    found = page("One  line\r\n\r\n<a href=/b>b</a>", content_type="text/plain")
    assert (found.text, found.links) == ("One  line\n<a href=/b>b</a>", ())


def test_a_document_we_cannot_read_is_an_empty_page_with_its_address():
    found = page(b"%!PS-Adobe <a href=/b>", content_type="application/postscript", x_robots_tag="noindex")
    assert (found.url, found.text, found.links, found.noindex) == ("http://a.com/x/", "", (), True)


def test_a_feed_gives_the_titles_as_text_and_the_entries_as_links():
    found = page(RSS, content_type="application/rss+xml")
    assert found.title == "Hoops"
    assert found.text == "Hoops\nAll the news\nOne\nFirst game\nTwo"
    assert [(link.target, link.anchor, link.context, link.rel) for link in found.links] == [
        ("http://a.com/", "Hoops", "", "alternate"),
        ("http://a.com/1", "One", "One First game", "entry"),
        ("http://a.com/2", "Two", "Two", "entry"),
    ]


def test_atom_is_a_feed_too():
    found = page(ATOM, content_type="application/atom+xml")
    assert targets(found) == ["http://a.com/1"]
    assert found.text == "Hoops\nOne\nFirst game"


def test_other_xml_is_an_empty_page():
    assert page("<urlset><url><loc>http://a.com/b</loc></url></urlset>", content_type="text/xml").links == ()


def test_the_entities_of_an_xml_document_are_not_expanded():
    bomb = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    found = page(f"{bomb}<rss><channel><title>&b;</title></channel></rss>", content_type="text/xml")
    assert "aaaaaaaaaa" not in found.text
    outside = '<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    found = page(f"{outside}<rss><channel><title>&a;</title></channel></rss>", content_type="text/xml")
    assert found.text in {"", "&a;"}
