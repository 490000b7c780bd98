"""Bytes a page that a crawl takes beside its archive, in all and table by table.

python benchmarks/bench_folder.py [FOLDER...]

Without a folder: that of 1,000 pages of the practice web, crawled for it.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from thresher.build import run
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder

LARGEST = 8  # tables that are shown


def main(*folders: str) -> None:
    """Print what each folder takes."""
    if folders:
        return tell(map(Path, folders))
    with tempfile.TemporaryDirectory(prefix="bench-folder-") as place:
        folder = Path(place) / "bees"
        asyncio.run(run(read(None, [("topic", "beekeeping"), ("stop.pages", 1_000)]), CrawlFolder(folder)))
        tell([folder])


def tell(folders: Iterable[Path]) -> None:
    """Print bytes a page of folders, and of their largest tables."""
    for folder in folders:
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        with closing(sqlite3.connect(folder / "crawl.db")) as database:
            (pages,) = database.execute("SELECT count(*) FROM page").fetchone()
            tables = "SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name ORDER BY size DESC LIMIT ?"
            shares = [f"{name} {taken / pages:.0f}" for name, taken in database.execute(tables, (LARGEST,))]
        print(f"{folder.name}: {size / pages:.0f} bytes a page, {pages} pages; {', '.join(shares)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
