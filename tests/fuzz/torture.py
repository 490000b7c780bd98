"""Let each allocation of the native core fail once: all must end as a MemoryError, and leave nothing behind.

Those of Python that it asks for fail, too, where Python has what it takes (`_testcapi`).

python -m tests.fuzz.torture [--pages 20] [--seed 1] [FILE ...]
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.core import in_child, pages

try:
    _testcapi: Any = import_module("_testcapi")
except ImportError:
    _testcapi = None

ENOUGH = 20  # answers in a row: all allocations of Python have failed
WANTS = 31  # places, breaks, what is written, and context, of a page as turbohtml writes it out
SENTENCE = "The queen's C++ eggs, 12 cafés; naïve bees — and 蜂王 in the cells of the comb. "


def main() -> int:
    """Build the core for it, and torture it in a process that has loaded it."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz.torture", description=__doc__)
    asked.add_argument("--pages", type=int, default=20)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("files", nargs="*", type=Path, help="pages of your own, in UTF-8")
    given = asked.parse_args()
    made = islice(pages(Random(given.seed)), given.pages)
    own = (file.read_text("utf-8", "replace") for file in given.files)
    return in_child("--torture", "tests.fuzz.torture", lambda: tortured([*own, *made]))


def tortured(markups: list[str]) -> int:
    """Return how many failures of an allocation were no MemoryError, or left something behind."""
    wrong = failed = 0
    for number, call in enumerate(calls(markups)):
        _set(0)
        call()
        allocations, living = _set(0)
        for place in range(1, allocations + 1):
            found = _outcome(call, place)
            left = _set(0)[1] - living
            failed += 1
            if found != "MemoryError" or left:
                wrong += 1
                print(f"call {number}, allocation {place} of {allocations}: {found}, {left} left", flush=True)
        if _testcapi is not None:
            several, others = _without_memory(call, number)
            failed, wrong = failed + several, wrong + others
    print(f"{failed:,} allocations failed: {wrong} of them otherwise than as a MemoryError, or with a leak")
    return min(wrong, 1)


def _without_memory(call: Callable[[], Any], number: int) -> tuple[int, int]:
    """Let the allocations of Python fail one by one; return how many did, and how many ended otherwise."""
    failed = wrong = answered = place = 0
    while answered < ENOUGH:
        place += 1
        living = _set(0)[1]
        _testcapi.set_nomemory(place, place + 1)
        try:
            call()
            found = ""
        except Exception as error:
            found = type(error).__name__
        finally:
            _testcapi.remove_mem_hooks()
        answered = 0 if found else answered + 1  # some do without
        failed += bool(found)
        if found not in {"", "MemoryError"} or _set(0)[1] != living:
            wrong += 1
            print(f"call {number}, allocation {place} of Python: {found}", flush=True)
    return failed, wrong


def calls(markups: list[str]) -> Iterator[Callable[[], Any]]:
    """Yield questions to the core that begin with the same memory each time."""
    from html.entities import html5

    from thresher.core.optional import CORE
    from thresher.parse.anchors import Mention
    from thresher.parse.html import in_shape, leads_on, refresh_target, words_of
    from thresher.parse.tree import repaired

    asked = (Mention, words_of, in_shape, leads_on, refresh_target)
    for markup in markups:
        yield partial(CORE.read, markup, html5, WANTS & ~8, *asked)
        yield partial(CORE.read, repaired(markup), html5, WANTS, *asked)
    plain = bytes(range(256))
    yield lambda: CORE.Words(_itself, _itself, bool, plain, plain, 0.5).count({}, SENTENCE)
    yield lambda: CORE.tidy(SENTENCE)
    yield lambda: CORE.anchors(f"\x05{SENTENCE}\x04", 1, 100)
    yield lambda: CORE.simhash(SENTENCE, 1_000)


def _itself(token: str) -> tuple[str, ...]:
    return (token,)


def _outcome(call: Callable[[], Any], place: int) -> str:
    _set(place)
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "an answer"


def _set(place: int) -> tuple[int, int]:
    """Let an allocation fail; return how many were asked for before, and how many live."""
    found: tuple[int, int] = sys.modules["thresher._core"].torture(place)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
