"""Parquet: typed columns, a row group at a time, so that memory does not grow with the crawl."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from thresher.core.optional import library
from thresher.export.format import FileFormat, Pages
from thresher.export.items import Item

ROWS = 1_000  # of a group at most
LETTERS = 8_000_000  # of text in a group, after which it ends
REPEATING = ("language", "host", "label", "model_label")  # few values, kept once


class Parquet(FileFormat):
    """One file of typed columns; times are timestamps in UTC."""

    name = "parquet"
    suffixes = (".parquet",)
    use = "Parquet: typed columns, for data frames and large tables."

    def make(self, pages: Pages, path: Path) -> int:
        """Write the pages and return how many there were."""
        with path.open("wb") as file, Table(pages.fields, file) as table:
            for rows in groups(pages.rows()):
                table.add(rows)
            return table.count


class Columns:
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


class Table:
    """A Parquet file that is being written."""

    def __init__(self, fields: tuple[str, ...], file: BinaryIO) -> None:
        """Begin a file with those columns."""
        self.count, self._columns = 0, Columns(fields)
        writer = library("pyarrow.parquet", "parquet", "Parquet").ParquetWriter
        self._writer = writer(file, self._columns.schema, compression="zstd")

    def __enter__(self) -> "Table":
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
