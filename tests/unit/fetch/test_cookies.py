"""Cookies stay with the origin that set them, and few of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.core.url import parse
from thresher.fetch.request_headers import BYTES_PER_HOST, PER_HOST, CookieJar

HERE = parse("https://www.example.co.uk/shop/basket")


def sent(*lines: str, url=HERE, back=HERE) -> str:
    jar = CookieJar()
    jar.learn(url, lines, now=1_000_000.0)
    return jar.header(back)


def test_a_cookie_goes_back_to_its_origin_only():
    assert sent("a=1; Path=/") == "a=1"
    for other in ("http://www.example.co.uk/", "https://example.co.uk/", "https://www.example.co.uk:8443/"):
        assert sent("a=1; Path=/; Domain=example.co.uk", back=parse(other)) == ""


def test_a_path_narrows_it():
    assert sent("a=1; Path=/shop") == "a=1"
    assert sent("a=1; Path=/sho") == ""


def test_cookies_for_others_or_for_a_public_suffix_are_refused():
    assert sent("a=1; Domain=example.co.uk") == "a=1"
    assert sent("a=1; Domain=co.uk", "b=1; Domain=.uk", "c=1; Domain=other.co.uk") == ""


def test_a_cookie_in_the_past_takes_the_old_one_away():
    assert sent("a=1", "a=2; Max-Age=0") == ""
    assert sent("a=1", "a=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == ""


def test_a_flood_of_cookies_is_capped():
    assert sent(*(f"c{number}=1" for number in range(1000))).count("=") == PER_HOST
    assert len(sent(*(f"c{number}={'v' * 1000}" for number in range(1000)))) <= BYTES_PER_HOST


def test_what_would_break_a_header_is_no_cookie():
    assert sent("a=1\r\nX-Evil: 1", "b=ü", "=nameless", "valueless") == ""


@pytest.mark.parametrize("age", ["--5", "²", "5" * 5_000, "٣", "1_0", "+5"])
def test_an_age_that_is_no_number_is_passed_over(age):
    assert sent(f"a=1; Max-Age={age}") == "a=1"


@given(st.lists(st.text(max_size=40), max_size=4))
def test_whatever_a_site_sets_nothing_breaks_and_no_control_comes_back(lines):
    back = sent(*(f"a=1; {line}" for line in lines), *lines, *(f"a=1; max-age={line}" for line in lines))
    assert back.isprintable()
