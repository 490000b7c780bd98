"""Dice that fall the same way in every process and on every Python version."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A source of choices fixed by its name.

    Built on `Random.random` alone, the one method whose sequence Python promises never to change.
    """

    __slots__ = ("_roll",)

    def __init__(self, *name: object) -> None:
        """Name the dice; equal names give equal falls."""
        self._roll = Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """Return a whole number from 0 up to, but not including, the limit."""
        return int(self._roll() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with that probability."""
        return self._roll() < probability

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[int(self._roll() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return that many different items, or all of them, in random order."""
        pool = list(items)
        taken = min(count, len(pool))
        for place in range(taken):
            other = place + self.below(len(pool) - place)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:taken]
