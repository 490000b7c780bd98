"""Chinese: runs cut into words, traditional characters simplified, spellings in Latin letters."""

import re
from importlib.resources import files
from itertools import pairwise

from rjieba import cut, has_word

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""The ranges of a regular expression class that holds every Chinese character."""


def segment(run: str) -> list[str]:
    """Return the words of a run of Chinese characters; characters no word was found for come in pairs.

    The dictionary behind the segmenter lacks many words of two characters. Overlapping pairs keep each of
    them findable: the same word gives the same pair wherever it stands.
    """
    words: list[str] = []
    single: list[str] = []
    for word in cut(run):
        if len(word) == 1 and word not in _GLUE:
            single.append(word)
            continue
        if single:
            words += _pairs(single)
            single = []
        words.append(word if len(word) < 3 or has_word(word) else _without_glue(word))
    return words + _pairs(single)


def simplify(text: str) -> str:
    """Return the text with traditional characters folded to simplified ones, one by one."""
    return _TRADITIONAL.sub(lambda found: _SIMPLIFIED[found[0]], text)  # str.translate looks at every letter


def pinyin(text: str) -> str:
    """Return the full spelling of the Chinese characters of a text: '篮球' is 'lanqiu'."""
    return "".join(_syllables(text))


def initials(text: str) -> str:
    """Return the first letter of each syllable, as Chinese sites abbreviate: '上海' is 'sh'."""
    return "".join(syllable[0] for syllable in _syllables(text))


_GLUE = frozenset("的了很是")  # never part of a word the dictionary lacks


def _pairs(characters: list[str]) -> list[str]:
    if len(characters) < 2:
        return characters
    return [left + right for left, right in pairwise(characters)]


def _without_glue(word: str) -> str:
    """Take off the particle that the segmenter's guess at an unknown word swallowed."""
    return word.strip("的了很是")


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
