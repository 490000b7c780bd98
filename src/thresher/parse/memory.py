"""Memory that a large page took goes back to the system."""

import ctypes
import gc
import sys
from functools import cache
from typing import Any


def give_back() -> None:
    """Hand freed memory back: the C library would keep what one large tree took for the rest of the crawl."""
    gc.collect()  # a tree and its elements refer to each other
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return the function that does it, where the C library has one."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
