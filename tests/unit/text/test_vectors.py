"""Word vectors: near means alike, in either language and across them."""

import numpy as np
import pytest

from thresher.text.tokenize import words
from thresher.text.vectors import Vectors, shipped_vectors, similarity


def alike(left: str, right: str) -> float:
    return similarity(words(left), words(right))


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (("basketball", "篮球"), ("basketball", "海洋")),
        (("database", "数据库"), ("database", "诗歌")),
        (("poetry", "poem"), ("poetry", "server")),
        (("海洋", "大海"), ("海洋", "软件")),
    ],
)
def test_what_means_the_same_is_nearer_than_what_does_not(near, far):
    assert alike(*near) > alike(*far) + 0.3


def test_an_unknown_word_is_like_itself_and_nothing_else():
    assert alike("xyzzyplugh", "xyzzyplugh") == pytest.approx(1.0)
    assert alike("xyzzyplugh", "basketball") == 0.0


def test_a_shared_unknown_word_makes_texts_more_alike():
    assert alike("xyzzyplugh basketball", "xyzzyplugh 篮球") > alike("basketball", "xyzzyplugh 篮球")


@pytest.mark.parametrize("text", ["", "the of and", "的 了"])
def test_no_words_are_like_nothing(text):
    assert alike(text, "basketball") == 0.0


def test_rare_words_tell_more():
    rarity = shipped_vectors().rarity
    assert rarity("year") < rarity("basketbal") < rarity("xyzzyplugh")


def test_the_table_is_small_and_says_whose_it_is():
    from importlib.resources import files

    folder = files("thresher.text")
    assert len(folder.joinpath("vectors.npz").read_bytes()) <= 5_000_000
    notice = folder.joinpath("vectors.notice.txt").read_text(encoding="utf-8")
    assert all(name in notice for name in ("GloVe", "synonyms", "MIT License", "CC-CEDICT"))


def test_a_table_of_your_own_works_the_same():
    own = Vectors(["cat", "猫"], 1, np.array([[1, 0], [0.8, 0.6]], "f4"))
    assert own.similarity(["cat"], ["猫"]) == pytest.approx(0.8)
