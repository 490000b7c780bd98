"""Chinese: runs cut into words, traditional characters simplified, spellings in Latin letters."""

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from operator import add
from typing import Any

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""The ranges of a regular expression class that holds every Chinese character."""

_HAN = re.compile(f"[{HAN}]")

FIRST_HAN = "\u2e80"
"""Chinese words come after this character."""

AND = frozenset("和 与 及 或 跟 以及 或者 或是".split())
SHORTEST_COMPOUND = 4  # characters; a word of three is one, and its pairs mean something else


def han_in(text: str) -> int:
    """Return how many letters of a text are Chinese characters."""
    return 0 if text.isascii() else len(_HAN.findall(text))


def overlapping(run: str) -> list[str]:
    """Return every pair of neighbours of a run of Chinese characters, then its words of other lengths.

    Most Chinese words have two characters, and where a segmenter sees them depends on what stands beside
    them. So a word is found here wherever it stands, in the dictionary or not.
    """
    if len(run) < 3:
        return [run]
    pairs = list(map(add, run, run[1:]))
    return pairs + [word for word in _jieba().cut(run, False) if len(word) != 2]


def segment(run: str) -> list[str]:
    """Return the words of a run of Chinese characters, each character in one; unknown ones come in pairs.

    This is for what a topic is called: a pair across two words of it would be a word of its own.
    """
    if len(run) < 3:
        return [run]
    words: list[str] = []
    unknown = ""
    jieba = _jieba()
    for word in jieba.cut(run):
        if len(word) == 1 or not jieba.has_word(word):
            unknown += word
            continue
        if unknown:
            words += _left_over(unknown)
            unknown = ""
        words.append(word)
    return words + _left_over(unknown) if unknown else words


def pieces(word: str) -> list[str]:
    """Return the two words of which a long one is made, the first as long as can be; itself if it is one.

    磁盘分区 is one word of the dictionary, but a search for it also means 磁盘 and 分区 apart.
    """
    known = _jieba().has_word if len(word) >= SHORTEST_COMPOUND else None
    for cut in range(len(word) - 2, 1, -1):
        if known and known(word[:cut]) and known(word[cut:]):
            return [word[:cut], word[cut:]]
    return [word]


def cut_at_and(run: str) -> list[str]:
    """Return what stands between the words for "and" and "or" in a run of Chinese characters.

    A word that only contains one of their characters, as 和平 does, stays whole.
    """
    parts = [""]
    for word in _jieba().cut(run):
        if word in AND:
            parts.append("")
        else:
            parts[-1] += word
    return [part for part in parts if part]


@cache
def _jieba() -> Any:
    """Return the segmenter; its dictionary takes 33 MB, which a crawl without much Chinese never needs."""
    return import_module("rjieba")


def simplify(text: str) -> str:
    """Return the text with traditional characters folded to simplified ones, one by one."""
    simplified, traditional = _forms()
    return traditional.sub(lambda found: simplified[found[0]], text)  # str.translate looks at every letter


def pinyin(text: str) -> str:
    """Return the full spelling of the Chinese characters of a text: '篮球' is 'lanqiu'."""
    return "".join(_syllables(text))


def initials(text: str) -> str:
    """Return the first letter of each syllable, as Chinese sites abbreviate: '上海' is 'sh'."""
    return "".join(syllable[0] for syllable in _syllables(text))


_GLUE = re.compile("[的了很是]")  # never part of a word the dictionary lacks


def _left_over(unknown: str) -> list[str]:
    """Return the pairs of characters that no word was found for, or the only one."""
    return [
        pair
        for part in _GLUE.split(unknown)
        for pair in (map("".join, pairwise(part)) if len(part) > 1 else part)
    ]


def _syllables(text: str) -> list[str]:
    """Return the syllables of Chinese characters; how 行 or 乐 is read depends on the word."""
    from pypinyin import lazy_pinyin  # measured: 0.16 s and 59 MB, and only topics in Chinese need it

    return [syllable for syllable in lazy_pinyin(simplify(text), errors="ignore") if syllable]


@cache
def _forms() -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the simplified form of each traditional character, and what finds those; read when needed."""
    lines = files("thresher.text").joinpath("simplified.txt").read_text(encoding="utf-8").splitlines()
    traditional, simplified = (line for line in lines if line and not line.startswith("#"))
    return dict(zip(traditional, simplified, strict=True)), re.compile(f"[{traditional}]")
