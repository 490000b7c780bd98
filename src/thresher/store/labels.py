"""Labels of pages: the user's in labels.csv, those of models in labels.model.csv."""

import csv
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic

from msgspec import Struct
from typing_extensions import override

from thresher.core.errors import InvalidUrl, UsageError
from thresher.core.files import as_told, escape_formula, open_append, stamp_of
from thresher.core.records import Url
from thresher.core.strategy import LabelFeed
from thresher.core.url import key_of, parse

# What models say of fetched pages: lines of labels.model.csv in the folder, apart from the user's own.
#
# A line is a URL, yes or no, whether it may be taught, the model, and the words of the page that it quotes.


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
        self._path = path
        self._seen: tuple[int, int] | None = None
        self.taught: Mapping[Url, bool] = {}

    def all(self) -> Mapping[Url, bool]:
        """Return everything that models said, taught or not; of two lines about one page the last one."""
        return {each.url: each.wanted for each in read_model_labels(self._path)}

    def poll(self) -> bool:
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
    with open_append(path) as file:
        csv.writer(file).writerows(
            (
                each.url,
                names[each.wanted],
                names[each.is_taught],
                escape_formula(each.model),
                escape_formula(each.quote),
            )
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


# What the user says of fetched pages: lines of labels.csv in the crawl's folder, read by a running crawl.
#
# A file beside the database, because the database belongs to the process that crawls. Of two lines about one
# page the last one counts. What a model says stands in a file of its own (labels.py): a crawl may learn
# from it where the user has said nothing, but it never counts as the user's word.


YES = frozenset({"yes", "y", "1", "true", "relevant"})
NO = frozenset({"no", "n", "0", "false", "irrelevant"})


@dataclass
class Labels(LabelFeed):
    """The file of labels, read again only when it has changed."""

    path: Path
    pause: float = 0.0  # seconds between two checks of the file: a crawl need not look after every page
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
        self._poll()
        return self._read

    @override
    def new_labels(self) -> Mapping[Url, bool]:
        """Return all that may be learned from if it has changed since it was last looked at, else none."""
        return self._taught() if self._poll() else {}

    def taught(self) -> Mapping[Url, bool]:
        """Return all that may be learned from: what a model said, and over it what the user says."""
        self._poll()
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

    def _poll(self) -> bool:
        """Read the files if they have changed and the pause is over; tell whether one was read."""
        if (time := monotonic()) < self._next:
            return False
        self._next = time + self.pause
        models = self._model.poll()
        return self._poll_own() or models

    def _poll_own(self) -> bool:
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
        with open_append(self.path) as file:
            csv.writer(file).writerows((url, "yes" if wanted else "no") for url, wanted in labels.items())


def read_labels(path: Path, strict: bool = True) -> dict[Url, bool]:
    """Return the labels of a CSV file; of two lines about one page the last one counts."""
    return dict(labels_in(path, strict))


def labels_in(path: Path, strict: bool = True) -> list[tuple[Url, bool]]:
    """Return the labels of a CSV file: a URL and yes or no in each line; a header is passed over.

    A line that cannot be read is an error, or, where that is not strict, a warning: the others count.
    """
    labels: list[tuple[Url, bool]] = []
    faults: list[str] = []
    try:
        with path.open(encoding="utf-8-sig", errors=None if strict else "replace", newline="") as file:
            for number, line in _lines(csv.reader(file)):
                try:
                    labels += _labelled(number, line)
                except ValueError as error:
                    faults.append(f"{path}, line {number}: {error}")
    except FileNotFoundError:
        raise UsageError(f"No file {path} here; it takes a URL and yes or no in each line.") from None
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


def _labelled(number: int, line: list[str]) -> list[tuple[Url, bool]]:
    """Return the label that a line gives, if it is one that should; what is wrong with it is a ValueError."""
    if not line or (number == 1 and line[0].strip().lower() == "url"):
        return []
    wanted = label_of(line[1]) if len(line) > 1 else None
    if wanted is None:
        raise ValueError("write a URL, a comma, and yes or no.")
    return [(parse(line[0].strip()), wanted)]
