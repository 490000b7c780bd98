"""A dictionary that forgets what was used longest ago, so that nothing grows with the web."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
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
