"""The import contracts hold, and each of them catches a violation planted in a copy of the source."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
NAMES = {contract["id"]: contract["name"] for contract in LINTER["contracts"]}

Plant = Callable[[str, str], None]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.fixture
def plant(copy: Path) -> Plant:
    def add(path: str, line: str) -> None:
        """Write one line at the end of a module of the copy; make its room if it is not built yet."""
        module = copy / "src" / "thresher" / path
        module.parent.mkdir(exist_ok=True)
        (module.parent / "__init__.py").touch()
        with module.open("a") as file:
            file.write(f"\n{line}\n")

    return add


def lint(folder: Path) -> str:
    """Return what import-linter says of the package in `folder`."""
    command = "from importlinter.cli import lint_imports_command as lint; lint()"
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-logo", "--no-cache"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def broken(report: str) -> set[str]:
    """Return the ids of the contracts that the report calls broken; every contract must be reported."""
    verdicts = {
        key: re.search(rf"^{re.escape(name)} (KEPT|BROKEN)", report, re.M) for key, name in NAMES.items()
    }
    assert all(verdicts.values()), report
    return {key for key, verdict in verdicts.items() if verdict and verdict[1] == "BROKEN"}


def test_the_contracts_hold(copy):
    report = lint(copy)
    assert broken(report) == set(), report


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("core/planted.py", "import thresher.settings"),
        ("text/planted.py", "import thresher.topic"),
        ("frontier/planted.py", "import thresher.strategies"),
        ("parse/planted.py", "import thresher.store"),
        ("engine/planted.py", "from thresher import crawl"),
        ("attic/__init__.py", "import thresher.core"),
    ],
)
def test_a_room_that_looks_up_sideways_or_is_not_in_the_picture_breaks_the_layers(copy, plant, path, line):
    plant(path, line)
    assert "layers" in broken(lint(copy))


PURE = ["strategies", "judges", "freshness", "topic", "text"]
HANDS = ["aiohttp", "asyncio", "selectors", "socket", "sqlite3", "time", "thresher.fetch", "thresher.store"]


def test_a_thinking_room_that_touches_the_world_is_caught(copy, plant):
    for room in PURE:
        for module in [*HANDS, "thresher.frontier"]:
            plant(f"{room}/planted.py", f"import {module}")
    report = lint(copy)
    assert "pure" in broken(report)
    allowed = [
        (room, module)
        for room in PURE
        for module in [*HANDS, "thresher.frontier"]
        if f"thresher.{room} is not allowed to import {module}:" not in report
    ]
    assert allowed == []


@pytest.mark.parametrize("module", ["time", "socket"])
def test_one_import_is_enough_to_spoil_purity(copy, plant, module):
    plant("strategies/classic.py", f"from {module} import {module}")
    assert broken(lint(copy)) == {"pure"}


def test_a_strategy_that_asks_knowledge_directly_is_caught(copy, plant):
    plant("strategies/planted.py", "import thresher.knowledge.index")
    assert "thresher.strategies is not allowed to import thresher.knowledge:" in lint(copy)


@pytest.mark.parametrize("module", ["frontier", "settings", "engine.workers"])
def test_a_loop_that_sees_a_room_is_caught(copy, plant, module):
    plant("engine/crawl.py", f"import thresher.{module}")
    assert broken(lint(copy)) == {"loop"}


@pytest.mark.parametrize("module", ["aiohttp", "socket", "http.client"])
def test_a_client_beside_the_guarded_one_is_caught(copy, plant, module):
    plant("export/planted.py", f"import {module}")
    assert broken(lint(copy)) == {"guard"}


def test_nothing_that_is_measured_may_import_the_lab(copy, plant):
    plant("cli/planted.py", "import thresher_lab.planted")
    assert broken(lint(copy)) == {"lab"}


def test_a_room_that_is_built_is_no_longer_optional():
    """Once a room exists, its name loses the parentheses in the layers and the `.**` elsewhere."""
    text = str(LINTER)
    waiting = set(re.findall(r"\((\w+)\)", text)) | set(re.findall(r"thresher\.(\w+)\.\*\*", text)) - {"core"}
    house = ROOT / "src" / "thresher"
    built = {
        room for room in waiting if (house / room / "__init__.py").exists() or (house / f"{room}.py").exists()
    }
    assert built == set(), f"built now, so write them plainly in [tool.importlinter]: {built}"


OWN_DATABASES = {"export/tables.py", "fetch/backlinks.py", "knowledge/index.py", "knowledge/build.py"}
"""What keeps a database that is not a crawl's: an export, a dump of links, what is known of topics."""


def test_the_store_and_the_search_alone_speak_sql():
    """Reports, screens and the library ask `CrawlReader`, `Reader` and `IndexedFigures`."""
    said = re.compile(r'"(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|BEGIN)\b|\.execute(?:many|script)?\(')
    package = ROOT / "src" / "thresher"
    sources = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    asking = {name for name, path in sources.items() if said.search(path.read_text(encoding="utf-8"))}
    assert {name for name in asking if not name.startswith(("store/", "search/"))} == OWN_DATABASES
