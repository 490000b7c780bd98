"""Documents for programs: JSON, and on a terminal nothing that could drive it."""

import re
import sys
from io import RawIOBase
from typing import Any, BinaryIO, cast

import click
import msgspec

from thresher.settings.components import encoded

_DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Controls, and marks that turn the direction of a line; line ends and tabs pass."""


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(text_of(document))


def text_of(document: Any) -> str:
    """Return a document as JSON; who looks at it on a terminal sees what is odd in it spelt out."""
    text = msgspec.json.format(msgspec.json.encode(document, enc_hook=encoded), indent=2).decode()
    return spelt_out(text) if sys.stdout.isatty() else text


def spelt_out(text: str) -> str:
    """Return a text with what could drive a terminal as JSON spells it, as a code."""
    return _DRIVES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def standard_output() -> BinaryIO:
    """Return where to write a document in bytes; a terminal gets it spelt out."""
    return cast(BinaryIO, _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal(RawIOBase):
    """A terminal that takes whole lines of UTF-8."""

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Write a piece, spelt out."""
        click.echo(spelt_out(bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")), nl=False)
        return len(data)
