"""XML as users have it: read element by element, with a refusal of what makes a small file grow."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse
from xml.parsers.expat import ExpatError, ParserCreate

from thresher.core.errors import BrokenKnowledge

LONGEST_ENTITY = 200  # characters: the address of a name space, never a text
_HEAD = 65_536  # bytes in which the root element begins


def elements(file: Path, opened: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Yield 'start' or 'end' with each element of an open file; broken XML is an error with its line."""
    _refuse_entities(file, opened.read(_HEAD))
    opened.seek(0)
    try:
        yield from iterparse(opened, events=("start", "end"))
    except ParseError as error:
        raise BrokenKnowledge(str(file), error.position[0], "well-formed XML") from None


def _refuse_entities(file: Path, head: bytes) -> None:
    """Refuse a file that declares entities made of others, long ones or foreign ones: an entity bomb."""
    parser = ParserCreate()

    def declared(name: str, is_parameter: int, value: str | None, *_: object) -> None:
        if is_parameter or value is None or "&" in value or len(value) > LONGEST_ENTITY:
            line = parser.CurrentLineNumber
            raise BrokenKnowledge(
                str(file), line, f"XML whose entities are short texts, which {name!r} is not"
            )

    parser.EntityDeclHandler = declared
    with suppress(ExpatError):  # said with its line by whoever reads on
        parser.Parse(head)
