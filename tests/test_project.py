"""The house rules: what a reader may rely on in every file of the project."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from scripts.refuse_long_files import too_long

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "thresher"
MODULES = sorted(SOURCE.rglob("*.py"))


def tracked(suffix: str = "") -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in names.stdout.split("\0") if name.endswith(suffix)]
    return [path for path in paths if path.is_file()]


def test_no_python_file_is_over_400_lines():
    assert too_long(tracked(".py")) == []


def test_a_file_of_401_lines_is_refused(tmp_path):
    long, short = tmp_path / "long.py", tmp_path / "short.py"
    long.write_text("x = 1\n" * 401)
    short.write_text("x = 1\n" * 400)
    assert too_long([long, short]) == [f"{long} has 401 lines; split it below 400."]


def functions_over(limit: int, source: str) -> list[str]:
    functions = (
        n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [f.name for f in functions if (f.end_lineno or f.lineno) - f.lineno >= limit]


def test_no_function_is_over_40_lines():
    long = {str(path.relative_to(ROOT)): functions_over(40, path.read_text()) for path in MODULES}
    assert {path: names for path, names in long.items() if names} == {}


def test_a_function_of_41_lines_is_seen():
    assert functions_over(40, "def long():\n" + "    x = 1\n" * 40) == ["long"]
    assert functions_over(40, "def fits():\n" + "    x = 1\n" * 39) == []


def test_every_module_says_its_job():
    texts = {str(path): path.read_text() for path in tracked(".py")}
    mute = [path for path, text in texts.items() if text and not ast.get_docstring(ast.parse(text))]
    assert mute == []


def test_constraints_are_exact_versions_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [
        line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w.]+ (<|!=|==) '[\w.]+')?", line)
    ] == []


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def package(requirement: str) -> str:
    return re.split(r"[<>=!;\[ ]", requirement)[0].lower().replace(".", "-").replace("_", "-")


def test_every_dependency_is_pinned():
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    pinned = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {package(line) for line in [*PROJECT["dependencies"], *extras]} - pinned == {"thresher"}


def imported(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("extra", ["", "scrapy"])
def test_every_package_imported_is_a_dependency_of_our_own(extra):
    """What another package happens to bring along may be gone in its next version.

    The package that works inside Scrapy has what its extra names, besides.
    """
    modules = [path for path in MODULES if ("scrapy" in path.parts) == bool(extra)]
    names = {name.split(".")[0] for path in modules for name in imported(path.read_text())}
    conditional = {"backports", "compression"}  # one package under two names: before and since Python 3.14
    known = packages_distributions()
    others = names - sys.stdlib_module_names - conditional - {"thresher", "thresher_practice"}
    providers = {name: known.get(name, [name]) for name in others}
    further = PROJECT["optional-dependencies"][extra] if extra else []
    declared = {package(line) for line in [*PROJECT["dependencies"], *further]}
    missing_ones = {name for name, by in providers.items() if not declared & {package(each) for each in by}}
    assert missing_ones == set()


@pytest.mark.parametrize("shared", ["", "no-such-folder", "README.md"])
def test_make_checks_without_its_folder_says_what_to_do(shared):
    made = subprocess.run(["make", "checks", f"SHARED={shared}"], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 2
    assert "make checks SHARED=folder" in made.stderr.splitlines()[0]


FILE_NAME = re.compile(r"`([\w./-]+\.(?:py|md))(?:::?[\w.]+)?`")


def named_files(text: str) -> list[str]:
    return FILE_NAME.findall(text)


def missing(names: list[str]) -> list[str]:
    return [name for name in names if not any((base / name).is_file() for base in (ROOT, SOURCE))]


DOCUMENTS = sorted(
    path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "adr"
)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", *map(str, DOCUMENTS)])
def test_the_documents_name_only_files_that_exist(document):
    assert missing(named_files((ROOT / document).read_text())) == []


def test_the_way_of_one_page_passes_through_at_least_ten_files():
    names = named_files((ROOT / "docs" / "extend" / "architecture.md").read_text())
    assert len({name for name in names if name.endswith(".py")}) >= 10


def test_a_file_that_does_not_exist_is_seen():
    assert missing(named_files("see `engine/crawl.py` and `engine/lop.py::run`")) == ["engine/lop.py"]


def test_links_between_documents_lead_somewhere():
    dead = []
    for path in tracked(".md"):
        targets = re.findall(r"\]\(([^)#\s]+)", path.read_text())
        dead += [f"{path.name}: {t}" for t in targets if "://" not in t and not (path.parent / t).exists()]
    assert dead == []
