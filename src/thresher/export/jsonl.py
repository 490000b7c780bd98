"""JSON Lines: one object a line, UTF-8."""

from typing import BinaryIO

import msgspec

from thresher.export.format import Pages, StreamFormat


class JsonLines(StreamFormat):
    """One object a line, with the wanted fields in their order."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")
    use = "JSON Lines: one page a line, with its text. For programs and models."

    def write(self, pages: Pages, file: BinaryIO) -> int:
        """Write the pages and return how many there were."""
        encode, count = msgspec.json.Encoder().encode, 0
        for row in pages.rows():
            file.write(encode(dict(zip(pages.fields, row, strict=True))) + b"\n")
            count += 1
        return count
