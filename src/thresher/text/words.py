"""The one tokeniser: the words of pages, anchors, contexts and URLs, in English and Chinese."""

import re
import unicodedata

import Stemmer

from thresher.text.chinese import HAN, segment, simplify
from thresher.text.stopwords import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS


def words(text: str) -> list[str]:
    """Return the words of a text in order: folded, segmented, stemmed, without stop words."""
    stems = _stems
    return [stem for token in tokens(fold(text)) if (stem := stems[token])]


def tokens(folded: str) -> list[str]:
    """Return the tokens of a folded text, stop words and all, runs of Chinese cut into words."""
    if not any(name in folded for name in _SIGNED) and not _FOREIGN.search(folded):
        return folded.encode("ascii", "replace").translate(_SPACED).decode().split()  # a third of the time
    runs: list[str] = _RUN.findall(folded)
    if not _HAN.search(folded):
        return runs
    return [token for run in runs for token in ((run,) if run.isascii() else _mixed(run))]


def fold(text: str) -> str:
    """Return the text in one form: lower case, full-width letters plain, Chinese simplified."""
    if text.isascii():
        return text.lower()
    folded = text.replace("\xa0", " ").replace("\u2019", "'").lower()
    if not unicodedata.is_normalized("NFKC", folded):
        folded = unicodedata.normalize("NFKC", folded).lower()
    return simplify(folded)


def _mixed(run: str) -> list[str]:
    """Return the tokens of a run in which Chinese and Latin letters may touch."""
    parts: list[str] = _PART.findall(run)
    return [token for part in parts for token in (segment(part) if _HAN.match(part) else (part,))]


class _Stems(dict[str, str]):
    """Remembers the stem of every token met lately; stop words have none."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        stem = self[token] = _stem(token)
        return stem


def _stem(token: str) -> str:
    """Return what a token counts as, or nothing if it says nothing."""
    if _HAN.match(token):
        return "" if token in CHINESE_STOP_WORDS else token
    token = token.strip("'")
    if token in ENGLISH_STOP_WORDS or (len(token) == 1 and token.isascii()):
        return ""
    if token.isdigit() and len(token) > 4:
        return ""  # telephone numbers, identifiers, prices: never what a topic is about
    return str(_snowball.stemWord(token.removesuffix("'s").replace("'", "")))


_SIGNED = ("c++", "c#", "f#", "g++")  # names that end in signs
_FOREIGN = re.compile(r"[^\W\x00-\x7f]")
_RUN = re.compile(r"[cfg](?:#|\+\+)|[^\W_]+(?:'[^\W_]+)*")
_PART = re.compile(rf"[{HAN}]+|[^{HAN}]+")
_HAN = re.compile(f"[{HAN}]")
_SPACED = bytes(code if chr(code).isalnum() or chr(code) == "'" else 32 for code in range(128)) + bytes(128)
_REMEMBERED = 200_000  # stems kept: a crawl meets far more odd tokens than words
_snowball = Stemmer.Stemmer("english", 0)
_stems = _Stems()
