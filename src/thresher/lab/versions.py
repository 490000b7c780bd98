"""Which code made a result: a digest of the source, so that nothing old is taken for new."""

import hashlib
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

PARSING = ("core", "parse")
CRAWLING = (
    *PARSING, "assemble", "crawling", "frontier", "knowledge", "lab", "relevance", "revisit", "settings",
    "store", "strategies", "text", "topic", "warc", "web",
)  # fmt: skip


TELLING = frozenset(
    "checking chen curves papers places plots recording report results statistics summary tables".split()
)
"""Modules of the lab that tell of results and make none."""


def parser_version() -> str:
    """Return what changes when a page may be parsed into another."""
    return _digest(PARSING, "turbohtml")


def code_version() -> str:
    """Return what changes when a replay may end differently."""
    return _digest(CRAWLING, "turbohtml", "rjieba", "PyStemmer")


def _digest(rooms: tuple[str, ...], *packages: str) -> str:
    hasher = hashlib.blake2b(digest_size=8)
    for room in rooms:
        folder = files("thresher") / room
        for path in sorted(_sources(folder), key=lambda each: each.name) if folder.is_dir() else ():
            if room == "lab" and path.name.removesuffix(".py") in TELLING:
                continue
            hasher.update(f"{room}/{path.name}\0".encode() + path.read_bytes())
    for package in packages:
        hasher.update(f"{package}=={version(package)}".encode())
    return hasher.hexdigest()


def _sources(folder: Traversable) -> list[Traversable]:
    found = []
    for path in folder.iterdir():
        if path.is_dir():
            found += _sources(path)
        elif path.name.endswith((".py", ".txt")):
            found.append(path)
    return found
