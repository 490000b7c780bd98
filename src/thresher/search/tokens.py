"""The tokens of the index: English by its stems, Chinese by every pair of neighbouring characters.

A Chinese word of two characters, the usual one, is then a token wherever it stands, and a longer one a phrase
of its pairs; the last character of a run stands alone as well, so that one character is the beginning of some
token of every page that has it. Stop words stay, or phrases would not be found.
"""

import re
from collections.abc import Iterator

import Stemmer
from msgspec import Struct

from thresher.text.chinese import HAN
from thresher.text.tokenize import fold

RUN = re.compile(rf"(?P<han>[{HAN}]+)|(?:(?![{HAN}])[^\W_])+")
"""A run of Chinese characters, or a word or number of any other script."""

_stem = Stemmer.Stemmer("english", 0).stemWord


class Run(Struct, frozen=True, gc=False):
    """A run of letters of one kind, folded, and where it stands."""

    text: str
    is_han: bool
    start: int
    end: int


def runs(text: str) -> Iterator[Run]:
    """Yield the runs of a text; where they stand is said of the text as it was given."""
    for found in RUN.finditer(text):
        yield Run(fold(found[0]), found["han"] is not None, found.start(), found.end())


def index_text(text: str) -> str:
    """Return the tokens of a text as the index gets them, divided by spaces."""
    out: list[str] = []
    for found in RUN.finditer(fold(text)):
        run = found[0]
        if found["han"] is None:
            out.append(stem(run))
        else:
            out += pairs(run)
            out.append(run[-1])
    return " ".join(out)


def pairs(run: str) -> list[str]:
    """Return every pair of neighbours of a run."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


def stem(word: str) -> str:
    """Return the stem of an English word; others stay as they are."""
    return str(_stem(word)) if word.isascii() else word
