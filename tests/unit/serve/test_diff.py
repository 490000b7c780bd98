"""How the lines that changed are told."""

import pytest

from thresher.serve.changes import word_diff


@pytest.mark.parametrize(
    ("lines_", "told"),
    [
        (
            ["- mark the queen twice a month", "+ mark the queen once a month"],
            "mark the queen |-twice|+once| a month",
        ),
        (
            ["- 关王十九天之后全群无封盖子", "+ 关王二十一天之后全群无封盖子"],
            "关王|-十九|+二十一|天之后全群无封盖子",
        ),
        (["- all of this is gone now", "+ 另一页"], "-all of this is gone now|\n|+另一页"),
        (["+ only new"], "+only new"),
        (["another picture"], "another picture"),
        ([], ""),
    ],
)
def test_a_diff_is_told_word_by_word_where_the_texts_are_alike(lines_, told):
    signs = {"gone": "-", "came": "+", "same": ""}
    assert "|".join(signs[piece.kind] + piece.text for piece in word_diff(lines_)) == told
