"""Twice the input takes twice the time: no expression and no reader of foreign bytes is quadratic."""

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # how an expression was written, to turn it against itself

import pytest

import thresher
from tests.fuzz.__main__ import READERS
from thresher.core.records import Page, Url
from thresher.freshness.change import sound_change
from thresher.parse.html import plain

SIZE = 3_000  # characters
QUICK = 0.003  # seconds for twice as many: what is quadratic takes longer
RATIO = 3.0  # of the times for twice as much; 2 but for the clock
COMMON = (
    "a",
    "A",
    "1",
    " ",
    "\n",
    "中",
    "%",
    "-",
    "/",
    "<",
    ">",
    "*",
    "a ",
    "1 ",
    "a1",
    "1:",
    "1,",
    "<a ",
    "a=",
)
SHORT = {  # expressions that never see a long text: where, and how long it can be at most
    "thresher.filters.pages": 1_200,
}


OF_THE_USER = {"thresher.knowledge.build._TOKEN", "thresher.topic.question._AND"}  # read what the user wrote


def patterns() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Yield every expression that a module or class of the source holds."""
    for module in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        holders = [loaded, *(each for each in vars(loaded).values() if isinstance(each, type))]
        for holder in holders:
            for name, value in vars(holder).items():
                if (
                    isinstance(value, re.Pattern)
                    and getattr(holder, "__module__", module.name) == module.name
                ):
                    yield f"{module.name}.{name}", value


def literals(tree: object) -> Iterator[str]:
    """Yield the runs of plain letters in an expression."""
    run = ""
    for kind, value in tree:  # type: ignore[attr-defined]
        if kind is _parser.LITERAL:
            run += chr(value)
            continue
        yield run
        run = ""
        for part in _parts(value):
            if isinstance(part, _parser.SubPattern):
                yield from literals(part)
    yield run


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _parts(part)


SOURCE = "\n".join(path.read_text() for path in Path(thresher.__path__[0]).rglob("*.py"))


@cache
def is_searched(name: str) -> bool:
    """Tell whether an expression is tried at every place of a text, or only where it must begin."""
    verbs = "search|sub|subn|finditer|findall|split"
    return re.search(rf"\b{name.rpartition('.')[2]}\.(?:{verbs})\b", SOURCE) is not None


def seconds(name: str, text: str) -> float:
    pattern = PATTERNS[name]
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    begun = time.thread_time()
    for _ in pattern.finditer(given) if is_searched(name) else ():  # type: ignore[arg-type]
        pass
    took = time.thread_time() - begun
    begun = time.thread_time()
    pattern.fullmatch(given)  # type: ignore[arg-type]
    return took + time.thread_time() - begun


PATTERNS = {name: pattern for name, pattern in patterns() if name not in OF_THE_USER}


def test_the_expressions_are_found():
    assert len(PATTERNS) > 80


@pytest.mark.parametrize("name", PATTERNS)
def test_an_expression_takes_twice_the_time_for_twice_the_text(name):
    pattern = PATTERNS[name]
    size = next((most // 2 for place, most in SHORT.items() if name.startswith(place)), SIZE)
    own = {run[:30] for run in literals(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)) if run}
    pairs = {f"{one}{other}" for one in sorted(own)[:6] for other in (" ", "1", "a")}
    for unit in (*COMMON, *sorted(own), *sorted(pairs)):
        once, twice = (unit * (length // len(unit)) for length in (size, 2 * size))
        if seconds(name, twice) > QUICK:
            assert min(_ratio(name, once, twice) for _ in range(3)) < RATIO, unit


def _ratio(name: str, once: str, twice: str) -> float:
    return seconds(name, twice) / max(1e-5, seconds(name, once))


def took(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


UNITS = (
    b"<a>",
    b"<a ",
    b"</a>",
    b"<p>x",
    b"<div><table>",
    b"a",
    b"&amp;",
    b"a b ",
    b"\r\n",
    b"\xe4\xb8\xad",
    b"0;",
)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_twice_the_time_for_twice_the_bytes(name):
    read, seeds = READERS[name]
    for unit in (*UNITS, *(seed for seed in seeds if seed)):
        once, twice = (seeds[0] + unit * (size // len(unit)) for size in (100_000, 200_000))
        if took(partial(read, twice)) > 5 * QUICK:
            ratios = [took(partial(read, twice)) / max(1e-5, took(partial(read, once))) for _ in range(3)]
            assert min(ratios) < RATIO, unit


@pytest.mark.parametrize(
    "unit", ["<script ", "<template", "<style>x", "<!--", "<title", "<a href=", '<a href="', "</script"]
)
def test_a_page_that_cannot_be_laid_out_takes_twice_the_time_for_twice_the_markup(unit):
    once, twice = (unit * (size // len(unit)) for size in (100_000, 200_000))
    if took(partial(plain, twice)) > 5 * QUICK:
        ratios = [took(partial(plain, twice)) / max(1e-5, took(partial(plain, once))) for _ in range(3)]
        assert min(ratios) < RATIO


@pytest.mark.parametrize("line", ["Reply {}", "Reply", "mon {} jan", "{}", "1,{} views | Home"])
def test_two_looks_take_twice_the_time_for_twice_the_lines(line):
    def compared(lines: int) -> float:
        texts = ("\n".join(line.format(number % 50 + start) for number in range(lines)) for start in (0, 25))
        before, after = (Page(Url("http://a.test/"), text=text) for text in texts)
        return took(lambda: sound_change(before, after))

    assert compared(4_000) < 0.05 or min(compared(4_000) / compared(2_000) for _ in range(3)) < RATIO
