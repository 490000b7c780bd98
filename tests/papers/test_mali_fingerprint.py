"""Mali & Meshram 2011, layer 2: what tells that a page has changed, and where that is blind."""

import pytest

from thresher.parse.fingerprint import count_symbols, digest, fingerprint, simhash, structure, text_code
from thresher.parse.html import read

PAGE = "<html><head><title>T</title></head><body><h1>H</h1><p>a</p><p>b</p><p>c</p></body></html>"


def test_the_structure_is_the_first_and_the_last_letters_of_the_start_tags():
    """Section 3.2; the 1 is the digit of h1, not the letter l."""
    assert structure(read(PAGE).tags) == ("hhtbhppp", "ldey1ppp")


def test_end_tags_do_not_count():
    assert structure(read(PAGE.replace("</p>", "")).tags) == structure(read(PAGE).tags)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("td", "thead"),
        ("article", "aside"),
        ("table", "template"),
        ("span", "section"),
        ("dl", "del"),
        ("code", "cite"),
    ],
)
def test_tags_alike_in_first_and_last_letter_look_the_same_to_the_paper_but_not_to_our_hash(one, other):
    before, after = ["html", "body", one], ["html", "body", other]
    assert structure(before) == structure(after)
    assert fingerprint(before, "", "", ()).tags != fingerprint(after, "", "", ()).tags


def test_the_text_code_is_the_sum_of_the_symbols_over_the_distinct_ones():
    """Section 3.2: 'abba' is 97 + 98 + 98 + 97 = 390 over two letters."""
    assert text_code("abba") == 195.0


def test_the_text_code_is_not_unique():
    """The paper says it is; anagrams and sums that stay the same collide."""
    assert (
        text_code("listen to the dog")
        == text_code("silent to the god")
        == pytest.approx(146.636364, abs=1e-6)
    )
    assert text_code("ad") == text_code("bc") == 98.5


def test_digest_and_simhash_see_what_the_text_code_does_not():
    assert digest("listen to the dog") != digest("silent to the god")
    assert simhash("listen to the dog") != simhash("silent to the god")


def test_the_text_code_counts_unicode_code_points():
    assert count_symbols("篮球篮") == (2 * 0x7BEE + 0x7403, 3, 2)
    assert text_code("😀") == 0x1F600


def test_the_paper_s_program_read_bytes_with_a_sign_and_summed_the_end_of_the_file():
    """An em dash is the byte 0x97 in cp1252, -105 as a signed char; the end of the file is -1."""
    assert count_symbols("ab\u2014a", legacy=True) == (97 + 98 - 105 + 97 - 1, 5, 2)
    assert text_code("ab\u2014a", legacy=True) == 93.0


def test_the_paper_s_program_divided_in_single_precision():
    assert text_code("abcab", legacy=True) == 162.6666717529297
    assert text_code("abcab", legacy=True) != 488 / 3


def test_a_text_without_symbols_has_the_code_zero():
    assert text_code("") == 0.0
