"""The house rules for names: docstrings speak of objects, not persons; a class name means one thing."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
PERSONS = re.compile(
    r"\b(he|his|him|himself|somebody|nobody|whoever|whom|everybody|anybody)\b", re.IGNORECASE
)
TWICE: dict[str, str] = {}  # class names that may stand in two modules, each with its reason


def documented(source: str) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def persons(source: str) -> list[str]:
    return [
        getattr(node, "name", "the module")
        for node in documented(source)
        if PERSONS.search(ast.get_docstring(node) or "")
    ]


def test_no_docstring_speaks_of_persons():
    found = {str(path.relative_to(SOURCE)): persons(path.read_text()) for path in SOURCE.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_docstring_about_a_person_is_seen():
    assert persons('def judge():\n    """Return what he says."""\n') == ["judge"]


def test_a_class_name_means_one_thing():
    modules = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in documented(path.read_text()):
            if isinstance(node, ast.ClassDef) and node.name not in TWICE:
                modules[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
