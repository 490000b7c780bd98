"""Which language a text is in: first by its script, then by its commonest words; a short anchor is enough.

Detectors by letter statistics call Chinese pages on technical subjects English, for their code and names. So
the share of Chinese characters decides first, and one of them counts as much as four Latin letters.
"""

import re
from collections import Counter

from thresher.text.chinese import HAN
from thresher.text.tokenize import fold

LETTERS_TO_A_CHARACTER = 4
CHINESE_SHARE = 0.2
LOOK = 20_000  # characters; more tell nothing new


def language_of(text: str, declared: str = "") -> str:
    """Return the language as its two letters; what was declared if the text does not tell, else ''."""
    sample = text[:LOOK]
    script = script_of(sample)
    if script != "latin":
        return _LANGUAGE_OF.get(script, declared)
    return _by_words(sample) or declared


def script_of(text: str) -> str:
    """Return the script that carries most of a text: 'han', 'latin', 'kana', ...; '' without letters."""
    counts = {name: len(letters.findall(text)) for name, letters in _SCRIPTS.items()}
    if counts["kana"] > counts["han"] / 5:
        return "kana"  # Japanese has characters and kana mixed, Chinese has no kana
    counts["han"] *= LETTERS_TO_A_CHARACTER
    total = sum(counts.values())
    if total and counts["han"] >= CHINESE_SHARE * total:
        return "han"
    return max(counts, key=lambda name: counts[name]) if total else ""


def _by_words(text: str) -> str:
    """Return the Latin language whose common words a text has most of; English if short and plain."""
    found = _WORD.findall(fold(text))
    counts = Counter({name: sum(word in common for word in found) for name, common in _COMMON.items()})
    best, hits = counts.most_common(1)[0]
    if hits and hits > counts["en"]:
        return best
    return "en" if counts["en"] or (found and text.isascii()) else ""


_SCRIPTS = {
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "han": re.compile(f"[{HAN}]"),
    "kana": re.compile("[\u3041-\u30ff]"),
    "hangul": re.compile("[\uac00-\ud7a3]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
}
_LANGUAGE_OF = {"han": "zh", "kana": "ja", "hangul": "ko", "cyrillic": "ru", "greek": "el", "thai": "th"}
_LANGUAGE_OF |= {"arabic": "ar", "hebrew": "he", "devanagari": "hi"}
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": frozenset("the of and to in is for that with on are this from by as at it be was".split()),
    "de": frozenset("der die das und ist nicht mit den von für ein eine auf im dem zu auch sich".split()),
    "fr": frozenset("le la les des et est une dans pour que qui du sur pas avec plus par sont".split()),
    "es": frozenset("el los las del una que por con para está como más pero sus este al ser y".split()),
    "it": frozenset("il gli della che di per una non con sono più nel alla anche dei questo è e".split()),
    "pt": frozenset("os uma não com para que dos mais ao como foi pelo são seu sua ou e o".split()),
    "nl": frozenset("het een van en niet dat op te zijn voor met ook maar naar bij aan door".split()),
}
