"""Which language a text is in: by its script, then by the letters of its words, then by its commonest words.

Detectors by letter statistics call Chinese pages on technical subjects English, for their code and names. So
the share of Chinese characters decides first, and one of them counts as much as four Latin letters. What is
left is told apart by CLD2, of which the same holds for short texts: there the commonest words decide.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from thresher.text.languages import BY_SCRIPT, LANGUAGES, PLAIN

try:
    import pycld2
except ImportError:  # it has no build for this machine: the commonest words decide alone
    pycld2 = None

LETTERS_TO_A_CHARACTER = 4
CHARACTERS_SHARE = 0.17  # of all letters, from which on they are the language of a text
KANA_SHARE = 0.2  # of the Chinese characters beside them, from which on a text is Japanese
SAMPLE = 400  # characters of the beginning, and as many of the middle; more tell nothing new
SURE = 3  # common words of one language, from which on they are believed against the letters
TWICE = 2.0  # as many as of the language that the letters tell
PLAINLY, PLAIN_SHARE = 15, 0.25  # common words, and of all words, from which on a text is surely English


def language_of(text: str, declared: str = "") -> str:
    """Return the language as its two letters; what was declared if the text does not tell, else ''."""
    sample = _sample(text)
    script = script_of(sample)
    if script in ("", "latin", "cyrillic", "arabic", "devanagari"):
        return _by_letters(sample, script) or declared or ("" if script != "latin" else _plain(sample))
    return BY_SCRIPT.get(script) or _by_letters(sample, script) or declared


def script_of(text: str) -> str:
    """Return the script that carries most of a text: 'han', 'latin', 'kana', ...; '' without letters."""
    if text.isascii():
        return "latin" if text.encode().translate(None, _NO_LETTERS) else ""
    counts: Counter[str] = Counter()
    foreign = text.encode("utf-8", "ignore").translate(None, _ASCII).decode()
    for character, count in Counter(foreign).items():
        counts[_script(character)] += count
    counts["latin"] += len(text.encode("ascii", "ignore").translate(None, _NO_LETTERS))
    del counts[""]
    characters = LETTERS_TO_A_CHARACTER * (counts["han"] + counts["kana"])
    if characters and characters >= CHARACTERS_SHARE * (counts.total() + characters):
        # Japanese has characters and kana mixed, Chinese has no kana.
        return "kana" if counts["kana"] > KANA_SHARE * counts["han"] else "han"
    return max(counts, key=counts.__getitem__) if counts.total() else ""


def best_guess(text: str) -> str:
    """Return the likeliest language of a few words, however unsure."""
    return _cld2(text, guess=True) or _by_letters(text, script_of(text))


def _sample(text: str) -> str:
    middle = len(text) // 2
    return text if len(text) <= 2 * SAMPLE else f"{text[:SAMPLE]}\n{text[middle : middle + SAMPLE]}"


def _by_letters(sample: str, script: str) -> str:
    """Return what the letters tell, unless the common words of another language are clearly more."""
    words = _words(sample)
    common = _common_words(words)
    if _is_plainly(common, len(words)):
        return PLAIN  # CLD2 says so, too, of each such page we have seen, and takes twice as long
    told = _cld2(sample)
    if not common:
        return told or BY_SCRIPT.get(script, "")
    best, hits = common.most_common(1)[0]
    outvoted = told in _STOP_WORDS and hits >= SURE and hits > TWICE * common[told]
    return best if outvoted or not told else told


def _cld2(sample: str, guess: bool = False) -> str:
    """Return what CLD2 is sure of, or guesses, as two letters, or nothing."""
    if pycld2 is None:
        return ""
    try:
        text = _CONTROL.sub(" ", sample).encode("utf-8", "ignore")
        sure, _, found = pycld2.detect(text, bestEffort=guess)
    except pycld2.error:
        return ""
    code = found[0][1].partition("-")[0]
    return _OLD_CODES.get(code, code) if sure and code != "un" else ""


def _words(sample: str) -> list[str]:
    if sample.isascii():
        return sample.encode().translate(_LETTERS).decode().split()
    return _WORD.findall(sample.lower())


def _common_words(words: Sequence[str]) -> Counter[str]:
    """Return how many of the words are among the commonest of each language."""
    return Counter(chain.from_iterable([_LANGUAGES_OF[word] for word in words if word in _LANGUAGES_OF]))


def _is_plainly(common: Counter[str], words: int) -> bool:
    """Tell whether so many words are the commonest of English, and of no other language, that it is that."""
    hits = common[PLAIN]
    if hits < max(PLAINLY, PLAIN_SHARE * words):
        return False
    return all(hits > TWICE * others for code, others in common.items() if code != PLAIN)


def _plain(sample: str) -> str:
    return PLAIN if sample.isascii() and _WORD.search(sample) else ""


@lru_cache(maxsize=8192)
def _script(character: str) -> str:
    place = bisect_right(_STARTS, ord(character)) - 1
    _, last, name = _RANGES[place]
    return name if ord(character) <= last else ("latin" if character.isalpha() else "")


_RANGES = (
    (0x0000, 0x00BF, ""),
    (0x00C0, 0x024F, "latin"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x09FF, "bengali"),
    (0x0E00, 0x0E7F, "thai"),
    (0x1E00, 0x1EFF, "latin"),
    (0x2000, 0x2E7F, ""),
    (0x3000, 0x3006, ""),
    (0x3007, 0x3007, "han"),
    (0x3008, 0x3040, ""),
    (0x3041, 0x30FF, "kana"),
    (0x3400, 0x9FFF, "han"),
    (0xAC00, 0xD7A3, "hangul"),
    (0xF900, 0xFAFF, "han"),
    (0xFE00, 0xFFFF, ""),
    (0x1F000, 0x1FFFF, ""),
    (0x20000, 0x323AF, "han"),
)
_STARTS = [first for first, _, _ in _RANGES]
_ASCII = bytes(range(128))
_NO_LETTERS = re.sub(rb"[A-Za-z]", b"", _ASCII)
_LETTERS = re.sub(rb"[^a-z]", b" ", _ASCII.lower()).ljust(256)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_OLD_CODES = {"iw": "he", "in": "id", "jw": "jv", "nb": "no", "nn": "no"}
_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS = {
    code: language.stop_words
    for code, language in LANGUAGES.items()
    if language.stop_words and not language.by_characters
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(code for code, words in _STOP_WORDS.items() if word in words)
    for words in _STOP_WORDS.values()
    for word in words
}
