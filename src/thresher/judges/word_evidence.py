"""The words that a judge looks for in texts, and the words of a page, counted once for all judges."""

from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import Generic, TypeVar

from thresher.core.records import Page, Reason
from thresher.text.languages import PLAIN
from thresher.text.tokenize import WordCounts, opening, plain_words, word_counts, words

T = TypeVar("T")


class TermSet:
    """Words that are looked for in texts."""

    def __init__(self, sought: Iterable[str]) -> None:
        """Note which of them texts may have without having them in one piece."""
        self._sought = dict.fromkeys(sought)
        self._long = [word for word in self._sought if len(word) > 2 and not word.isascii()]

    def within(self, found: WordCounts) -> list[str]:
        """Return those that a text has, in their own order."""
        known = found.keys() & self._sought.keys()
        if self._long and not all(map(str.isascii, found)):
            known.update(word for word in self._long if found[word])  # also where its parts stand
        return [word for word in self._sought if word in known] if known else []

    def counted(self, text: str) -> WordCounts | None:
        """Return how often each word of a text occurs, or None if it has none of these: most texts do not."""
        found = words(text)
        return WordCounts(found) if self.may_be_among(found) else None

    def may_be_among(self, found: Sequence[str]) -> bool:
        """Tell whether any of these may be found among the words of a text."""
        if not self._sought.keys().isdisjoint(found):
            return True
        return bool(self._long) and not all(map(str.isascii, found))


def page_words(page: Page, language: str = PLAIN) -> list[str]:
    """Return the words that make up a page: its title and everything a reader sees."""
    return _plain(page, language)


def page_counts(page: Page, language: str = PLAIN) -> WordCounts:
    """Return how often any word occurs on a page, cut as the language of the topic has it."""
    return _counted(page, language)


def counts_without(counts: WordCounts, page: Page, gone: str) -> WordCounts | None:
    """Return the words of a page less those of some of its lines; None if not all of it was counted."""
    if opening(page.text) != page.text:
        return None
    left = WordCounts(counts)
    for word, times in word_counts(gone).items():
        left[word] = left.get(word, 0) - times
        if left[word] <= 0:
            del left[word]
    return left


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
