"""What the XML of office documents says: listeners to expat that expand no entity."""

from collections.abc import Mapping, Sequence
from typing import Self
from xml.parsers import expat

from msgspec import Struct

from thresher.core.errors import DocumentBroken
from thresher.parse.html import Mention
from thresher.parse.render import ANCHOR, LONGEST


class Dialect(Struct, frozen=True):
    """Where the words of a kind of XML stand, by local names."""

    words: frozenset[str]  # elements whose letters count
    blocks: frozenset[str]  # elements that end a line
    spaces: frozenset[str]
    links: frozenset[str]
    reference: str  # the attribute of a link that says where it leads


OOXML = Dialect(
    frozenset({"t"}),
    frozenset({"p", "si"}),
    frozenset({"tab", "br", "cr"}),
    frozenset({"hyperlink", "hlinkClick"}),
    "id",
)
ODF = Dialect(
    frozenset({"p", "h"}),
    frozenset({"p", "h"}),
    frozenset({"tab", "s", "line-break"}),
    frozenset({"a"}),
    "href",
)


class Listener:
    """Listens to expat; a document that declares entities is refused."""

    def fed(self, data: bytes) -> Self:
        """Read a part; an empty one says nothing."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.EntityDeclHandler = _refuse_entity
        parser.StartElementHandler = self._started
        parser.EndElementHandler = self._ended
        parser.CharacterDataHandler = self.said_here
        if data:
            parser.Parse(data, True)
        return self

    def _started(self, name: str, attributes: Mapping[str, str]) -> None:
        self.start(name.rpartition(" ")[2], {key.rpartition(" ")[2]: attributes[key] for key in attributes})

    def _ended(self, name: str) -> None:
        self.end(name.rpartition(" ")[2])

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def said_here(self, text: str) -> None:
        """Letters stand here."""


def _refuse_entity(*declared: object) -> None:
    raise DocumentBroken(f"it declares the entity {declared[0]!r}")


class Words(Listener):
    """The words of a document, line by line, and its links."""

    def __init__(self, dialect: Dialect, targets: Mapping[str, str] | None = None) -> None:
        """Know where words stand, and where links with an id lead."""
        self.mentions: list[Mention] = []
        self._dialect, self._targets = dialect, targets
        self._pieces: list[str] = []
        self._depth = self._letters = 0
        self._open: list[tuple[str, int]] = []

    @property
    def text(self) -> str:
        """Everything that was said."""
        return "".join(self._pieces)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins: words may follow, or a link."""
        if name in self._dialect.words:
            self._depth += 1
        elif name in self._dialect.spaces:
            self._pieces.append(" ")
        if name in self._dialect.links and (given := attributes.get(self._dialect.reference)):
            target = given if self._targets is None else self._targets.get(given, "")
            self._open.append((target, len(self._pieces)))

    def end(self, name: str) -> None:
        """An element ends, and with it a line or a link."""
        if name in self._dialect.words:
            self._depth -= 1
        if name in self._dialect.links and self._open:
            target, begun = self._open.pop()
            if target:
                self.mentions.append(Mention(target, anchor="".join(self._pieces[begun:])[:ANCHOR].strip()))
        if name in self._dialect.blocks:
            self._pieces.append("\n")

    def said_here(self, text: str) -> None:
        """Letters stand here; they count where words do, up to the longest text."""
        if self._depth and self._letters < LONGEST:
            self._letters += len(text)
            self._pieces.append(text)


class Cells(Listener):
    """The cells of a sheet, a row a line."""

    def __init__(self, shared: Sequence[str]) -> None:
        """Know the texts that cells share."""
        self._shared, self._rows, self._row = shared, list[str](), list[str]()
        self._is_shared = self._inside = False
        self._value = ""
        self._letters = 0

    @property
    def text(self) -> str:
        """Every row."""
        return "\n".join(self._rows)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """A cell or its value begins."""
        if name == "c":
            self._is_shared, self._value = attributes.get("t") == "s", ""
        self._inside = name in ("v", "t")

    def end(self, name: str) -> None:
        """A cell or a row ends."""
        self._inside = False
        if name == "c" and self._value and self._letters < LONGEST:
            words = self._shared[int(self._value)] if self._is_shared else self._value
            self._letters += len(words)
            self._row.append(words)
        elif name == "row":
            self._rows.append(" ".join(self._row))
            self._row = []

    def said_here(self, text: str) -> None:
        """Part of a value stands here."""
        if self._inside:
            self._value += text


class Elements(Listener):
    """The attributes of every element of a name."""

    def __init__(self, name: str) -> None:
        """Know the name."""
        self.found: list[Mapping[str, str]] = []
        self._name = name

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if name == self._name:
            self.found.append(attributes)


class Properties(Listener):
    """What a document says of itself: its title and its language, the first of each."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.said: dict[str, str] = {}
        self._open = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """A property begins, unless it was said before."""
        self._open = name if name in ("title", "language") and name not in self.said else ""

    def end(self, name: str) -> None:
        """A property ends."""
        self._open = ""

    def said_here(self, text: str) -> None:
        """Part of a property stands here."""
        if self._open:
            self.said[self._open] = self.said.get(self._open, "") + text[:ANCHOR]
