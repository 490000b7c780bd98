"""Office documents and books, docx, pptx, xlsx, odt and its like, epub: zips of XML, read within limits.

No entity is ever expanded, no part is read past a cap, and what a few bytes unpack to is counted: whatever
a document contains, reading it costs little, and why it was not read has a name.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import Self
from urllib.parse import unquote
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from msgspec import Struct
from typing_extensions import override

from thresher.core.errors import DocumentBroken, DocumentEncrypted, DocumentTooLarge, DocumentUnknown
from thresher.parse.anchors import ANCHOR, LONGEST, Mention
from thresher.parse.html import HtmlFacts, read
from thresher.parse.tree import fold, tidy

# XML listeners for expat that expand no entity


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


class OfficeWords(Listener):
    """The words of a document, line by line, and its links."""

    def __init__(self, dialect: Dialect, targets: Mapping[str, str] | None = None) -> None:
        self.mentions: list[Mention] = []
        self._dialect, self._targets = dialect, targets
        self._pieces: list[str] = []
        self._depth = self._letters = 0
        self._open: list[tuple[str, int]] = []

    @property
    def text(self) -> str:
        """Everything that was said."""
        return "".join(self._pieces)

    @override
    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins: words may follow, or a link."""
        if name in self._dialect.words:
            self._depth += 1
        elif name in self._dialect.spaces:
            self._pieces.append(" ")
        if name in self._dialect.links and (given := attributes.get(self._dialect.reference)):
            target = given if self._targets is None else self._targets.get(given, "")
            self._open.append((target, len(self._pieces)))

    @override
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

    @override
    def said_here(self, text: str) -> None:
        """Letters stand here; they count where words do, up to the longest text."""
        if self._depth and self._letters < LONGEST:
            self._letters += len(text)
            self._pieces.append(text)


class Cells(Listener):
    """The cells of a sheet, a row a line."""

    def __init__(self, shared: Sequence[str]) -> None:
        self._shared, self._rows, self._row = shared, list[str](), list[str]()
        self._is_shared = self._inside = False
        self._value = ""
        self._letters = 0

    @property
    def text(self) -> str:
        """Every row."""
        return "\n".join(self._rows)

    @override
    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """A cell or its value begins."""
        if name == "c":
            self._is_shared, self._value = attributes.get("t") == "s", ""
        self._inside = name in ("v", "t")

    @override
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

    @override
    def said_here(self, text: str) -> None:
        """Part of a value stands here."""
        if self._inside:
            self._value += text


class Elements(Listener):
    """The attributes of every element of a name."""

    def __init__(self, name: str) -> None:
        self.found: list[Mapping[str, str]] = []
        self._name = name

    @override
    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == self._name:
            self.found.append(attributes)


class Properties(Listener):
    """What a document says of itself: its title and its language, the first of each."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self._open = ""

    @override
    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """A property begins, unless it was said before."""
        self._open = name if name in ("title", "language") and name not in self.said else ""

    @override
    def end(self, name: str) -> None:
        """A property ends."""
        self._open = ""

    @override
    def said_here(self, text: str) -> None:
        """Part of a property stands here."""
        if self._open:
            self.said[self._open] = self.said.get(self._open, "") + text[:ANCHOR]


MOST_PARTS = 5_000  # of a document
MOST_BYTES = 64 << 20  # unpacked, all parts together
MOST_MENTIONS = 5_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how old Office files begin, and encrypted new ones


def read_office(body: bytes) -> HtmlFacts:
    """Return what a document says; one that cannot be read is a DocumentUnread with its reason."""
    if body.startswith(OLE):
        raise DocumentUnknown("an Office file from before 2007, or an encrypted one")
    try:
        with ZipFile(BytesIO(body)) as archive:
            return _read(_Parts(archive))
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, KeyError, IndexError) as error:
        raise DocumentBroken(f"no whole document: {error}") from None
    except expat.ExpatError as error:
        raise DocumentBroken(f"broken XML: {error}") from None


class _Parts:
    """The parts of a document, read within limits."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive, self._left = archive, MOST_BYTES
        self.names = archive.namelist()
        if len(self.names) > MOST_PARTS:
            raise DocumentTooLarge(f"{len(self.names)} parts")
        if any(each.flag_bits & 1 for each in archive.infolist()):
            raise DocumentEncrypted("a password is asked for")

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def read(self, name: str) -> bytes:
        """Return a part; nothing if there is none."""
        if name not in self.names:
            return b""
        with self._archive.open(name) as part:
            data = part.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise DocumentTooLarge(f"more than {MOST_BYTES} bytes unpacked")
        return data

    def numbered(self, pattern: str) -> list[str]:
        """Return the parts whose names match, by the number in them."""
        found = [(int(match[1]), name) for name in self.names if (match := re.fullmatch(pattern, name))]
        return [name for _, name in sorted(found)]


