"""Tables: Parquet, dataset folders and SQLite."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from typing_extensions import override

from thresher.core.optional import library
from thresher.export.items import FileFormat, FolderFormat, Item, Pages
from thresher.export.wording import moment, number

# Parquet: typed columns, a row group at a time, so that memory does not grow with the crawl


ROWS = 1_000  # of a group at most
LETTERS = 8_000_000  # of text in a group, after which it ends
REPEATING = ("language", "host", "label", "model_label")  # few values, kept once


class Parquet(FileFormat):
    """One file of typed columns; times are timestamps in UTC."""

    name = "parquet"
    suffixes = (".parquet",)
    use = "Parquet: typed columns, for data frames and large tables."

    @override
    def make(self, pages: Pages, path: Path) -> int:
        with path.open("wb") as file, ParquetTable(pages.fields, file) as table:
            for rows in groups(pages.rows()):
                table.add(rows)
            return table.count


class ArrowColumns:
    """What pyarrow makes of the fields of pages."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        """Type the columns."""
        self.arrow = library("pyarrow", "parquet", "Parquet")
        self._fields = fields
        self.schema = self.arrow.schema([(name, self._type(name)) for name in fields])

    def table(self, rows: list[tuple[object, ...]]) -> Any:
        """Return rows as a table."""
        columns = [
            self.arrow.array([_typed(name, value) for value in values], self._type(name))
            for name, values in zip(self._fields, zip(*rows, strict=True), strict=True)
        ]
        return self.arrow.table(columns, schema=self.schema)

    def _type(self, name: str) -> Any:
        arrow = self.arrow
        if name == "fetched_at":
            return arrow.timestamp("us", "UTC")
        if name in REPEATING:
            return arrow.dictionary(arrow.int32(), arrow.string())
        kinds = {float: arrow.float64(), bool: arrow.bool_(), int: arrow.int64()}
        return kinds.get(Item.__annotations__[name], arrow.string())


class ParquetTable:
    """A Parquet file that is being written."""

    def __init__(self, fields: tuple[str, ...], file: BinaryIO) -> None:
        """Begin a file with those columns."""
        self.count, self._columns = 0, ArrowColumns(fields)
        writer = library("pyarrow.parquet", "parquet", "Parquet").ParquetWriter
        self._writer = writer(file, self._columns.schema, compression="zstd")

    def __enter__(self) -> "ParquetTable":
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, rows: list[tuple[object, ...]]) -> None:
        """Write a row group."""
        self._writer.write_table(self._columns.table(rows))
        self.count += len(rows)


def groups(rows: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    """Yield rows in groups that fit in memory whatever their texts."""
    group: list[tuple[object, ...]] = []
    letters = 0
    for row in rows:
        group.append(row)
        letters += sum(len(value) for value in row if isinstance(value, str))
        if len(group) >= ROWS or letters >= LETTERS:
            yield group
            group, letters = [], 0
    if group:
        yield group


def _typed(name: str, value: Any) -> object:
    if name == "fetched_at":
        return datetime.fromisoformat(value)
    if isinstance(value, str):  # half a surrogate pair is no UTF-8
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    return value


# A dataset folder as Hugging Face has them: Parquet files by split, and a card


TEST = 10  # one host of so many is for testing: pages of one host are all in one split
SHARD = 100_000  # pages of a file


class DatasetFolder(FolderFormat):
    """data/train-00000.parquet and data/test-00000.parquet, and README.md."""

    name = "dataset"
    suffixes = ()
    use = "Dataset: Parquet by split and a card, as Hugging Face has them."

    @override
    def fill(self, pages: Pages, folder: Path) -> int:
        (folder / "data").mkdir()
        counts = {}
        for split in ("train", "test"):
            counts[split] = _write_split(pages, split, folder / "data")
        (folder / "README.md").write_text(_card(pages, counts), encoding="utf-8")
        return sum(counts.values())


def split_of(item: Item) -> str:
    """Return the split of a page, by its host, so that none is in both."""
    return "test" if crc32(item.host.encode()) % TEST == 0 else "train"


def _write_split(pages: Pages, split: str, folder: Path) -> int:
    """Write the pages of a split in files of a hundred thousand."""
    rows = (
        tuple(getattr(item, name) for name in pages.fields)
        for item in pages.items()
        if split_of(item) == split
    )
    shards, table = count(), None
    total = 0
    with ExitStack() as files:
        for group in groups(rows):
            if table is None or table.count >= SHARD:
                files.close()
                file = files.enter_context((folder / f"{split}-{next(shards):05}.parquet").open("wb"))
                table = files.enter_context(ParquetTable(pages.fields, file))
            table.add(group)
            total += len(group)
    return total


def _card(pages: Pages, counts: dict[str, int]) -> str:
    """Return the card: where the pages are from, and what is not known of them."""
    topic = pages.store.facts.topic.name
    splits = "".join(
        f"  - split: {split}\n    path: data/{split}-*.parquet\n" for split, many in counts.items() if many
    )
    total = number(sum(counts.values()))
    return (
        f"---\npretty_name: Pages on a topic\nlicense: unknown\nconfigs:\n- config_name: default\n"
        f"  data_files:\n{splits}---\n\n# {total} pages\n\nTopic: `{topic}`. Pages of the web, fetched by "
        "Thresher with respect for robots.txt. Each page belongs to whoever wrote it: its licence is unknown "
        f"unless it says so itself.\n\nFields: "
        f"{', '.join(pages.fields)}. Splits: {number(counts['train'])} train, "
        f"{number(counts['test'])} test, by host: all pages of a host are in one of them.\n"
    )


# A clean SQLite file: pages, links, labels and changes in plain columns, and an index of the words


TABLES = """
CREATE TABLE link (source TEXT NOT NULL, target TEXT NOT NULL, anchor TEXT NOT NULL, rel TEXT NOT NULL);
CREATE TABLE label (url TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE change (
    url TEXT NOT NULL, found_at TEXT NOT NULL, since TEXT NOT NULL, kind TEXT NOT NULL,
    substantive INTEGER NOT NULL,
    relevance_before REAL NOT NULL, relevance REAL NOT NULL, diff TEXT NOT NULL
);
"""
SEARCHED = ("title", "main", "text")
_KINDS = {int: "INTEGER", bool: "INTEGER", float: "REAL"}


class Sqlite(FileFormat):
    """Tables page, link, label and change, and page_fts, which any client can ask."""

    name = "sqlite"
    suffixes = (".sqlite", ".sqlite3", ".db")
    use = "SQLite: pages, links, labels and changes as tables, and a search over them."

    @override
    def make(self, pages: Pages, path: Path) -> int:
        with closing(sqlite3.connect(path)) as database, database:
            database.executescript(f"PRAGMA synchronous = OFF; {_page_table(pages.fields)} {TABLES}")
            marks = ",".join("?" * len(pages.fields))
            count = database.executemany(f"INSERT INTO page VALUES ({marks})", pages.rows()).rowcount
            database.executemany("INSERT INTO link VALUES (?, ?, ?, ?)", _links(pages))
            database.executemany("INSERT INTO label VALUES (?, ?)", _labels(pages))
            database.executemany("INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _changes(pages))
            database.executescript(_indexes(pages.fields))
        return max(count, 0)


def _page_table(fields: tuple[str, ...]) -> str:
    columns = (f'"{name}" {_KINDS.get(Item.__annotations__[name], "TEXT")}' for name in fields)
    return f"CREATE TABLE page ({', '.join(columns)});"


def _indexes(fields: tuple[str, ...]) -> str:
    searched = ", ".join(name for name in SEARCHED if name in fields)
    words = (
        f"CREATE VIRTUAL TABLE page_fts USING fts5 ({searched}, content=\"page\", tokenize='unicode61');"
        "INSERT INTO page_fts (page_fts) VALUES ('rebuild');"
    )
    urls = "CREATE INDEX page_url ON page (url);" if "url" in fields else ""
    links = "CREATE INDEX link_source ON link (source); CREATE INDEX link_target ON link (target);"
    return f"{words if searched else ''} {urls} {links}"


def _links(pages: Pages) -> Iterator[tuple[str, ...]]:
    for visit in pages.visits():
        for link in visit.page.links if visit.page else ():
            yield link.source, link.target, link.anchor, link.rel


def _labels(pages: Pages) -> Iterator[tuple[str, str]]:
    return ((url, "yes" if wanted else "no") for url, wanted in pages.store.labels().items())


def _changes(pages: Pages) -> Iterator[tuple[object, ...]]:
    for each in pages.store.each_version(pages.selection.since):
        times = moment(each.at), moment(each.since)
        yield each.url, *times, each.kind.value, each.substantive, each.was, each.relevance, each.diff
