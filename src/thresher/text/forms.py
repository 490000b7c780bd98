"""Stems as people read them: the words somebody typed, or the usual word of a stem, never footbal."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from thresher.text.tokenize import plain_words

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
