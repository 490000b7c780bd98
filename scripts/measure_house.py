"""Measures the code of `src/thresher` against its limits; prints a table, and fails where one is passed."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "thresher"
SHORT_BY_NATURE = {"__init__.py", "__main__.py"}
PERSONS = re.compile(r"\b(he|his|him|himself|somebody|nobody|whoever)\b", re.I)
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Row(NamedTuple):
    """A figure, the most it may be, and where it was found."""

    what: str
    figure: int
    most: int
    found: tuple[str, ...] = ()


def table() -> list[Row]:
    """Return every figure of the house."""
    sizes = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files(SOURCE)}
    short = [name(file) for file, lines in sizes.items() if lines < 40 and file.name not in SHORT_BY_NATURE]
    twice, persons, copied = class_names_used_twice(), docstrings_about_persons(), copied_docstrings()
    protocols, checked = classes_with(r"Protocol\b"), classes_with("runtime_checkable")
    long = [where for where, lines in functions().items() if lines > 40]
    return [
        Row("files", len(sizes), 280),
        Row("lines", sum(sizes.values()), 52_200),
        Row("lines of the longest file", max(sizes.values()), 400),
        Row("files under 40 lines", len(short), 0, tuple(short)),
        Row("functions over 40 lines", len(long), 0, tuple(long)),
        Row("class names that mean two things", len(twice), 10, tuple(twice)),
        Row("docstrings that make a person of an object", len(persons), 0, tuple(persons)),
        Row("docstrings copied from another of that name", len(copied), 10, tuple(copied)),
        Row("protocols", len(protocols), 20, tuple(protocols)),
        Row("protocols checked at run time", len(checked), 0, tuple(checked)),
    ]


@cache
def files(folder: Path) -> tuple[Path, ...]:
    """Return the Python files of a folder, in order."""
    return tuple(sorted(folder.rglob("*.py")))


@cache
def tree(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def name(file: Path) -> str:
    """Return the path of a file below `src`."""
    return str(file.relative_to(SOURCE.parent))


def definitions() -> Iterator[tuple[Path, Definition]]:
    """Yield every class and function with its file."""
    for file in files(SOURCE):
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        yield from ((file, node) for node in ast.walk(tree(file)) if isinstance(node, kinds))


def functions() -> dict[str, int]:
    """Return the lines of each function, without its decorators."""
    return {
        f"{name(file)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file, node in definitions()
        if not isinstance(node, ast.ClassDef)
    }


def class_names_used_twice() -> list[str]:
    """Return the names of classes that stand for two things."""
    counts = Counter(node.name for _, node in definitions() if isinstance(node, ast.ClassDef))
    return sorted(each for each, times in counts.items() if times > 1)


def docstrings() -> Iterator[tuple[Path, str, str]]:
    """Yield each docstring with its file and the name of what it is about."""
    for file in files(SOURCE):
        yield file, "module", ast.get_docstring(tree(file)) or ""
    yield from ((file, node.name, ast.get_docstring(node) or "") for file, node in definitions())


def docstrings_about_persons() -> list[str]:
    """Return where a docstring says he or somebody of an object."""
    return [f"{name(file)} {about}" for file, about, text in docstrings() if PERSONS.search(text)]


def copied_docstrings() -> list[str]:
    """Return the names of methods whose docstring stands word for word at another of that name."""
    counts = Counter((about, text) for _, about, text in docstrings() if text and about[0] != "_")
    return [about for (about, _), times in counts.items() for _ in range(times - 1)]


def classes_with(pattern: str) -> list[str]:
    """Return the classes with a base or decorator that begins so."""
    return [
        f"{name(file)} {node.name}"
        for file, node in definitions()
        if isinstance(node, ast.ClassDef)
        and any(re.match(pattern, ast.unparse(each)) for each in (*node.bases, *node.decorator_list))
    ]


def main() -> int:
    """Print the table, with what passes a limit below it."""
    rows = table()
    for row in rows:
        print(f"{row.what:45} {row.figure:>7,} of at most {row.most:>7,}")
    passed = [row for row in rows if row.figure > row.most]
    for row in passed:
        print(f"\n{row.what}:", *row.found[:40], sep="\n  ")
    return bool(passed)


if __name__ == "__main__":
    sys.exit(main())
