"""Published numbers as rows, each beside ours and with a plain word on whether the two can be compared."""

import tomllib
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.errors import UsageError


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """One published number; `ours` only where a corpus lets us measure the same thing."""

    what: str  # strategy and setting
    where: str  # table or figure
    measure: str
    value: float
    comparable: bool
    why: str
    ours: float | None = None
    corpus: str = ""
    command: str = ""  # makes ours
    document: str = ""  # has ours


class Paper(Struct, frozen=True, forbid_unknown_fields=True):
    """A paper and its numbers."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    strategy: str = ""  # ours of the paper's name
    differs: tuple[str, ...] = ()  # what is not as printed, and why, a line each
    experiment: str = ""  # the command that plays its experiment


def read_papers(folder: Path | None = None) -> list[Paper]:
    """Return the papers of a folder, or those that come with the project."""
    place = folder or shipped()
    paths = sorted(place.glob("*.toml"))
    if not paths:
        raise UsageError(f"No papers in {place}: it should hold one .toml file for each.")
    return [_read(path) for path in paths]


def shipped() -> Path:
    """Return the folder of papers: in the package, or beside the source it is run from."""
    inside = Path(str(files("thresher.lab"))) / "papers"
    return inside if inside.is_dir() else Path(str(files("thresher"))).parents[1] / "papers"


def _read(path: Path) -> Paper:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Paper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}.") from None
