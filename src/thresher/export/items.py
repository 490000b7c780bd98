"""The items of an export: which pages of a crawl, what is told of each, and what a format is given."""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isnan
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, ClassVar, Generic, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override
from xxhash import xxh3_64_intdigest

from thresher.core.errors import ArchiveDamaged, UsageError
from thresher.core.files import atomic_write, whole_folder, whole_path
from thresher.core.records import Page, Url, Visit
from thresher.core.url import hostname_of
from thresher.export.wording import moment
from thresher.filters.pages import SimHashes
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader
from thresher.text.page_record import SHORTEST_SIMHASH, has_bytes

# Which pages: the user's conditions, read page by page in bounded memory


class Selection(Struct, frozen=True):
    """What the user asks of a page; nothing asked is everything wanted."""

    relevant: bool = False
    min_relevance: float = 0.0
    languages: tuple[str, ...] = ()
    labelled: bool = False  # of which the user said yes or no
    since: float = 0.0  # fetched at that moment or later
    top: int = (
        0  # so many, the most relevant first and none that says nearly the same as a better one; 0: all
    )
    unique: bool = False  # of pages that say nearly the same, only the most relevant one

    @property
    def ranks(self) -> bool:
        """Whether a page is wanted depends on the others."""
        return bool(self.top or self.unique)


EVERYTHING = Selection()


def chosen(store: CrawlReader, selection: Selection) -> Iterator[Visit]:
    """Yield the visits that brought the chosen pages, page and all, in the order of `with_counts`."""
    return (visit for visit, _ in with_counts(store, selection))


def with_counts(store: CrawlReader, selection: Selection) -> Iterator[tuple[Visit, int]]:
    """Yield the visits that brought the chosen pages, page and all, and how many pages say nearly the same.

    Those come oldest first, or the most relevant first if only the top is wanted. Where pages are ranked the
    crawl is read twice; what is kept of a page in between is a few numbers, and of the top its visit.
    """
    if not selection.ranks:
        yield from ((visit, 0) for visit in _wanted(store, selection))
        return
    ranks = {place: (rank, alike) for rank, (place, alike) in enumerate(_ranked(store, selection))}
    top: dict[int, tuple[Visit, int]] = {}
    for place, visit in enumerate(_wanted(store, selection)):
        rank, alike = ranks.get(place, (-1, 0))
        if rank >= 0 and selection.top:
            top[rank] = replace(visit, page=None), alike
        elif rank >= 0:
            yield visit, alike
    for visit, alike in map(top.__getitem__, sorted(top)):
        yield replace(visit, page=store.page(visit.candidate.url)), alike


def _wanted(store: CrawlReader, selection: Selection) -> Iterator[Visit]:
    """Yield the visits whose pages meet the conditions that each page meets by itself."""
    threshold = store.facts.threshold
    least = max(selection.min_relevance, threshold if selection.relevant else 0.0)
    if selection.relevant and isnan(threshold):
        return  # what is relevant is not known yet
    for visit in store.pages():
        if visit.relevance >= least and visit.at >= selection.since and _is_asked(store, visit, selection):
            yield visit


def _is_asked(store: CrawlReader, visit: Visit, selection: Selection) -> bool:
    language = visit.page.language if visit.page else ""
    if selection.languages and language not in selection.languages:
        return False
    return not selection.labelled or store.label(visit.candidate.url) is not None


def _ranked(store: CrawlReader, selection: Selection) -> list[tuple[int, int]]:
    """Return the places of the wanted pages, the most relevant first, each with how many repeat it."""
    scores, hashes = array("d"), array("Q")
    for visit in _wanted(store, selection):
        scores.append(visit.relevance)
        hashes.append(saying(visit.page) if visit.page else 0)
    order = np.argsort(-np.array(scores), kind="stable").tolist()
    firsts = grouped(hashes[place] for place in order)
    return [(order[rank], alike) for rank, alike in firsts[: selection.top or None]]


def grouped(sayings: Iterable[int]) -> list[tuple[int, int]]:
    """Return the places of those that are like none before, each with how many after it are like it."""
    seen, places, counts = SimHashes(sys.maxsize), dict[int, int](), Counter[int]()
    for place, each in enumerate(sayings):
        if (near := seen.near(each)) is None:
            seen.add(each)
            places[each] = place
        else:
            counts[near] += 1
    return [(place, counts[each]) for each, place in places.items()]


def saying(page: Page) -> int:
    """Return 64 bits that are near for texts that are; a short text is like itself alone."""
    if has_bytes(page.main, SHORTEST_SIMHASH):
        return page.fingerprint.simhash
    return xxh3_64_intdigest((page.main or page.url).encode("utf-8", "surrogatepass"))


# The item of a page


class Item(Struct, frozen=True):
    """One fetched page. The first fields are what an export has unless others are named."""

    url: Url
    requested_url: Url  # what was asked for before any redirect
    status: int
    fetched_at: str  # ISO 8601, UTC
    title: str
    main: str  # the text without menus and footers
    language: str
    relevance: float
    is_relevant: bool
    label: str  # what the user said: yes, no, or nothing
    parent: Url | None  # the page with the link that led here; none for a seed
    depth: int
    anchor: str
    digest: str
    text: str = ""  # everything a reader sees
    host: str = ""
    size: int = 0  # bytes of the body as received
    outlinks: int = 0  # how many
    model_label: str = ""  # what a model said of it, taught or not: yes, no, or nothing
    alike: int = 0  # pages that say nearly the same and are left out


ON_REQUEST = ("text", "host", "size", "outlinks", "model_label", "alike")
FIELDS = tuple(name for name in Item.__struct_fields__ if name not in ON_REQUEST)
"""The fields of an export unless others are named."""


