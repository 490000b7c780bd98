"""Text formats: CSV, JSON Lines and Markdown."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from io import TextIOWrapper
from itertools import takewhile
from math import ceil
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct
from typing_extensions import override

from thresher.core.compression import Body
from thresher.core.errors import FetchError
from thresher.core.files import escape_formula, open_new
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import key_of
from thresher.export.items import FolderFormat, Item, Pages, StreamFormat
from thresher.parse.document import MAX_BYTES, DocumentKind, kind_of, markup_of
from thresher.parse.markdown import escaped, markdown, unmarked
from thresher.warc.reader import read_at
from thresher.warc.record import parse_message
from thresher.warc.verify import is_whole

# CSV as spreadsheets and RFC 4180 have it: a header, quotes where needed, UTF-8


class Csv(StreamFormat):
    """A header and a row a page, with no cell that a spreadsheet would compute."""

    name = "csv"
    suffixes = (".csv",)
    use = "CSV: one page a line, for a spreadsheet."

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
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
        return escape_formula(value)
    return str(value).lower() if isinstance(value, bool) else value


# JSON Lines: one object a line, UTF-8


class JsonLines(StreamFormat):
    """One object a line, with the wanted fields in their order."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")
    use = "JSON Lines: one page a line, with its text. For programs and models."

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
        encode, count = msgspec.json.Encoder().encode, 0
        for row in pages.rows():
            file.write(encode(dict(zip(pages.fields, row, strict=True))) + b"\n")
            count += 1
        return count


# A page in pieces for retrieval: cut at headings, of 200 to 400 words, each with the headings above it.
#
# A word is a word, or two Han letters: 400 to 800 of those are as much to read. In a longer section sentences
# stay whole as far as they can; a short one is joined with its neighbour, under the headings that both have.


MOST = 400  # words of a piece
SHORT = 100  # words, below which a piece is joined with the next
SENTENCE = 50  # words, after which a sentence is cut
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)\s*|[。！？]+|\n+|$)", re.DOTALL)


class Chunk(Struct, frozen=True):
    """One piece; its id is the same as long as the page says it in the same place."""

    id: str
    url: str
    title: str
    headings: tuple[str, ...]  # those above it, the highest first
    text: str
    n: int  # which of the page's pieces, from 1
    of: int
    language: str = ""
    relevance: float = 0.0


def chunks_of(
    markdown: str, url: str, title: str = "", language: str = "", relevance: float = 0.0
) -> list[Chunk]:
    """Return the pieces of a page."""
    pieces = list(_joined((path, piece) for path, text in sections(markdown) for piece in _pieces(text)))
    met: Counter[tuple[str, ...]] = Counter()
    found = []
    for number, (path, piece) in enumerate(pieces, 1):
        met[path] += 1
        id_ = _id(url, path, met[path], piece)
        headings = tuple(map(unmarked, path))
        found.append(Chunk(id_, url, title, headings, piece, number, len(pieces), language, relevance))
    return found


Piece = tuple[tuple[str, ...], str]  # the headings above it, and what it says


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces, short ones joined with the next; if no heading is above both, up to half the length."""
    held: Piece = (), ""
    for piece in pieces:
        shared = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(held[0], piece[0], strict=False))
        )
        sizes = words_in(held[1]), words_in(piece[1])
        if min(sizes) < SHORT and sum(sizes) <= (MOST if shared else MOST / 2) and held[1]:
            held = held[0][:shared], f"{_headed(held, shared)}\n\n{_headed(piece, shared)}"
            continue
        if held[1]:
            yield held
        held = piece
    if held[1]:
        yield held


def _headed(piece: Piece, level: int) -> str:
    """Return what a piece says below those of its headings that stand deeper."""
    lines = [f"{'#' * depth} {heading}" for depth, heading in enumerate(piece[0][level:], level + 1)]
    return "\n\n".join([*lines, piece[1]])


def sections(markdown: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the headings above each section, and what it says."""
    path: dict[int, str] = {}
    lines: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if not heading:
            lines.append(line)
            continue
        yield from _section(path, lines)
        level, lines = len(heading[1]), []
        path = {above: words for above, words in path.items() if above < level} | {level: heading[2]}
    yield from _section(path, lines)


def words_in(text: str) -> float:
    """Return how many words a text has, two Han letters for one."""
    return sum(0.5 if _is_han(word) else 1.0 for word in _WORD.findall(text))


