"""What a text shows of a list of weighted words, more of one word counting less and less.

    strength(text) = sum over words of  weight * rarity * f / (f + L),   L = 2 * (0.4 + 0.6 * length / 400)

f is how often the word occurs, L what the text's length makes of one occurrence (the saturation of BM25,
Robertson and Walker 1994). The rarity of a word comes with the vector table, so that it needs no collection.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from thresher.core.records import Page, Reason
from thresher.text.vectors import shipped_vectors
from thresher.text.words import words

SATURATION = 2.0
LENGTH_SHARE = 0.6
USUAL_LENGTH = 400  # words of a page


class Evidence:
    """A list of weighted words, ready to be looked for."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Multiply each word's weight with its rarity, once."""
        rarity = shipped_vectors().rarity
        self.worth = {word: weight * rarity(word) for word, weight in weights.items() if weight > 0}

    def strength(self, found: Sequence[str]) -> float:
        """Return how strongly a text given as words speaks of the list."""
        return sum(part for _, part in self.parts(found))

    def parts(self, found: Sequence[str]) -> list[tuple[str, float]]:
        """Return what each word contributes, in the order of the text."""
        worth = self.worth
        counts = Counter(word for word in found if word in worth)
        share = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * len(found) / USUAL_LENGTH)
        return [(word, worth[word] * count / (count + share)) for word, count in counts.items()]

    def best(self, several: int) -> float:
        """Return what the heaviest few words are worth together: the strength of a page full of them."""
        return sum(sorted(self.worth.values(), reverse=True)[:several])


def page_words(page: Page) -> list[str]:
    """Return the words of a page: its title and everything a reader sees.

    The last page is remembered: several judges are often asked about the same one.
    """
    global _last
    seen, found = _last
    if seen is not page:
        found = words(f"{page.title}\n{page.text}")
        _last = (page, found)
    return found


def ranked(parts: Sequence[tuple[str, float]]) -> list[Reason]:
    """Return the parts of a score as reasons, the strongest first; equal ones by their word."""
    return [Reason(word, part) for word, part in sorted(parts, key=lambda pair: (-pair[1], pair[0])) if part]


_last: tuple[Page | None, list[str]] = (None, [])