def fields_of(names: str) -> tuple[str, ...]:
    """Return the fields that a user names, with commas between them."""
    fields = tuple(name.strip() for name in names.split(",") if name.strip())
    for name in fields:
        if name not in Item.__struct_fields__:
            near = get_close_matches(name, Item.__struct_fields__, n=1)
            known = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(Item.__struct_fields__)}."
            raise UsageError(f"No field {name!r}. {known}")
    return tuple(dict.fromkeys(fields)) or FIELDS


def items_of(folder: CrawlFolder, selection: Selection = EVERYTHING) -> Iterator[Item]:
    """Yield the pages of a crawl that are chosen one by one, in the order fetched."""
    with folder.open() as store:
        store.hold()
        yield from items_in(store, selection)


def items_in(store: CrawlReader, selection: Selection) -> Iterator[Item]:
    """Yield the chosen pages of a crawl that is open."""
    threshold, asked = store.facts.threshold, _before_redirects(store.redirects())
    models = store.model_labels()
    for visit, alike in with_counts(store, selection):
        url = visit.candidate.url
        yield _item(visit, threshold, asked, store.label(url), models.get(url), alike)


def _before_redirects(redirects: Iterable[tuple[Url, Url]]) -> dict[Url, Url]:
    """Return for each target of a redirect what was asked for first."""
    asked: dict[Url, Url] = {}
    for url, target in redirects:
        asked.setdefault(target, asked.get(url, url))
    return asked


_SAID = {None: "", True: "yes", False: "no"}


def _item(
    visit: Visit,
    threshold: float,
    asked: Mapping[Url, Url],
    label: bool | None,
    model: bool | None,
    alike: int,
) -> Item:
    candidate, page = visit.candidate, visit.page
    if page is None:
        raise ValueError(f"{candidate.url} brought no page")
    return Item(
        url=page.url,
        requested_url=asked.get(candidate.url, candidate.url) if candidate.redirects else candidate.url,
        status=visit.status,
        fetched_at=moment(visit.at),
        title=page.title,
        main=page.main,
        language=page.language,
        relevance=visit.relevance,
        is_relevant=visit.relevance >= threshold,
        label=_SAID[label],
        parent=candidate.via.source if candidate.via else None,
        depth=candidate.depth,
        anchor=candidate.via.anchor if candidate.via else "",
        digest=page.fingerprint.digest,
        text=page.text,
        host=hostname_of(page.url),
        size=visit.size,
        outlinks=len(page.links),
        model_label=_SAID[model],
        alike=alike,
    )


# Formats: base classes of those that write a stream, a file or a folder


Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Pages:
    """The chosen pages of a crawl that is held open, read one by one each time they are asked for."""

    folder: CrawlFolder
    store: CrawlReader
    selection: Selection = EVERYTHING
    fields: tuple[str, ...] = FIELDS
    damaged: list[str] = field(default_factory=list)  # what the archive has no whole bytes of, and why

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
    with folder.open() as store:
        store.hold()
        pages = Pages(folder, store, selection, fields)
        yield pages
    if pages.damaged:
        several = "1 response is" if len(pages.damaged) == 1 else f"{len(pages.damaged)} responses are"
        raise ArchiveDamaged(
            f"{several} damaged in the archive and left out; everything else "
            f"is written. The first: {pages.damaged[0]}. 'thresher check {folder.path}' lists them all."
        )


class Counted(Generic[Thing]):
    """Things that are counted as they pass."""

    def __init__(self, things: Iterable[Thing]) -> None:
        self.count, self._things = 0, things

    def __iter__(self) -> Iterator[Thing]:
        for thing in self._things:
            self.count += 1
            yield thing


class ExportFormat:
    """A way to write pages. One file and one row of `formats.py` make a new one."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    use: ClassVar[str]  # what it is and what for, in a sentence
    noun: ClassVar[str] = "page"  # what is counted
    beside: ClassVar[str] = ""  # what lies beside the file, to be said

    def save(self, pages: Pages, target: Path) -> int:
        """Write the pages under a name, where they appear only when complete, and return how many."""
        raise NotImplementedError


class StreamFormat(ExportFormat):
    """A format that is written from its beginning to its end: to a file, and to stdout if it is text."""

    @override
    def save(self, pages: Pages, target: Path) -> int:
        with atomic_write(target) as file:
            return self.write(pages, file)

    def write(self, pages: Pages, file: BinaryIO) -> int:
        """Write the pages and return how many there were."""
        raise NotImplementedError


class FileFormat(ExportFormat):
    """A format whose library makes the file itself."""

    @override
    def save(self, pages: Pages, target: Path) -> int:
        with whole_path(target) as path:
            return self.make(pages, path)

    def make(self, pages: Pages, path: Path) -> int:
        """Make the file and return how many pages it has."""
        raise NotImplementedError


class FolderFormat(ExportFormat):
    """A format of many files in a folder of their own, or in a zip if the target is called so."""

    @override
    def save(self, pages: Pages, target: Path) -> int:
        if target.suffix == ".zip":
            with whole_path(target) as file, TemporaryDirectory(dir=target.parent, prefix=".zip-") as place:
                count = self.fill(pages, Path(place))
                _zip(Path(place), file)
            return count
        if target.exists():
            raise UsageError(f"{target} is there already. Remove it, or name another folder with -o.")
        with whole_folder(target) as folder:
            return self.fill(pages, folder)

    def fill(self, pages: Pages, folder: Path) -> int:
        """Fill the folder and return how many pages it has."""
        raise NotImplementedError


def _zip(folder: Path, file: Path) -> None:
    """Pack the files of a folder."""
    with ZipFile(file, "w", ZIP_DEFLATED) as package:
        for each in sorted(path for path in folder.rglob("*") if path.is_file()):
            package.write(each, each.relative_to(folder))
