"""What is imported at run time: the native core, classes by name, extras."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from thresher.core.errors import UsageError

# The native core: what reads pages, and loops over letters, in C (src/native). It is part of every build.


K = TypeVar("K")
L = TypeVar("L")

Rest = tuple[int, str, dict[str, str], str, str, str]  # an element that is left to Python

# Anchors, images, tags, other elements, hidden parts with the numbers of the anchors in each, what is seen,
# the part worth reading, all that is written; where anchors must be numbered, what is seen and what is hidden
# with their numbers.
Found: TypeAlias = tuple[
    list[K],
    list[str],
    list[str],
    list[Rest],
    list[tuple[list[int], str]],
    str,
    str,
    str,
    tuple[str, str] | None,
]

FORM = 5  # of what the functions take and return; one that was built for another is left alone


class Words(Protocol):
    """What the core remembers of the words of one language: `text/tokenize.py`."""

    def of(self, text: str) -> list[str] | None:
        """Return the words of a text in their order."""

    def count(self, into: dict[str, int], text: str) -> bool:
        """Count the words of a text into an empty dict; False says that the reference must be asked."""


class Core(Protocol):
    """What the core offers; None says that it cannot read a text, which has lone surrogates."""

    FORM: int

    def Words(  # noqa: N802 - a class
        self,
        stems_of: Callable[[str], tuple[str, ...]],
        several_of: Callable[[str], tuple[str, ...]],
        separates: Callable[[str], bool],
        plain: bytes,
        several: bytes,
        share: float,
    ) -> Words:
        """Return a memory of words that asks these three, once each, and folds bytes by these two tables."""

    def anchors(self, marked: str, many: int, most: int) -> list[str] | None:
        """Return the words of the anchors of a marked text, no more characters of each: `parse/anchors.py`.

        None is also the answer where there are not so many, or they do not follow one another.
        """

    def letters_in(self, markup: bytes, most: int, tags: int) -> int:
        """Return how many letters a reader sees of a page: `parse/document.py`."""

    def read(
        self,
        markup: str,
        entities: dict[str, str],
        wants: int,
        make: Callable[[str, str, str, str, str, int, str], K],
        words: Callable[[str], str],
        heading: Callable[[str], str],
        leads_on: Callable[[str, str], bool],
        target_of: Callable[[str], str],
    ) -> Found[K] | None:
        """Return what a page says, or None if it must be repaired: `parse/html.py`."""

    def tidy(self, text: str) -> str | None:
        """Return a text without invisible characters: `parse/tree.py`."""

    def simhash(self, text: str, most: int) -> int | None:
        """Return the SimHash of the first characters of a text: `parse/fingerprint.py`."""


def load() -> Core:
    """Return the core, which every build has; an ImportError says what to do where it is another's."""
    core: Core = import_module("thresher._core")
    if core.FORM != FORM:
        raise ImportError(
            "the native core is of another version than the code: run make, or pip install . again"
        )
    return core


CORE = load()


# Classes by name: a crawl needs one of many


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


# Libraries of optional extras


EXTRA = "pip install '.[{}]'"  # in the folder of the sources: the name on PyPI is another project's


def library(name: str, extra: str, what: str) -> Any:
    """Return a library of an extra; without it, say what to install."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"{what} needs {name.partition('.')[0]}: {EXTRA.format(extra)}") from None
