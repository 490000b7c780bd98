"""The sound fingerprints: equal for equal content, near for near content, the same on every machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.parse_examples import page
from thresher.parse.fingerprint import digest, fingerprint, simhash

TEXT = " ".join(f"player {number} scored {number * 3} points in game {number % 7}" for number in range(120))
CHINESE = "今天晚上的篮球比赛非常精彩，主队最后以三分优势获胜。明天还有比赛。" * 20


def apart(one: str, other: str) -> int:
    return (simhash(one) ^ simhash(other)).bit_count()


def test_the_same_text_has_the_same_fingerprint_on_every_machine():
    """Written down once: neither the Python version nor its hash seed may change them."""
    assert simhash("the quick brown fox jumps over the lazy dog") == 0x85DB5D64025D6F11
    assert simhash("篮球比赛 basketball") == 0x90A982B5FE798366
    assert digest("the quick brown fox") == "a9ef12deb19b9e4ed2bc52ab02a2a56f"
    assert fingerprint(["html", "body"], "", "", ()).tags == "778878ef57fa0f50"


def test_white_space_and_unicode_form_do_not_change_the_digest():
    assert digest("caf\u00e9  au\nlait") == digest("cafe\u0301 au\u00a0lait")
    assert digest("cafe") != digest("caf\u00e9")


@pytest.mark.parametrize("text", [TEXT, CHINESE])
def test_a_small_change_moves_few_bits_and_another_text_half_of_them(text):
    assert apart(text, text + " one more") <= 6
    assert apart(text, text[: len(text) // 2]) < 24
    assert 20 <= apart(TEXT, CHINESE) <= 44


def test_the_order_of_the_words_counts():
    words = TEXT.split()
    assert apart(TEXT, " ".join(sorted(words))) > 10


def test_texts_shorter_than_a_shingle_have_a_simhash_too():
    assert simhash("") == simhash(" .,! ") == 0
    assert len({simhash("one"), simhash("two"), simhash("one two"), simhash("two one"), simhash("篮")}) == 5


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_has_a_simhash_of_64_bits(one, other):
    assert 0 <= simhash(one) < 2**64
    assert apart(one, other) <= 64


@given(st.lists(st.text("abc篮球", min_size=1, max_size=3), max_size=30))
def test_the_space_between_words_does_not_matter_to_the_simhash(words):
    assert simhash(" ".join(words)) == simhash("\n , ".join(words))


def test_a_page_carries_the_addresses_of_its_images_and_its_structure():
    found = page("<title>T</title><img src=a.png><img src=/b.png><img src=a.png><img src=data:x,y><img>")
    assert found.fingerprint.images == ("http://a.com/x/a.png", "http://a.com/b.png")
    assert found.fingerprint.structure == ("hhtbiiiii", "ldeyggggg")


def test_a_changed_menu_leaves_the_digest_and_the_simhash_alone():
    article = f"<article><p>{TEXT}</p></article>"
    before = page(f"<nav><a href=/1>One</a></nav>{article}").fingerprint
    after = page(f"<nav><a href=/1>One</a><a href=/2>Two</a></nav>{article}").fingerprint
    assert (before.digest, before.simhash) == (after.digest, after.simhash)
    assert before.text_code != after.text_code
    assert before.tags != after.tags
