"""Checksums of a crawl's database, one for 4 KB: what a disk has changed is found before it is used.

They stand beside the database while nothing writes to it: written when it is closed, removed when it is
opened to be written. After a kill there are none, until the next run has ended.
"""

import os
from array import array
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from xxhash import xxh3_64_intdigest

from thresher.core.errors import NotACrawl
from thresher.core.files import atomic_write
from thresher.core.platform import sync_folder

PAGE = 4096
NAME = "crawl.sums"
MOST = 4 << 30  # bytes: a larger database is not read whole each time it is opened


def seal(database: Path) -> None:
    """Write the checksums of a database that was closed; none while others read what its log holds."""
    log = database.with_name(f"{database.name}-wal")
    if not database.is_file() or database.stat().st_size > MOST or (log.exists() and log.stat().st_size):
        return
    with atomic_write(database.with_name(NAME)) as file:
        file.write(array("Q", _sums(database)).tobytes())


def unseal(database: Path) -> None:
    """Remove the checksums of a database that is about to be written, before anything is."""
    beside = database.with_name(NAME)
    if beside.exists():
        beside.unlink()
        sync_folder(database.parent)


def is_sealed(database: Path) -> bool:
    """Tell whether there are checksums."""
    return database.with_name(NAME).is_file()


def damaged_pages(database: Path) -> list[int]:
    """Return which pages of a database are not as they were written, from 0 on; none without checksums."""
    try:
        wanted = array("Q", database.with_name(NAME).read_bytes())
    except FileNotFoundError:
        return []
    except ValueError:  # cut short
        return [0]
    found = array("Q", _sums(database))
    longest = max(len(wanted), len(found))
    return [at for at in range(longest) if wanted[at : at + 1] != found[at : at + 1]]


def refuse_damage(database: Path) -> None:
    """Raise NotACrawl if a database is not as it was written."""
    try:
        about = [os.stat(path) for path in (database, database.with_name(NAME))]
    except FileNotFoundError:
        return
    known = tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in about)
    if damaged := _damage(database, known):
        pages = f"{len(damaged)} of {about[0].st_size // PAGE} parts of it are"
        raise NotACrawl(
            f"{database} is damaged: {pages} not as they were written. Put it back from a backup. The WARC "
            f"files can be read without it: 'thresher check {database.parent}' says whether they are whole."
        )


@lru_cache(maxsize=64)
def _damage(database: Path, known: tuple[tuple[int, int, int], ...]) -> tuple[int, ...]:
    """Return the damaged pages of a database, which is looked at once as long as its files stay the same."""
    return tuple(damaged_pages(database))


def _sums(database: Path) -> Iterator[int]:
    with database.open("rb") as file:
        while piece := file.read(PAGE):
            yield xxh3_64_intdigest(piece)
