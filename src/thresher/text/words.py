"""The one tokeniser: the words of pages, anchors, contexts and URLs, in English and Chinese."""

import re
import unicodedata
from collections.abc import Iterable

import Stemmer
from rjieba import cut

from thresher.text.stopwords import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_TOKEN = re.compile(rf"[{HAN}]+|[cf]#|(?:c|g|notepad)\+\+|(?:[^\W_{HAN}]+(?:'[^\W_{HAN}]+)*)")
_HAN_FIRST = re.compile(f"[{HAN}]")
_REMEMBERED = 200_000  # stems kept; a crawl meets far more odd tokens than words


def words(text: str) -> list[str]:
    """Return the words of a text in order: folded, segmented, stemmed, without stop words."""
    folded = fold(text)
    stems = _stems
    if folded.isascii():
        return [stem for token in _TOKEN.findall(folded) if (stem := stems[token])]
    return [stem for token in tokens(folded) if (stem := stems[token])]


def tokens(folded: str) -> Iterable[str]:
    """Yield the tokens of a folded text, stop words and all, runs of Chinese cut into words."""
    for run in _TOKEN.findall(folded):
        if _HAN_FIRST.match(run):
            yield from cut(run)
        else:
            yield run


def fold(text: str) -> str:
    """Return the text in lower case, with full-width letters and digits made plain."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


class _Stems(dict[str, str]):
    """Remembers the stem of every token met lately; stop words have none."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        stem = self[token] = _stem(token)
        return stem


def _stem(token: str) -> str:
    """Return what a token counts as, or nothing if it says nothing."""
    if _HAN_FIRST.match(token):
        return "" if token in CHINESE_STOP_WORDS else token
    if token in ENGLISH_STOP_WORDS or (len(token) == 1 and token.isascii()):
        return ""
    if token.isdigit() and len(token) > 4:
        return ""  # telephone numbers, identifiers, prices: never what a topic is about
    return str(_snowball.stemWord(token.removesuffix("'s").replace("'", "")))


_snowball = Stemmer.Stemmer("english", 0)
_stems = _Stems()
