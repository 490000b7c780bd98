"""JSON Lines: one object a line, UTF-8."""

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from thresher.export.items import Item


def write(items: Iterable[Item], file: BinaryIO) -> int:
    """Write the items and return how many there were."""
    encode, count = msgspec.json.Encoder().encode, 0
    for item in items:
        file.write(encode(item) + b"\n")
        count += 1
    return count
