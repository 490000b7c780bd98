"""A set that forgets: bounded memory for what was seen lately."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
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
        self._young.add(thing)
        if len(self._young) >= self._size:
            self._old, self._young = self._young, set()
