"""CSV as spreadsheets and RFC 4180 have it: a header, quotes where needed, UTF-8."""

import csv
from io import TextIOWrapper
from typing import BinaryIO

from thresher.core.files import inert
from thresher.export.format import Pages, StreamFormat


class Csv(StreamFormat):
    """A header and a row a page, with no cell that a spreadsheet would compute."""

    name = "csv"
    suffixes = (".csv",)
    use = "CSV: one page a line, for a spreadsheet."

    def write(self, pages: Pages, file: BinaryIO) -> int:
        """Write the pages and return how many there were."""
        text = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        writer, count = csv.writer(text), 0
        writer.writerow(pages.fields)
        for row in pages.rows():
            writer.writerow([cell(value) for value in row])
            count += 1
        text.flush()
        text.detach()  # the file is the caller's to close
        return count


def cell(value: object) -> object:
    """Return a value as a cell; text that a spreadsheet would compute gets the mark that makes it text."""
    if isinstance(value, str):
        return inert(value)
    return str(value).lower() if isinstance(value, bool) else value
