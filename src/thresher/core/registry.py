"""Classes by their names, each brought in when it is first asked for: a crawl needs one of many."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """What is known by a name, and where it is: 'package.module:Class'."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """Take the places by name, in the order in which they are listed."""
        self._places = dict(places)

    def __getitem__(self, name: str) -> T:
        """Return a class, and load its module if need be."""
        module, _, found = self._places[name].partition(":")
        kind: Any = getattr(import_module(module), found)
        return kind  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        """Go through the names without loading anything."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        """Tell whether a name is known, without loading what it stands for."""
        return name in self._places
