"""What a page asks of robots, and which address it calls its own."""

import pytest

from tests.unit.parse_examples import fetched, page
from thresher.core.records import Fetched
from thresher.parse import parse


def asked(markup: str = "", *tags: str) -> tuple[bool, bool]:
    response = fetched(markup)
    headers = response.headers + tuple(("x-robots-tag", tag) for tag in tags)
    found = parse(Fetched(response.candidate, response.url, 200, headers, response.body, response.fetched_at))
    return found.noindex, found.nofollow


@pytest.mark.parametrize(
    ("tags", "noindex", "nofollow"),
    [
        ([], False, False),
        (["noindex"], True, False),
        (["NoFollow"], False, True),
        (["none"], True, True),
        (["noindex, nofollow"], True, True),
        (["noindex", "nofollow"], True, True),
        (["index, follow"], False, False),
        (["otherbot: none"], False, False),
        (["thresher: noindex"], True, False),
        (["Thresher: nofollow", "otherbot: noindex"], False, True),
        (["max-snippet: 20"], False, False),
        (["unavailable_after: 2010-06-25"], True, False),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], True, False),
        (["unavailable_after: 2099-01-01"], False, False),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 EST, nofollow"], True, True),
        (["unavailable_after: one day"], False, False),
        (["max-image-preview: none, max-snippet:none"], False, False),
        (["noindex, otherbot: none"], True, False),
        (["otherbot: noindex, thresher: nofollow"], False, True),
        (["notnoindex, nofollowing"], False, False),
    ],
)
def test_headers_speak_to_everybody_or_to_us_by_name(tags, noindex, nofollow):
    assert asked("", *tags) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("markup", "noindex", "nofollow"),
    [
        ("<meta name=robots content=noindex>", True, False),
        ("<META NAME=' ROBOTS ' CONTENT='  NoIndex,\n\n NOFOLLOW'>", True, True),
        ("<meta name=robots content=none>", True, True),
        ("<meta name=robots content=all>", False, False),
        ("<meta name=robots content='noindex nofollow'>", True, True),
        ("<meta name=robots content='max-image-preview:none'>", False, False),
        ("<meta name=robots content='index,noindex'>", True, False),
        ("<meta name=robots>", False, False),
        ("<meta name=thresher content=nofollow>", False, True),
        ("<meta name=otherbot content=none>", False, False),
        ("<body><p>x<meta name=robots content=noindex>", True, False),
        ("<noscript><meta name=robots content=noindex></noscript>", True, False),
        ("<!-- <meta name=robots content=none> -->", False, False),
        ("<script>'<meta name=robots content=none>'</script>", False, False),
    ],
)
def test_meta_elements_speak_to_everybody_or_to_us_by_name(markup, noindex, nofollow):
    assert asked(markup) == (noindex, nofollow)


def test_the_strictest_word_wins_wherever_it_stands():
    assert asked("<meta name=robots content='index,nofollow'>", "noindex, follow") == (True, True)


def test_our_name_is_a_setting():
    assert parse(fetched("<meta name=mybot content=none>"), agent="MyBot").noindex
    assert parse(fetched("", x_robots_tag="mybot: none"), agent="MyBot").noindex


@pytest.mark.parametrize(
    ("markup", "canonical"),
    [
        ("<link rel=canonical href=/c>", "http://a.com/c"),
        ("<link rel='alternate CANONICAL' href='\n/c'>", "http://a.com/c"),
        ("<base href=http://b.com/d/><link rel=canonical href=e>", "http://b.com/d/e"),
        ("<link rel=canonical href=/c><link rel=canonical href=/c>", "http://a.com/c"),
        ("<link rel=canonical href=/c><link rel=canonical href=/d>", None),
        ("<body><p>x<link rel=canonical href=/c>", None),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical href=javascript:x>", None),
    ],
)
def test_a_page_names_one_canonical_address_in_its_head(markup, canonical):
    assert page(markup).canonical == canonical


@pytest.mark.parametrize(
    ("header", "canonical"),
    [
        ("<http://a.com/c>; rel=canonical", "http://a.com/c"),
        ('</c> rel="canonical"', "http://a.com/c"),
        (
            '</i.png>; rel="image_src", </c,an;on>; rel="canonical next", </s>; rel=shortlink',
            "http://a.com/c,an;on",
        ),
        ("</c>; rel=next", None),
        ("nonsense", None),
    ],
)
def test_a_header_names_the_canonical_address_of_any_document(header, canonical):
    assert page("", content_type="application/pdf", link=header).canonical == canonical


def test_header_and_page_must_agree():
    assert page("<link rel=canonical href=/c>", link="</d>; rel=canonical").canonical is None
    assert page("<link rel=canonical href=/c>", link="</c>; rel=canonical").canonical == "http://a.com/c"
