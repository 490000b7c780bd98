"""The door of the export formats: what each of them is called, is given, and leaves behind."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, ClassVar, Generic, TypeVar

from thresher.core.errors import UsageError
from thresher.core.files import whole_file, whole_folder, whole_path
from thresher.core.records import Visit
from thresher.export.items import FIELDS, Item, items_in
from thresher.export.select import EVERYTHING, Selection, chosen
from thresher.store.folder import CrawlFolder
from thresher.store.read import Reading

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Pages:
    """The chosen pages of a crawl that is held open, read one by one each time they are asked for."""

    folder: CrawlFolder
    store: Reading
    selection: Selection = EVERYTHING
    fields: tuple[str, ...] = FIELDS

    def items(self) -> Iterator[Item]:
        """Yield the pages as items, in the order fetched."""
        return items_in(self.store, self.selection)

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield the values of the wanted fields, page by page."""
        if len(self.fields) == 1:
            return ((getattr(item, self.fields[0]),) for item in self.items())
        return map(attrgetter(*self.fields), self.items())

    def visits(self) -> Iterator[Visit]:
        """Yield the visits that brought the pages, page and all."""
        return chosen(self.store, self.selection)


@contextmanager
def pages_of(
    folder: CrawlFolder, selection: Selection = EVERYTHING, fields: tuple[str, ...] = FIELDS
) -> Iterator[Pages]:
    """Hold a crawl open as it is now; it may be running."""
    store = folder.open()
    try:
        store.hold()
        yield Pages(folder, store, selection, fields)
    finally:
        store.close()


class Counted(Generic[Thing]):
    """Things that are counted as they pass."""

    def __init__(self, things: Iterable[Thing]) -> None:
        """Count nothing yet."""
        self.count, self._things = 0, things

    def __iter__(self) -> Iterator[Thing]:
        for thing in self._things:
            self.count += 1
            yield thing


class Format:
    """A way to write pages. One file and one row of `formats.py` make a new one."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    use: ClassVar[str]  # what it is and what for, in a sentence
    noun: ClassVar[str] = "page"  # what is counted
    beside: ClassVar[str] = ""  # what lies beside the file, to be said

    def save(self, pages: Pages, target: Path) -> int:
        """Write the pages under a name, where they appear only when complete, and return how many."""
        raise NotImplementedError


class StreamFormat(Format):
    """A format that is written from its beginning to its end: to a file, and to stdout if it is text."""

    def save(self, pages: Pages, target: Path) -> int:
        """Write a whole file."""
        with whole_file(target) as file:
            return self.write(pages, file)

    def write(self, pages: Pages, file: BinaryIO) -> int:
        """Write the pages and return how many there were."""
        raise NotImplementedError


class FileFormat(Format):
    """A format whose library makes the file itself."""

    def save(self, pages: Pages, target: Path) -> int:
        """Write a whole file."""
        with whole_path(target) as path:
            return self.make(pages, path)

    def make(self, pages: Pages, path: Path) -> int:
        """Make the file and return how many pages it has."""
        raise NotImplementedError


class FolderFormat(Format):
    """A format of many files in a folder of their own."""

    def save(self, pages: Pages, target: Path) -> int:
        """Write a whole folder; one that is there already is left as it is."""
        if target.exists():
            raise UsageError(f"{target} is there already. Remove it, or name another folder with -o.")
        with whole_folder(target) as folder:
            return self.fill(pages, folder)

    def fill(self, pages: Pages, folder: Path) -> int:
        """Fill the folder and return how many pages it has."""
        raise NotImplementedError
