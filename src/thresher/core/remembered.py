"""Answers that are remembered, but not about long strings: of those a hostile page has many."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Answer = TypeVar("Answer")

LONGEST = 256  # letters of what is asked about, together


def remembered(most: int) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Return what makes a function of strings, or of none, remember its latest answers."""

    def made(question: Callable[..., Answer]) -> Callable[..., Answer]:
        known = lru_cache(maxsize=most)(question)

        @wraps(question)
        def answer(*said: str | None) -> Answer:
            short = sum([len(each) for each in said if each]) <= LONGEST
            return known(*said) if short else question(*said)

        return answer

    return made
