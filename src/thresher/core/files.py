"""Files that are written whole or not at all, and the points at which a test may interrupt that."""

import logging
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from thresher.core.errors import NotACrawl
from thresher.core.platform import open_file, replace, sync_folder

log = logging.getLogger(__name__)

EVERYBODY = 0o644


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """Name a file to be made that takes its name, and the place of an older one, only when complete."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")  # several processes may have the same idea
    unfinished.unlink(missing_ok=True)
    try:
        yield unfinished
        replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Make a folder that takes its name, which must be free, only when everything is in it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        yield unfinished
        unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def atomic_write(path: Path, mode: int = EVERYBODY, *, durable: bool = False) -> Iterator[BinaryIO]:
    """Open such a file for writing; a durable one is on the disk before it takes its name."""
    with whole_path(path) as unfinished, open_new(unfinished, mode) as file:
        yield file
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if durable:
        sync_folder(path.parent)


def write_status_file(path: Path, told: bytes) -> None:
    """Replace a file that only tells what is going on; a full disk is the store's to complain of."""
    try:
        with atomic_write(path) as file:
            file.write(told)
    except OSError as error:
        log.debug("%s was not written: %s", path, error)


def remove_status_file(path: Path) -> None:
    """Remove such a file; where the disk can only be read by now, it stays."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def open_append(path: Path) -> TextIO:
    """Open a file of lines to write behind those that are there; a link in its place is not followed."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    return os.fdopen(open_file(path, flags, EVERYBODY), "a", encoding="utf-8", newline="")


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Return when a file was written and how long it is, by which it is seen to change; None without one."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def open_new(path: Path, mode: int = EVERYBODY) -> BinaryIO:
    """Open a file that is new: what has its name goes, and where a link of that name led stays untouched."""
    path.unlink(missing_ok=True)
    return os.fdopen(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")


def open_in_place(path: Path) -> BinaryIO:
    """Open a file for reading that is there itself, not by a link."""
    return os.fdopen(open_file(path, os.O_RDONLY), "rb")


def plain_file(folder: Path, name: str) -> Path:
    """Return the WARC file of that name in a folder; a name that leads out of it is refused."""
    if not _PLAIN.fullmatch(name):
        raise NotACrawl(
            f"The database of the crawl names {name!r} as a file of {folder}, which it cannot be: "
            "it was not written by Thresher, or somebody has changed it."
        )
    return folder / name


_PLAIN = re.compile(r"\w[\w.-]{0,200}\.warc\.gz", re.ASCII)


def refuse_link(path: Path) -> None:
    """Refuse what is neither a file nor a folder of its own: a crawl folder is data, and leads nowhere."""
    try:
        kind = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        what = "a link" if stat.S_ISLNK(kind) else "no file"
        raise NotACrawl(
            f"{path} is {what}, and nothing is read or written through it: "
            "put the file itself in its place, or remove it."
        )


# Cells of CSV files that a spreadsheet shows and does not compute.


_MARK = "'"  # makes a text of whatever follows
_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


def escape_formula(text: str) -> str:
    """Return a text as a cell; what a spreadsheet would compute gets the mark that makes it text."""
    return f"{_MARK}{text}" if text.startswith(_FORMULA) else text


def as_told(cell: str) -> str:
    """Return the text that a cell was made of."""
    return cell[1:] if cell.startswith(_MARK) and cell[1:].startswith(_FORMULA) else cell


# Fault points: where a test may stop a crawl; outside tests nothing happens there


AFTER_FETCH = "after fetch"
AFTER_ARCHIVE = "after archive"
BEFORE_COMMIT = "before commit"
AFTER_COMMIT = "after commit"
BEFORE_VERSION = "before version"
AFTER_VERSION = "after version"
IN_RECOVERY = "in recovery"
IN_CUT = "in the middle of a cut"

_listener: Callable[[str], None] | None = None


def reached(point: str) -> None:
    """Tell the test that listens, if one does, that the crawl has come to a point."""
    if _listener:
        _listener(point)


def listen(listener: Callable[[str], None] | None) -> None:
    """Let a test hear of every point reached from now on."""
    global _listener
    _listener = listener
