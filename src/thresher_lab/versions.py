"""Versions of the code that made a result: digests of what is shipped, so that nothing old passes for new."""

import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from importlib.resources.abc import Traversable

PARSING = ("core", "parse")
TELLING = (
    *(f"thresher/{name}" for name in ("__main__.py", "cli", "export", "practice", "report")),
    *(f"thresher_lab/{name}" for name in (
        "cli", "record.py", "report.py", "results.py", "score.py", "served_web.py", "standings.py",
        "statistics.py", "studies", "summary.py", "tables.py", "templates", "web_server.py",
    )),
)  # fmt: skip
"""What is shipped, but decides no replay: it asks for results, or tells of them."""


def parser_version() -> str:
    """Return what changes when a page may be parsed into another."""
    shipped = files("thresher")
    return _digest((room, shipped / room) for room in PARSING)


def code_version(*shipped: Traversable) -> str:
    """Return what changes when a replay may end differently: code, data, or a package that we need."""
    ours = shipped or (files("thresher"), files("thresher_lab"))
    return _digest((each.name, each) for each in ours)


def packages() -> list[str]:
    """Return the packages that Thresher needs, with the versions installed here."""
    names = [
        re.split(r"[^\w.-]", each, maxsplit=1)[0]
        for each in requires("thresher") or ()
        if "extra ==" not in each
    ]
    return [f"{name}=={found}" for name in sorted(names) if (found := _version(name))]


def _digest(shipped: Iterator[tuple[str, Traversable]]) -> str:
    hasher = hashlib.blake2b(digest_size=8)
    found = {path: file for name, each in shipped for path, file in _files(name, each)}
    for path in sorted(found):
        hasher.update(f"{path}\0".encode() + found[path].read_bytes())
    hasher.update("\n".join(packages()).encode())
    return hasher.hexdigest()


def _files(path: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Return every file below a place that may decide a replay, with its path."""
    if path in TELLING or place.name == "__pycache__":
        return
    if place.is_file():
        yield path, place
        return
    for each in place.iterdir():
        yield from _files(f"{path}/{each.name}", each)


def _version(package: str) -> str:
    """Return the version of a package, none if this Python or platform does without it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
