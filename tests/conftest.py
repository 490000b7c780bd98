"""What every test shares: the same examples every time, and no database left open."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import tests.fresh_core  # noqa: F401 - before the core is imported
from thresher.core.platform import POSIX
from thresher.store.database import IN_MEMORY, Database

settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip on Windows what needs signals, links or processes as others have them."""
    for item in items:
        if item.get_closest_marker("posix") and not POSIX:
            item.add_marker(pytest.mark.skip(reason="needs Linux or macOS"))


@pytest.fixture(autouse=True, scope="session")
def _no_configuration_of_this_machine(tmp_path_factory):
    """Keep the user's own settings out of the tests, and what tests remember out of his configuration."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THRESHER_CONFIG", str(tmp_path_factory.mktemp("config") / "settings.toml"))
        yield


@pytest.fixture(autouse=True)
def _only_shipped_knowledge(monkeypatch, tmp_path):
    """Keep what the user of this machine added to the knowledge out of the tests."""
    monkeypatch.setenv("THRESHER_KNOWLEDGE", str(tmp_path / "no-knowledge.db"))


@pytest.fixture(autouse=True)
def _close_databases_in_memory(monkeypatch):
    """Close those a test made for its own use; one in a file must be closed by whoever opened it."""
    made: list[Database] = []
    make = Database.__init__

    def remember(self: Database, path: Path = IN_MEMORY, **options: Any) -> None:
        make(self, path, **options)
        if path == IN_MEMORY:
            made.append(self)

    monkeypatch.setattr(Database, "__init__", remember)
    yield
    for database in made:
        database.close()
