"""What models say of fetched pages: lines of labels.model.csv in the folder, apart from the user's own.

A line is a URL, yes or no, whether it may be taught, the model, and the words of the page that it quotes.
"""

import csv
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from thresher.core.errors import InvalidUrl
from thresher.core.files import as_told, inert, open_behind, stamp_of
from thresher.core.records import Url
from thresher.core.url import parse

log = logging.getLogger(__name__)

WORDS = {"yes": True, "no": False}
FIELDS = 5


class ModelLabel(Struct, frozen=True):
    """What one model said of one page."""

    url: Url
    wanted: bool
    is_taught: bool  # it was found to agree with the user's labels, so the crawl may learn from it
    model: str
    quote: str = ""


def beside(labels: Path) -> Path:
    """Return where a model's labels stand, beside those of the user."""
    return labels.with_name(f"{labels.stem}.model{labels.suffix}")


class ModelLabels:
    """The file of a model's labels, read again only when it has changed."""

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self._path = path
        self._seen: tuple[int, int] | None = None
        self.taught: Mapping[Url, bool] = {}

    def all(self) -> Mapping[Url, bool]:
        """Return everything that models said, taught or not; of two lines about one page the last one."""
        return {each.url: each.wanted for each in read_model_labels(self._path)}

    def look(self) -> bool:
        """Read the file if it has changed; tell whether it was read."""
        if (now := stamp_of(self._path)) in (None, self._seen):
            return False
        self._seen = now
        latest = {each.url: each for each in read_model_labels(self._path)}
        self.taught = {url: each.wanted for url, each in latest.items() if each.is_taught}
        return True


def read_model_labels(path: Path) -> list[ModelLabel]:
    """Return the labels of a file, in their order; a line that is none is passed over with a warning."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            lines = list(_rows(file))
    except OSError:
        return []
    labels = [found for line in lines if (found := _label(line))]
    if len(labels) < len(lines):
        log.warning("%s has %d lines that are no labels.", path, len(lines) - len(labels))
    return labels


def add_model_labels(path: Path, labels: Iterable[ModelLabel]) -> None:
    """Write labels behind those that are there."""
    names = {wanted: word for word, wanted in WORDS.items()}
    with open_behind(path) as file:
        csv.writer(file).writerows(
            (each.url, names[each.wanted], names[each.is_taught], inert(each.model), inert(each.quote))
            for each in labels
        )


def _rows(file: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines of a file; from one on that is no CSV none is."""
    try:
        yield from csv.reader(file)
    except csv.Error:
        yield []


def _label(line: list[str]) -> ModelLabel | None:
    if len(line) != FIELDS or line[1] not in WORDS or line[2] not in WORDS:
        return None
    try:
        return ModelLabel(parse(line[0]), WORDS[line[1]], WORDS[line[2]], *map(as_told, line[3:]))
    except InvalidUrl:
        return None