def _section(path: dict[int, str], lines: list[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    if text := "\n".join(lines).strip():
        yield tuple(path[level] for level in sorted(path)), text


def _pieces(text: str) -> Iterator[str]:
    """Yield a section in pieces of about the same length, no more of them than it takes."""
    atoms = [atom for sentence in _SENTENCE.findall(text) for atom in _atoms(sentence)]
    lengths = [words_in(atom) for atom in atoms]
    left, held, size = sum(lengths), "", 0.0
    for atom, length in zip(atoms, lengths, strict=True):
        aim = left / max(1, ceil(left / MOST))
        if held and (size + length > MOST or size + length / 2 > aim):
            yield held.strip()
            left, held, size = left - size, "", 0.0
        held, size = held + atom, size + length
    if held.strip():
        yield held.strip()


def _atoms(sentence: str) -> Iterator[str]:
    """Yield a sentence, one that does not end in pieces."""
    start, size = 0, 0.0
    for word in _WORD.finditer(sentence):
        size += 0.5 if _is_han(word[0]) else 1.0
        if size >= SENTENCE:
            yield sentence[start : word.end()]
            start, size = word.end(), 0.0
    if start < len(sentence):
        yield sentence[start:]


def _is_han(word: str) -> bool:
    return len(word) == 1 and word >= "\u3400" and bool(re.match(f"[{_HAN}]", word))


def _id(url: str, path: tuple[str, ...], ordinal: int, text: str) -> str:
    said = "\0".join((url, *path, str(ordinal), text))
    return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


# Markdown for retrieval: a file a page with front matter, and all pages in pieces in one file


FRONT = ("url", "title", "fetched_at", "language", "relevance", "digest")
RATIO = 1_000.0  # what an archived body may unpack to, as often as its own length


class MarkdownFolder(FolderFormat):
    """pages/HOST/KEY.md with front matter, and chunks.jsonl."""

    name = "markdown"
    suffixes = ()
    use = "Markdown: a file a page and chunks.jsonl, for retrieval."

    @override
    def fill(self, pages: Pages, folder: Path) -> int:
        count = 0
        with open_new(folder / "chunks.jsonl") as chunks:
            for item in pages.items():
                text = markdown_of(pages, item.url) or escaped(item.main)
                _write_page(item, text, folder / "pages")
                _write_chunks(item, text, chunks)
                count += 1
        return count


def markdown_of(pages: Pages, url: Url) -> str:
    """Return what a page says as Markdown; nothing if its markup is not kept, or must not be shown."""
    page, fetched = pages.store.page(url), _fetched(pages, url)
    if page is None or page.noindex or fetched is None:
        return ""
    if kind_of(fetched.header("content-type"), fetched.body) is not DocumentKind.HTML:
        return ""
    return markdown(markup_of(fetched)[0])


def _fetched(pages: Pages, url: Url) -> Fetched | None:
    """Return the response that holds a page, out of its coding."""
    if (place := pages.store.payload(url)) is None:
        return None
    with pages.folder.volume.open(place[0]) as file:
        record = read_at(file, *place)
    if record is None or not is_whole(record):
        pages.damaged.append(f"{url} (its record in {place[0]})")
        return None
    message = parse_message(record.block)
    if message is None:
        return None
    try:
        body = Body(message.header("content-encoding"), MAX_BYTES, RATIO)
        body.feed(message.body)
        body.unpack()
    except FetchError:
        return None
    return Fetched(Candidate(url), url, message.status, message.headers, bytes(body.data))


def _write_page(item: Item, text: str, folder: Path) -> None:
    """Write a page with its front matter; what a page wrote stands below it, or quoted as JSON."""
    place = folder / (re.sub(r"[^\w-]+", ".", item.host).strip(".") or "host")
    place.mkdir(parents=True, exist_ok=True)
    front = "\n".join(f"{name}: {json.dumps(getattr(item, name), ensure_ascii=False)}" for name in FRONT)
    with open_new(place / f"{key_of(item.url) + (1 << 63):016x}.md") as file:
        file.write(f"---\n{front}\n---\n\n{text}\n".encode("utf-8", "replace"))


def _write_chunks(item: Item, text: str, file: BinaryIO) -> None:
    for chunk in chunks_of(text, item.url, item.title, item.language, item.relevance):
        file.write(msgspec.json.encode(chunk) + b"\n")
