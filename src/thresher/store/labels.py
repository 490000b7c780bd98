"""What the user says of fetched pages: lines of labels.csv in the crawl's folder, read by a running crawl.

A file beside the database, because the database belongs to the process that crawls. Of two lines about one
page the last one counts. What a model says stands in a file of its own (model_labels.py): a crawl may learn
from it where the user has said nothing, but it never counts as the user's word.
"""

import csv
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic

from thresher.core.errors import UsageError
from thresher.core.files import open_behind, stamp_of
from thresher.core.records import Url
from thresher.core.url import key_of, parse
from thresher.store.model_labels import ModelLabels, beside

log = logging.getLogger(__name__)

YES = frozenset({"yes", "y", "1", "true", "relevant"})
NO = frozenset({"no", "n", "0", "false", "irrelevant"})


@dataclass
class Labels:
    """The file of labels, read again only when it has changed."""

    path: Path
    pause: float = 0.0  # seconds between two looks at the file: a crawl need not look after every page
    strict: bool = True  # a line that cannot be read is an error; to a running crawl it is a warning
    _next: float = 0.0
    _seen: tuple[int, int] | None = None
    _read: dict[Url, bool] = field(default_factory=dict)
    _by_key: dict[int, bool] = field(default_factory=dict)
    _model: ModelLabels = field(init=False)

    def __post_init__(self) -> None:
        """Know where a model's labels stand."""
        self._model = ModelLabels(beside(self.path))

    def __str__(self) -> str:
        return f"{self.path.name}, looked at every {self.pause:g} s"

    def all(self) -> Mapping[Url, bool]:
        """Return every label by its page."""
        self._look()
        return self._read

    def news(self) -> Mapping[Url, bool]:
        """Return all that may be learned from if it has changed since it was last looked at, else none."""
        return self._taught() if self._look() else {}

    def taught(self) -> Mapping[Url, bool]:
        """Return all that may be learned from: what a model said, and over it what the user says."""
        self._look()
        return self._taught()

    def by_models(self) -> Mapping[Url, bool]:
        """Return all that models said, taught or not."""
        return self._model.all()

    def _taught(self) -> Mapping[Url, bool]:
        said = {url: wanted for url, wanted in self._model.taught.items() if key_of(url) not in self._by_key}
        return said | self._read if said else self._read

    def of(self, key: int) -> bool | None:
        """Return what the user said of the page with a key when the file was last looked at."""
        return self._by_key.get(key)

    def _look(self) -> bool:
        """Read the files if they have changed and the pause is over; tell whether one was read."""
        if (time := monotonic()) < self._next:
            return False
        self._next = time + self.pause
        models = self._model.look()
        return self._look_at_own() or models

    def _look_at_own(self) -> bool:
        if (now := stamp_of(self.path)) in (None, self._seen):
            return False
        read = self._labels()
        self._seen = now
        if read is not None:
            self._read, self._by_key = read, {key_of(url): wanted for url, wanted in read.items()}
        return read is not None

    def _labels(self) -> dict[Url, bool] | None:
        try:
            return read_labels(self.path, self.strict)
        except UsageError as error:
            if self.strict:
                raise
            log.warning("%s The crawl goes on with the labels it had.", error)
            return None

    def add(self, labels: Mapping[Url, bool]) -> None:
        """Write labels behind those that are there."""
        with open_behind(self.path) as file:
            csv.writer(file).writerows((url, "yes" if wanted else "no") for url, wanted in labels.items())


def read_labels(path: Path, strict: bool = True) -> dict[Url, bool]:
    """Return the labels of a CSV file: a URL and yes or no in each line; a header is passed over.

    A line that cannot be read is an error, or, where that is not strict, a warning: the others count.
    """
    labels: dict[Url, bool] = {}
    faults: list[str] = []
    try:
        with path.open(encoding="utf-8-sig", errors=None if strict else "replace", newline="") as file:
            for number, line in _lines(csv.reader(file)):
                try:
                    labels.update(_labelled(number, line))
                except ValueError as error:
                    faults.append(f"{path}, line {number}: {error}")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}). Name a CSV file in UTF-8.") from None
    if faults and strict:
        raise UsageError(faults[0])
    if faults:
        log.warning("%s The other lines count.", faults[0])
    return labels


def label_of(text: str) -> bool | None:
    """Return what a word says of a page, or None if it says neither yes nor no."""
    word = text.strip().lower()
    return True if word in YES else False if word in NO else None


def _lines(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield each line with its number; one that is no CSV is one that says nothing."""
    for number in count(1):
        try:
            yield number, next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield number, ["?"]


def _labelled(number: int, line: list[str]) -> dict[Url, bool]:
    """Return the label that a line gives, if it is one that should; what is wrong with it is a ValueError."""
    if not line or (number == 1 and line[0].strip().lower() == "url"):
        return {}
    wanted = label_of(line[1]) if len(line) > 1 else None
    if wanted is None:
        raise ValueError("write a URL, a comma, and yes or no.")
    return {parse(line[0].strip()): wanted}
