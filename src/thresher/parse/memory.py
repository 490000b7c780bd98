"""Memory that pages took goes back to the system."""

import ctypes
import gc
import sys
from functools import cache
from typing import Any

LARGE = 1024 * 1024  # characters of one page after which memory is given back at once
MANY = 8 * LARGE  # characters of many pages after which it is: much of it would be free, but kept


class Debt:
    """The characters read since memory was given back."""

    def __init__(self) -> None:
        self._read = 0

    def add(self, characters: int) -> None:
        """Note that a page was read whose tree is gone, and give its memory back if it is time."""
        self._read += characters
        if characters > LARGE:
            gc.collect()  # whatever of it refers to itself
        if characters > LARGE or self._read > MANY:
            self._read = 0
            _give_back()


def _give_back() -> None:
    """Hand freed memory back: the C library would keep it in pieces for the rest of the crawl."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return the function that does it, where the C library has one."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
