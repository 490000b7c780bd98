"""What a text shows of a list of weighted words, more of one word counting less and less.

    strength(text) = sum over words of  weight * rarity * f / (f + L),   L = 2 * (0.4 + 0.6 * length / 400)

f is how often the word occurs, L what the text's length makes of one occurrence (the saturation of BM25,
Robertson and Walker 1994). The rarity of a word comes with the vector table, so that it needs no collection.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Generic, TypeVar

from thresher.core.records import Page, Reason
from thresher.text.languages import PLAIN
from thresher.text.tokenize import Counts, opening, plain_words, word_counts, words
from thresher.text.vectors import shipped_vectors

T = TypeVar("T")

SATURATION = 2.0
LENGTH_SHARE = 0.6
USUAL_LENGTH = 400  # words of a page


class Sought:
    """Words that are looked for in texts."""

    def __init__(self, sought: Iterable[str]) -> None:
        """Note which of them texts may have without having them in one piece."""
        self._sought = dict.fromkeys(sought)
        self._long = [word for word in self._sought if len(word) > 2 and not word.isascii()]

    def within(self, found: Counts) -> list[str]:
        """Return those that a text has, in their own order."""
        known = found.keys() & self._sought.keys()
        if self._long and not all(map(str.isascii, found)):
            known.update(word for word in self._long if found[word])  # also where its parts stand
        return [word for word in self._sought if word in known] if known else []

    def counted(self, text: str) -> Counts | None:
        """Return how often each word of a text occurs, or None if it has none of these: most texts do not."""
        found = words(text)
        return Counts(found) if self.may_be_among(found) else None

    def may_be_among(self, found: Sequence[str]) -> bool:
        """Tell whether any of these may be found among the words of a text."""
        if not self._sought.keys().isdisjoint(found):
            return True
        return bool(self._long) and not all(map(str.isascii, found))


class Evidence:
    """A list of weighted words, ready to be looked for."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Multiply each word's weight with its rarity, once."""
        rarity = shipped_vectors().rarity
        self.worth = {word: weight * rarity(word) for word, weight in weights.items() if weight > 0}
        self._sought = Sought(self.worth)

    def strength(self, found: Counts) -> float:
        """Return how strongly a text given as words speaks of the list."""
        return fsum(part for _, part in self.parts(found))

    def parts(self, found: Counts) -> list[tuple[str, float]]:
        """Return what each word contributes, in the order of the list."""
        if not (known := self._sought.within(found)):
            return []
        share = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * found.length() / USUAL_LENGTH)
        counts = ((word, self.worth[word], found[word]) for word in known)
        return [(word, worth * count / (count + share)) for word, worth, count in counts]

    def clear(self, several: int) -> list[float]:
        """Return, for each language of the list, how strong a page full of its heaviest few words is."""
        languages = [
            [worth for word, worth in self.worth.items() if word.isascii() == ascii]
            for ascii in (True, False)
        ]
        return [fsum(sorted(values, reverse=True)[:several]) for values in languages if values]


def page_words(page: Page, language: str = PLAIN) -> list[str]:
    """Return the words that make up a page: its title and everything a reader sees."""
    return _plain(page, language)


def page_counts(page: Page, language: str = PLAIN) -> Counts:
    """Return how often any word occurs on a page, cut as the language of the topic has it."""
    return _counted(page, language)


def shared_out(score: float, parts: Sequence[tuple[str, float]]) -> list[Reason]:
    """Return the reasons of a score that grows with its parts, each with its share of the score."""
    whole = fsum(part for _, part in parts)
    return ranked([(word, score * part / whole) for word, part in parts]) if whole > 0 else []


def ranked(parts: Sequence[tuple[str, float]]) -> list[Reason]:
    """Return the parts of a score as reasons, the strongest first; equal ones by their word."""
    return [Reason(word, part) for word, part in sorted(parts, key=lambda pair: (-pair[1], pair[0])) if part]


class _OfLastPage(Generic[T]):
    """Remembers what was made of the last page: several judges are often asked about the same one."""

    def __init__(self, make: Callable[[str, str], T]) -> None:
        self._make = make
        self._last: tuple[Page, str, T] | None = None

    def __call__(self, page: Page, language: str) -> T:
        if self._last is None or self._last[0] is not page or self._last[1] != language:
            self._last = (page, language, self._make(f"{page.title}\n{opening(page.text)}", language))
        return self._last[2]


_plain = _OfLastPage(plain_words)
_counted = _OfLastPage(word_counts)
