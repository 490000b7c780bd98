"""Sets, dictionaries and caches of bounded size."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Generic, TypeVar

T = TypeVar("T")


class RecentSet(Generic[T]):
    """A set of the last `size` to twice that many things: two generations, the older one dropped whole."""

    def __init__(self, size: int) -> None:
        """Remember at least the last `size` things."""
        self._size = size
        self._young: set[T] = set()
        self._old: set[T] = set()

    def __contains__(self, thing: T) -> bool:
        """Tell whether a thing was added lately."""
        return thing in self._young or thing in self._old

    def add(self, thing: T) -> None:
        """Remember a thing."""
        self.update((thing,))

    def update(self, things: Iterable[T]) -> None:
        """Remember several things."""
        for thing in things:
            self._young.add(thing)
            if len(self._young) >= self._size:
                self._old, self._young = self._young, set()

    def unknown(self, things: Iterable[T]) -> list[T]:
        """Return those that were not added lately."""
        return [thing for thing in things if thing not in self._young and thing not in self._old]


K = TypeVar("K")
V = TypeVar("V")


class LruDict(Generic[K, V]):
    """At most `limit` entries; the one used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the entry, now the most recently used, or None."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: K, entry: V) -> None:
        """Keep an entry, and forget the oldest when there are too many."""
        self._entries[key] = entry
        self._entries.move_to_end(key)
        if len(self._entries) > self._limit:
            self._entries.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget an entry, if it is there."""
        self._entries.pop(key, None)

    def __len__(self) -> int:
        return len(self._entries)


# Answers that are remembered, but not about long strings: of those a hostile page has many.


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