def _read(parts: _Parts) -> HtmlFacts:
    if "word/document.xml" in parts:
        return _ooxml(parts, ["word/document.xml"])
    if slides := parts.numbered(r"ppt/slides/slide(\d+)\.xml"):
        return _ooxml(parts, slides)
    if sheets := parts.numbered(r"xl/worksheets/sheet(\d+)\.xml"):
        return _sheets(parts, sheets)
    if "META-INF/container.xml" in parts and b".opf" in parts.read("META-INF/container.xml"):
        return _book(parts)
    if "content.xml" in parts:
        words = OfficeWords(ODF).fed(parts.read("content.xml"))
        return _reading(words.text, words.mentions, parts.read("meta.xml"))
    raise DocumentUnknown("none that we read")


def _ooxml(parts: _Parts, names: Sequence[str]) -> HtmlFacts:
    texts, mentions = [], []
    for name in names:
        words = OfficeWords(OOXML, _targets(parts, name)).fed(parts.read(name))
        texts.append(words.text)
        mentions += words.mentions
    return _reading("\n".join(texts), mentions, parts.read("docProps/core.xml"))


def _targets(parts: _Parts, name: str) -> dict[str, str]:
    """Return where the links of a part lead, by their ids."""
    rels = join(dirname(name), "_rels", f"{name.rpartition('/')[2]}.rels")
    found = Elements("Relationship").fed(parts.read(rels)).found
    return {each["Id"]: each["Target"] for each in found if each.get("TargetMode") == "External"}


def _sheets(parts: _Parts, names: Sequence[str]) -> HtmlFacts:
    shared = OfficeWords(OOXML).fed(parts.read("xl/sharedStrings.xml")).text.split("\n")
    texts, mentions = [], []
    for name in names:
        cells = Cells(shared).fed(parts.read(name))
        texts.append(cells.text)
        mentions += [Mention(target) for target in _targets(parts, name).values()]
    return _reading("\n".join(texts), mentions, parts.read("docProps/core.xml"))


def _book(parts: _Parts) -> HtmlFacts:
    """Return what the chapters of a book say, in the order of its spine."""
    roots = Elements("rootfile").fed(parts.read("META-INF/container.xml")).found
    root = roots[0]["full-path"]
    package = parts.read(root)
    manifest = {each["id"]: each["href"] for each in Elements("item").fed(package).found}
    texts, mentions = [], []
    for each in Elements("itemref").fed(package).found:
        place = normpath(join(dirname(root), unquote(manifest[each["idref"]])))
        chapter = read(parts.read(place).decode("utf-8", "replace"))
        texts.append(chapter.text)
        mentions += [each for each in chapter.mentions if each.reference.startswith(("http:", "https:"))]
        if sum(map(len, texts)) > LONGEST:
            break
    return _reading("\n".join(texts), mentions, package)


def _reading(text: str, mentions: Sequence[Mention], properties: bytes) -> HtmlFacts:
    text = tidy(text[:LONGEST])
    said = Properties().fed(properties).said
    title, language = fold(said.get("title", ""))[:ANCHOR], said.get("language", "")
    return HtmlFacts(
        title=title, text=text, main=text, language=language, mentions=list(mentions[:MOST_MENTIONS])
    )
