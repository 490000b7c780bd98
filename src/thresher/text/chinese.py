"""Chinese: runs cut into words, traditional characters simplified, spellings in Latin letters."""

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from typing import Any

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""The ranges of a regular expression class that holds every Chinese character."""


def segment(run: str) -> list[str]:
    """Return the words of a run of Chinese characters; what the dictionary lacks comes in pairs.

    The dictionary behind the segmenter lacks many words of two characters, and its guesses depend on what
    stands beside them. Overlapping pairs keep each word findable: it gives the same pair wherever it stands.
    A single character left over may belong to the word before or after it; where the dictionary knows the two
    as a word, that is added.
    """
    words: list[str] = []
    unknown = ""
    jieba = _jieba()
    for word in jieba.cut(run):
        if len(word) == 1 or not jieba.has_word(word):
            unknown += word
            continue
        if unknown:
            words += _left_over(unknown, words, word)
            unknown = ""
        words.append(word)
    return words + _left_over(unknown, words, "") if unknown else words


@cache
def _jieba() -> Any:
    """Return the segmenter; its dictionary takes 35 MB, which a crawl without Chinese never needs."""
    return import_module("rjieba")


def simplify(text: str) -> str:
    """Return the text with traditional characters folded to simplified ones, one by one."""
    return _TRADITIONAL.sub(lambda found: _SIMPLIFIED[found[0]], text)  # str.translate looks at every letter


def pinyin(text: str) -> str:
    """Return the full spelling of the Chinese characters of a text: '篮球' is 'lanqiu'."""
    return "".join(_syllables(text))


def initials(text: str) -> str:
    """Return the first letter of each syllable, as Chinese sites abbreviate: '上海' is 'sh'."""
    return "".join(syllable[0] for syllable in _syllables(text))


_GLUE = re.compile("[的了很是]")  # never part of a word the dictionary lacks


def _left_over(unknown: str, before: list[str], after: str) -> list[str]:
    """Return the pairs of characters no word was found for, or one with what it makes of its neighbours."""
    if len(unknown) == 1:
        beside = (before[-1][-1] if before else "") + unknown, unknown + after[:1]
        return [unknown, *(pair for pair in beside if len(pair) == 2 and _jieba().has_word(pair))]
    return [
        pair
        for part in _GLUE.split(unknown)
        for pair in (map("".join, pairwise(part)) if len(part) > 1 else part)
    ]


def _syllables(text: str) -> list[str]:
    """Return the syllables of Chinese characters; how 行 or 乐 is read depends on the word."""
    from pypinyin import lazy_pinyin  # measured: 0.16 s and 59 MB, and only topics in Chinese need it

    return [syllable for syllable in lazy_pinyin(simplify(text), errors="ignore") if syllable]


def _read_table() -> dict[str, str]:
    """Return the simplified form of each traditional character."""
    lines = files("thresher.text").joinpath("simplified.txt").read_text(encoding="utf-8").splitlines()
    traditional, simplified = (line for line in lines if line and not line.startswith("#"))
    return dict(zip(traditional, simplified, strict=True))


_SIMPLIFIED = _read_table()
_TRADITIONAL = re.compile(f"[{''.join(_SIMPLIFIED)}]")
