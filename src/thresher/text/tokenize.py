"""The one tokeniser: the words of pages, anchors, contexts and URLs.

Script decides first: Chinese, Japanese and Korean are cut by characters, Russian is stemmed as Russian. Words
in Latin letters are taken for English unless a topic is in another language; then its pages are, too, so that
a topic and a page are always cut alike.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, compress
from operator import add
from pathlib import Path

from thresher.core.optional import CORE, Words
from thresher.text.chinese import HAN, overlapping, segment, simplify
from thresher.text.languages import CHINESE_STOP_WORDS, LANGUAGES, PLAIN, STOP_WORDS, Language, stems_of


def words(text: str, language: str = PLAIN) -> list[str]:
    """Return the words of a text, folded, stemmed, without stop words; those of Chinese overlap.

    Whatever is looked for in a text is looked for among these: no Chinese word is lost to a cut beside it.
    """
    stems = stems_in(language)
    found = stems.core.of(text)
    return list(words_by_python(text, stems)) if found is None else found


def plain_words(text: str, language: str = PLAIN) -> list[str]:
    """Return the words a text consists of in order, each Chinese character in one: those of a name."""
    return list(filter(None, map(stems_in(language).__getitem__, tokens(fold(text)))))


def opening(text: str) -> str:
    """Return as much of a text as tells what it is about, some 5,000 words: to count them takes time."""
    if len(text) <= OPENING // 3:
        return text
    return text[:OPENING].encode("utf-8", "surrogatepass")[:OPENING].decode("utf-8", "ignore")


class WordCounts(Counter[str]):
    """How often each word of a text occurs; any word may be asked for."""

    def __missing__(self, word: str) -> int:
        """Return 0, or for a long Chinese word how often all of its pairs of characters occur."""
        if len(word) < 3 or not _CHARACTER.match(word):
            return 0
        pairs = (pair for pair in map(add, word, word[1:]) if pair not in CHINESE_STOP_WORDS)
        return min(map(self.__getitem__, pairs), default=0)

    def length(self) -> float:
        """Return how many words a reader would count: none that overlap."""
        if "".join(self).isascii():
            return float(self.total())
        chinese = sum(compress(self.values(), map(_LATIN.__lt__, self)))
        return self.total() - (1 - SEEN_BY_READERS) * chinese


def word_counts(text: str, language: str = PLAIN) -> WordCounts:
    """Return how often each of the words of a text occurs."""
    stems, counts = stems_in(language), WordCounts()
    return counts if stems.core.count(counts, text) else WordCounts(words_by_python(text, stems))


def tokens(folded: str, cut: Callable[[str], list[str]] = segment) -> list[str]:
    """Return the tokens of a folded text, stop words and all, runs of characters cut into words."""
    signed = ("#" in folded or "++" in folded) and any(name in folded for name in _SIGNED)
    if not signed and not _FOREIGN.search(folded):
        return folded.encode("ascii", "replace").translate(_PLAIN).decode().split()  # a third of the time
    runs: list[str] = _RUN.findall(folded)
    if not _CHARACTER.search(folded):
        return runs
    return [token for run in runs for token in ((run,) if run.isascii() else _mixed(run, cut))]


def fold(text: str) -> str:
    """Return the text in one form: lower case, full-width letters plain, Chinese simplified."""
    if text.isascii():
        return text.lower()
    folded = text.replace("\xa0", " ").replace("\u2019", "'").lower()
    if not unicodedata.is_normalized("NFKC", folded):
        folded = unicodedata.normalize("NFKC", folded).lower()
    return simplify(folded)


def words_by_python(text: str, stems: "_Stems") -> Iterable[str]:
    """Return the words of a text; where most letters are plain, folding and cutting are one table."""
    if text.isascii() and not _has_signs(text):
        return filter(None, map(stems.__getitem__, text.encode().translate(_PLAIN).decode().split()))
    strange = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if len(strange) > FOREIGN_SHARE * len(text):
        return filter(None, map(stems.__getitem__, tokens(fold(text), overlapping)))
    straight = text.replace("\u2019", "'") if "\u2019" in strange else text
    if all(map(_separates, set(strange))) and not _has_signs(text):
        plain = straight.encode("ascii", "replace").translate(_PLAIN).decode().split()
        return filter(None, map(stems.__getitem__, plain))
    cut = straight.encode("utf-8", "surrogatepass").translate(_SIGNED_OR_FOREIGN)
    return chain.from_iterable(map(stems.several.__getitem__, cut.decode("utf-8", "surrogatepass").split()))


def _has_signs(text: str) -> bool:
    """Tell whether a text has names that end in signs."""
    if "#" not in text and "++" not in text:
        return False
    return any(text[at - 1 : at] in _BEFORE_SIGNS for sign in ("#", "++") for at in _places(text, sign))


def _places(text: str, sign: str) -> Iterator[int]:
    """Yield where a sign stands."""
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + 1)


@lru_cache(maxsize=4096)
def _separates(character: str) -> bool:
    """Tell whether a character beyond ASCII stands between words, whatever it is folded to."""
    folded = unicodedata.normalize("NFKC", character)
    joins = "'" in folded or unicodedata.combining(character) or any(map(str.isalnum, folded))
    return character == "\u2019" or not joins


def _mixed(run: str, cut: Callable[[str], list[str]]) -> list[str]:
    """Return the tokens of a run in which Chinese, kana, hangul and Latin letters may touch."""
    parts: list[str] = _PART.findall(run)
    return [token for part in parts for token in _cut(part, cut)]


def _cut(part: str, cut: Callable[[str], list[str]]) -> Iterable[str]:
    """Return the tokens of what is all of one kind; kana and hangul overlap in pairs where Chinese does."""
    if _HAN.match(part):
        return cut(part)
    if cut is not overlapping or len(part) < 3 or not _CHARACTER.match(part):
        return (part,)
    return map(add, part, part[1:])


class _Stems(dict[str, str]):
    """Remembers the stem of every token met lately, as one language has it; stop words have none."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self.language = language
        self.several = _Several(self)
        self.core = _core_of(self)

    def __missing__(self, token: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        stem = self[token] = _stem(token, self.language)
        return stem


class _Several(dict[str, tuple[str, ...]]):
    """Remembers the stems of what looks like one token, but may be several or foreign."""

    def __init__(self, stems: _Stems) -> None:
        super().__init__()
        self._stems = stems

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        stems = self[token] = self.of(token)
        return stems

    def of(self, token: str) -> tuple[str, ...]:
        """Return the stems of a token; the core remembers them itself."""
        parts = [token] if token.isascii() and token.isalnum() else tokens(fold(token), overlapping)
        return tuple([stem for part in parts if (stem := self._stems[part])])


def _core_of(stems: _Stems) -> Words:
    """Return the native core's memory of words; it asks here what it does not know."""
    known = stems_of(stems.language.code)

    def of_token(token: str) -> tuple[str, ...]:
        if known and len(token) > 1 and token.isalpha() and token.isascii():  # most: spare them the questions
            stem = "" if token in known.stop_words else known.stem(token)
        else:
            stem = (_latin_stem if token.isascii() else _stem)(token, stems.language)
        return (stem,) if stem else ()

    tables = _PLAIN, _SIGNED_OR_FOREIGN
    return CORE.Words(of_token, stems.several.of, _separates, *tables, FOREIGN_SHARE)


@cache
def stems_in(language: str) -> _Stems:
    """Return the stems by which a language has words in Latin letters; one without any has the plain ones."""
    known = LANGUAGES.get(language)
    latin = known and known.stemmer and known.script == "latin"
    return _Stems(known) if known and latin and language != PLAIN else _plain_stems()


@cache
def _plain_stems() -> _Stems:
    return _Stems(LANGUAGES[PLAIN])


def _stem(token: str, language: Language) -> str:
    """Return what a token counts as, or nothing if it says nothing."""
    if not token.isascii():
        if _CHARACTER.match(token):
            return "" if token in _SAY_NOTHING else token
        if _CYRILLIC.match(token) and (russian := stems_of("ru")):
            return russian(token)
    return _latin_stem(token, language)


def _latin_stem(token: str, language: Language) -> str:
    """Return what a token in Latin letters, or in none that we know more of, counts as."""
    if "'" in token:
        token = token.strip("'")
    if len(token) == 1 or token in STOP_WORDS.get(language.code, ()):
        return ""
    if len(token) > 4 and token.isdigit():
        return ""  # telephone numbers, identifiers, priorities: never what a topic is about
    if "'" in token:
        bare = token.rpartition("'")[2] if language.elides else token.removesuffix("'s").replace("'", "")
        token = bare or token
    if (stems := stems_of(language.code)) is None:
        return token
    return "" if token in stems.stop_words else stems.stem(token)


OPENING = 30_000  # bytes: a Chinese character takes three, and as long to count as three letters
SEEN_BY_READERS = 0.44  # of overlapping Chinese words, measured on blogs
FOREIGN_SHARE = 0.1  # of the letters of a text, up to which foreign words are cut one by one
_SIGNED = ("c++", "c#", "f#", "g++")  # names that end in signs
_BEFORE_SIGNS = frozenset("cfgCFG")
_FOREIGN = re.compile(r"[^\W\x00-\x7f]")
_RUN = re.compile(r"[cfg](?:#|\+\+)|[^\W_]+(?:'[^\W_]+)*")
_KANA, _HANGUL = "\u3041-\u3096\u30a1-\u30fa\u30fc", "\uac00-\ud7a3"
_PART = re.compile(rf"[{HAN}]+|[{_KANA}]+|[{_HANGUL}]+|[^{HAN}{_KANA}{_HANGUL}]+")
_HAN = re.compile(f"[{HAN}]")
_CHARACTER = re.compile(f"[{HAN}{_KANA}{_HANGUL}]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_SAY_NOTHING = CHINESE_STOP_WORDS | LANGUAGES["ja"].stop_words | LANGUAGES["ko"].stop_words
_LATIN = "\u2e7f"  # Chinese words come after it
_ASCII = bytes(range(128))
_PLAIN = re.sub(rb"[^a-z0-9']", b" ", _ASCII.lower()).ljust(256)
_SIGNED_OR_FOREIGN = re.sub(rb"[^a-z0-9'#+\x80-\xff]", b" ", bytes(range(256)).lower())
_REMEMBERED = 50_000  # stems kept, some 10 MB: a crawl meets far more odd tokens than words


# Stems as people read them: the words as typed, or the usual word of a stem


TABLE = Path(__file__).with_name("forms.tsv")  # of stems that are no words; scripts/make_forms.py wrote it


def readable(stem: str, typed: Mapping[str, str] | None = None) -> str:
    """Return a stem as it was typed, or by its usual word; what is no stem stays as it is."""
    return (typed or {}).get(stem) or _usual().get(stem, stem)


def typed_forms(phrases: Iterable[str]) -> dict[str, str]:
    """Return the words of phrases by their stems; of several with one stem the first."""
    words = [word for phrase in phrases for word in phrase.split()]
    stems = [(plain_words(word), word) for word in words]
    return {stem[0]: word for stem, word in reversed(stems) if len(stem) == 1}


@cache
def _usual() -> dict[str, str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)
