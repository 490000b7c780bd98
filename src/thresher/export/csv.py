"""CSV as spreadsheets and RFC 4180 have it: a header, quotes where needed, UTF-8."""

import csv
from collections.abc import Iterable
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from thresher.export.items import Item


def write(items: Iterable[Item], file: BinaryIO) -> int:
    """Write a header and the items, and return how many there were."""
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer, count = csv.writer(text), 0
    writer.writerow(Item.__struct_fields__)
    for item in items:
        writer.writerow(_cell(value) for value in msgspec.structs.astuple(item))
        count += 1
    text.flush()
    text.detach()  # the file is the caller's to close
    return count


def _cell(value: object) -> object:
    """Return a value as a cell; text that a spreadsheet would compute gets the mark that makes it text."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return str(value).lower() if isinstance(value, bool) else value


_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")
