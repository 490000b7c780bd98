"""The words that a judge looks for in texts, and the shares that words have in a score."""

from collections.abc import Iterable, Sequence
from math import fsum

from thresher.core.records import Reason
from thresher.text.tokenize import WordCounts, words


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


def shared_out(score: float, parts: Sequence[tuple[str, float]]) -> list[Reason]:
    """Return the reasons of a score that grows with its parts, each with its share of the score."""
    whole = fsum(part for _, part in parts)
    return ranked([(word, score * part / whole) for word, part in parts]) if whole > 0 else []


def ranked(parts: Sequence[tuple[str, float]]) -> list[Reason]:
    """Return the parts of a score as reasons, the strongest first; equal ones by their word."""
    return [Reason(word, part) for word, part in sorted(parts, key=lambda pair: (-pair[1], pair[0])) if part]
