"""Few Chinese characters are cut without the segmenter, into the words that it finds."""

import random
import subprocess
import sys

import rjieba

from thresher.text.few_characters import FEW, FewCharacters, read_few_characters

SENTENCES = "磁盘分区管理 下雨天留客天留我不留 中华人民共和国 研究生命起源 龘龘龘 结婚的和尚未结婚的"


def few() -> FewCharacters:
    found = read_few_characters()
    assert found, "the library of the segmenter that is pinned has the dictionary that we know"
    return found


def test_sentences_are_cut_as_the_segmenter_cuts_them() -> None:
    cutter = few()
    assert {run: cutter.cut(run) for run in SENTENCES.split()} == {
        run: rjieba.cut(run, False) for run in SENTENCES.split()
    }


def test_whatever_stands_side_by_side_is_cut_as_the_segmenter_cuts_it() -> None:
    dice, characters, cutter = random.Random(39), "".join(SENTENCES.split()), few()
    for _ in range(500):
        known = "".join(dice.choices(characters, k=dice.randint(3, 12)))
        any_at_all = "".join(chr(dice.randint(0x4E00, 0x9FFF)) for _ in range(dice.randint(3, 9)))
        assert cutter.cut(known) == rjieba.cut(known, False)
        assert cutter.cut(any_at_all) == rjieba.cut(any_at_all, False)


def test_many_characters_and_uncommon_ones_are_left_to_the_segmenter() -> None:
    cutter = few()
    assert cutter.cut("〇年代") is None
    assert cutter.cut("天" * FEW) is None
    assert cutter.cut("天天") is None


def test_a_page_with_few_characters_does_not_load_the_segmenter() -> None:
    program = """
import sys
from thresher.text.tokenize import words
print(words("the manual in 磁盘分区管理"), "rjieba" in sys.modules)
print(words("天" * 30_000)[:1], "rjieba" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    few = "['manual', '磁盘', '盘分', '分区', '区管', '管理', '磁盘分区'] False"
    assert told == f"{few}\n['天天'] True\n"
