"""What short texts mean: texts are cut into pieces, and the vectors of the pieces add up."""

from importlib.resources import files

import numpy as np
import pytest

from thresher.text.meaning import LONGEST_WORD, PieceTable, shipped_meaning

PIECES = ("type", "##s", "theo", "##ry", "theory", "cafe", "数据", "数据库", "库", "2")


@pytest.fixture
def table() -> PieceTable:
    """Each piece points its own way, and `theory` is three times as long as the others."""
    scale = np.ones(len(PIECES), "f4")
    scale[PIECES.index("theory")] = 3.0
    return PieceTable(PIECES, np.eye(len(PIECES), dtype=np.int8), scale)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Types", ["type", "##s"]),
        ("theory", ["theory"]),  # the longest that fits, not `theo` and `##ry`
        ("type-theory 2", ["type", "theory", "2"]),
        ("Café", ["cafe"]),  # without its accent
        ("数据库", ["数据库"]),
        ("数据库数据", ["数据库", "数据"]),
        ("的库", ["库"]),  # a character that the table lacks is passed over
        ("types数据", ["type", "##s", "数据"]),
        ("typeset", []),  # the rest of the word cannot be spelled, so nothing is known of it
        ("", []),
        ("type" * LONGEST_WORD, []),
    ],
)
def test_a_text_is_cut_into_the_longest_pieces(table, text, pieces):
    assert [PIECES[row] for row in table.cut(text)] == pieces


def test_a_text_points_where_the_sum_of_its_pieces_does(table):
    assert table.similarity("type theory", "theory") == pytest.approx(3 / np.sqrt(10))
    assert table.similarity("type theory", "type") == pytest.approx(1 / np.sqrt(10))
    assert table.similarity("type theory", "unheard") == 0.0


def test_a_topic_points_where_its_weighted_terms_do(table):
    direction = table.direction({"type": 1.0, "数据": 0.5, "unheard": 1.0})
    assert table.cosines(["type", "数据"], direction) == pytest.approx([2 / np.sqrt(5), 1 / np.sqrt(5)])


def test_of_many_texts_each_has_the_cosine_it_has_alone_and_the_unknown_have_none(table):
    direction = table.direction({"type theory": 1.0})
    texts = ["unheard", "type", "", "a theory of types", "数据库", "的"]
    together = table.cosines(texts, direction).tolist()
    assert together == [table.cosines([text], direction)[0] for text in texts]
    assert together[0] == together[2] == together[5] == 0.0
    assert together == pytest.approx([table.similarity(text, "type theory") for text in texts])


def test_a_topic_that_cannot_be_spelled_is_near_nothing(table):
    assert table.cosines(["type", "theory"], table.direction({"unheard": 1.0})).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("type theory", "logic", "football"),
        ("Railway transport", "trains", "opera"),
        ("HTTP", "web server", "tennis"),
        ("basketball", "篮球", "海洋"),
        ("数据库", "database", "poetry"),
    ],
)
def test_the_shipped_table_knows_what_belongs_together_in_both_languages(text, near, far):
    table = shipped_meaning()
    assert table.similarity(text, near) > table.similarity(text, far) + 0.2


def test_the_shipped_table_is_small_and_says_whose_it_is():
    folder = files("thresher.text")
    assert len(folder.joinpath("meaning.npz").read_bytes()) <= 4_000_000
    notice = folder.joinpath("meaning.notice.txt").read_text(encoding="utf-8")
    owners = ("BERT", "MiniLM", "Apache License 2.0", "Open English Wordnet", "Chinese Open Wordnet")
    assert all(name in notice for name in owners)
