"""Memory that pages took goes back to the system."""

import ctypes
import gc
import sys
from functools import cache
from typing import Any

LARGE = 256 * 1024  # characters of one page before which memory is given back: its tree takes much of it
HUGE = 4 * LARGE  # characters of one page after which it is, too
MANY = 16 * LARGE  # characters of many pages after which it is: much of it would be free, but kept


class Debt:
    """The characters read since memory was given back."""

    def __init__(self) -> None:
        self._read = 0

    def before(self, characters: int) -> None:
        """Give back what earlier pages took, if it is time or the page to be read is large."""
        self._read += characters
        if characters > LARGE or self._read > MANY:
            self._read = 0
            _give_back()

    def after(self, characters: int) -> None:
        """Give back at once what a huge page took; its tree is gone."""
        if characters > HUGE:
            gc.collect()  # whatever of it refers to itself
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
