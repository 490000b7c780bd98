"""Office documents and books, docx, pptx, xlsx, odt and its like, epub: zips of XML, read within limits.

No entity is ever expanded, no part is read past a cap, and what a few bytes unpack to is counted: whatever
somebody puts into a document, reading it costs little, and why it was not read has a name.
"""

import re
import zlib
from collections.abc import Sequence
from io import BytesIO
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from thresher.core.errors import DocumentBroken, DocumentEncrypted, DocumentTooLarge, DocumentUnknown
from thresher.parse.html import Mention, Reading, read
from thresher.parse.office_xml import ODF, OOXML, Cells, Elements, Properties, Words
from thresher.parse.render import ANCHOR, LONGEST
from thresher.parse.tree import fold, tidy

MOST_PARTS = 5_000  # of a document
MOST_BYTES = 64 << 20  # unpacked, all parts together
MOST_MENTIONS = 5_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how old Office files begin, and encrypted new ones


def read_office(body: bytes) -> Reading:
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


def _read(parts: _Parts) -> Reading:
    if "word/document.xml" in parts:
        return _ooxml(parts, ["word/document.xml"])
    if slides := parts.numbered(r"ppt/slides/slide(\d+)\.xml"):
        return _ooxml(parts, slides)
    if sheets := parts.numbered(r"xl/worksheets/sheet(\d+)\.xml"):
        return _sheets(parts, sheets)
    if "META-INF/container.xml" in parts and b".opf" in parts.read("META-INF/container.xml"):
        return _book(parts)
    if "content.xml" in parts:
        words = Words(ODF).fed(parts.read("content.xml"))
        return _reading(words.text, words.mentions, parts.read("meta.xml"))
    raise DocumentUnknown("none that we read")


def _ooxml(parts: _Parts, names: Sequence[str]) -> Reading:
    texts, mentions = [], []
    for name in names:
        words = Words(OOXML, _targets(parts, name)).fed(parts.read(name))
        texts.append(words.text)
        mentions += words.mentions
    return _reading("\n".join(texts), mentions, parts.read("docProps/core.xml"))


def _targets(parts: _Parts, name: str) -> dict[str, str]:
    """Return where the links of a part lead, by their ids."""
    rels = join(dirname(name), "_rels", f"{name.rpartition('/')[2]}.rels")
    found = Elements("Relationship").fed(parts.read(rels)).found
    return {each["Id"]: each["Target"] for each in found if each.get("TargetMode") == "External"}


def _sheets(parts: _Parts, names: Sequence[str]) -> Reading:
    shared = Words(OOXML).fed(parts.read("xl/sharedStrings.xml")).text.split("\n")
    texts, mentions = [], []
    for name in names:
        cells = Cells(shared).fed(parts.read(name))
        texts.append(cells.text)
        mentions += [Mention(target) for target in _targets(parts, name).values()]
    return _reading("\n".join(texts), mentions, parts.read("docProps/core.xml"))


def _book(parts: _Parts) -> Reading:
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


def _reading(text: str, mentions: Sequence[Mention], properties: bytes) -> Reading:
    text = tidy(text[:LONGEST])
    said = Properties().fed(properties).said
    title, language = fold(said.get("title", ""))[:ANCHOR], said.get("language", "")
    return Reading(
        title=title, text=text, main=text, language=language, mentions=list(mentions[:MOST_MENTIONS])
    )
