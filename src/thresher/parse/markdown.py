"""The main text of a page as Markdown, without pictures, addresses, HTML and entities.

block   what stands on lines of its own: a heading, a paragraph, a table, a listing
holder  a list item, a definition or a quotation, which indents the blocks in it
key     the letters of a line, by which it is found in the main text
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress, count, pairwise, repeat
from typing import TYPE_CHECKING

from thresher.parse.anchors import LONGEST
from thresher.parse.html import read
from thresher.parse.tree import CONTROLS, children_of, seen_of, written_in

if TYPE_CHECKING:
    from turbohtml import Element

DEEPEST = 200  # elements within each other: what is deeper is text
MOST_TABLES = 100  # in a table that holds data
LONGEST_CELL = 500  # letters of a cell: a table with more in one lays out a page
LONG, LOOKS = 12, 5_000  # letters of a part of a line, and how many parts are looked for: a bound on the cost
ENOUGH = 0.5  # of the letters of the main text, found in blocks: with fewer it is written as it is
QUOTED, DEFINED = "> ", ": "  # markers

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption"
    " figure footer form header hr legend li main nav ol p section summary table tbody td tfoot th thead tr"
    " ul".split()
).union(_HEADINGS)
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_LISTINGS = frozenset({"pre", "listing", "xmp"})
_MARKS = {"b": 0, "strong": 0, "em": 1, "i": 1, "del": 2, "s": 2}
_SIGNS = ("**", "*", "~~")
_STARTS, _ENDS, _BREAK = "\x01\x02\x03", "\x04\x05\x06", "\x07"  # of marks, until their neighbours are known
_NO_CONTROLS = dict.fromkeys(CONTROLS)

_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"[0-9]{1,8}")
_NUMBERED = re.compile(r"^\d{1,4}\. ", re.M)
_TAKEN_FOR_MARKUP = re.compile(
    r"[\\`*]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|\](?=[(\[:]|$)|<(?=[A-Za-z/!?]|$)|&(?=#?\w+;|#?\w*$)"
)
_TAKEN_FOR_BLOCKS = re.compile(
    r"^(?:(?=#{1,6}(?: |$)|[-+](?: |$)|>|=+$|-+$|: |~~~|\|)|(\d{1,9})(?=[.)](?: |$)))", re.M
)
_MARKED = re.compile(f"([{_STARTS}])([^{_STARTS}{_ENDS}]*)[{_ENDS}]")
_LANGUAGE = re.compile(r"(?:language-|lang-|brush: ?)([\w+#-]+)")
_MARKUP = re.compile(r"\\(?=[^\w\s])|(?<!\\)(?:\*\*|[`*]|~~)")


def markdown(markup: str) -> str:
    """Return the part of a page that is worth reading as Markdown."""
    main = read(markup, context=False, place=False, offsets=False, codes=False).main
    writer = BlockWriter()
    if (body := seen_of(markup)) is not None:
        writer.walk(body)
        writer.end_block()
    found = _found(writer.blocks, main)
    if sum(map(len, found)) < ENOUGH * sum(map(len, _keys(main))):
        return escaped(main)
    return _joined(_in_main(writer.blocks, found))[:LONGEST].strip()


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it as it is, a paragraph for each line."""
    return "\n\n".join(_TAKEN_FOR_BLOCKS.sub(r"\1\\", _escaped_words(line)) for line in text.split("\n"))


def unmarked(words: str) -> str:
    """Return Markdown of one line as text, such as a heading."""
    return _MARKUP.sub("", words)


@dataclass
class Holder:
    """What indents blocks: its marker stands before the first of them alone, unless it is a quotation."""

    marker: str
    items: Iterator[str] | None = None  # the markers of the list that it is an item of

    def prefix(self) -> str:
        """Return what stands before a line that is written now."""
        found = self.marker
        if found != QUOTED:
            self.marker = "" if found == DEFINED else " " * len(found)  # what follows a definition stays flat
        return found


@dataclass
class Block:
    """Lines of Markdown, and the keys by which they are known; rows of a table are known one by one."""

    lines: list[str]
    keys: list[str]
    holders: tuple[Holder, ...] = ()
    is_heading: bool = False
    rows: list[list[str]] = field(default_factory=list)


class BlockWriter:
    """Writes the blocks of a tree."""

    def __init__(self, *, is_flat: bool = False) -> None:
        """Begin with nothing written; what is flat has no tables."""
        self.blocks: list[Block] = []
        self._is_flat = is_flat
        self._parts: list[str] = []
        self._open: list[int] = []  # marks
        self._holders: tuple[Holder, ...] = ()
        self._items: Iterator[str] = repeat("- ")
        self._level = 0  # of the heading that is written

    def walk(self, element: "Element", depth: int = 0) -> None:
        """Write what is in an element."""
        for child in children_of(element):
            if isinstance(child, str):
                self._parts.append(_escaped_words(child))
            elif depth > DEEPEST:
                self._parts.append(_escaped_words(child.text))
            else:
                self._write(child, depth + 1)

    def end_block(self) -> None:
        """Make a block of what was written since the last one; marks that it closes are opened again."""
        text = "".join((*self._parts, *(_ENDS[mark] for mark in reversed(self._open))))
        self._parts = [_STARTS[mark] for mark in self._open]
        text = _resolved(" ".join(text.split()), is_heading=self._level > 0)
        if keys := [*_keys(text)]:
            lines = _TAKEN_FOR_BLOCKS.sub(r"\1\\", text).split("\n")
            if self._level:
                lines = [f"{'#' * self._level} {' '.join(text.split())}"]
            self.blocks.append(Block(lines, keys, self._holders, self._level > 0))

    def _write(self, element: "Element", depth: int) -> None:
        tag = element.tag
        if tag == "br":
            self._parts.append(_BREAK)
        elif tag in _CODE and not element.select("br,pre"):
            self._parts.append(_code(element.text.translate(_NO_CONTROLS)))
        elif tag in _MARKS and _MARKS[tag] not in self._open:
            self._write_marked(element, _MARKS[tag], depth)
        elif tag in _LISTINGS:
            self._write_listing(element)
        elif tag == "table" and not self._is_flat and _is_grid(element):
            self._write_grid(element, depth)
        elif tag in _BLOCKS:
            self._write_block(element, depth)
        else:
            self.walk(element, depth)

    def _write_marked(self, element: "Element", mark: int, depth: int) -> None:
        self._parts.append(_STARTS[mark])
        self._open.append(mark)
        self.walk(element, depth)
        self._open.pop()
        self._parts.append(_ENDS[mark])

    def _write_block(self, element: "Element", depth: int) -> None:
        self.end_block()
        before = self._holders, self._items, self._level
        self._hold(element)
        self._level = _HEADINGS.get(element.tag, self._level)
        self.walk(element, depth)
        self.end_block()
        self._holders, self._items, self._level = before

    def _hold(self, element: "Element") -> None:
        """Indent what follows, if the element does."""
        match element.tag:
            case "ul" | "dl":
                self._items = repeat("- ")
            case "ol":
                start = element.attr("start") or ""
                self._items = (f"{n}. " for n in count(int(start) if _NUMBER.fullmatch(start) else 1))
            case "li":
                self._holders += (Holder(next(self._items), self._items),)
            case "dt":
                self._holders += (Holder("", self._items),)
            case "dd":
                self._holders += (Holder(DEFINED, self._items),)
            case "blockquote":
                self._holders += (Holder(QUOTED),)

    def _write_listing(self, element: "Element") -> None:
        self.end_block()
        text = written_in(element).translate(_NO_CONTROLS).strip("\n")
        lines, keys = [line.rstrip() for line in text.split("\n")], [*_keys(text)]
        if all(map(str.isdecimal, keys)):
            return  # the numbers of the lines of another
        named = " ".join(each.attr("class") or "" for each in (element, *element.select("code")))
        language, fence = _LANGUAGE.search(named), "`" * max(3, 1 + _longest_run(text))
        block = [fence + (language[1] if language else ""), *lines, fence]
        self.blocks.append(Block(block, [*keys, "".join(keys)], self._holders))

    def _write_grid(self, table: "Element", depth: int) -> None:
        """Write the rows of several cells as tables, and what spans all columns between them."""
        self.end_block()
        grid = list[list[Cell]]()
        for caption in table.select("caption"):
            self._write_block(caption, depth)
        for row in _rows_of(table):
            cells = [_cell(cell) for cell in _cells_of(row)]
            if len(cells) > 1 and (grid or sum(bool(keys) for _, keys in cells) > 1):
                grid.append(cells)
                continue
            self._end_grid(grid)
            self._write_block(row, depth)
            grid = []
        self._end_grid(grid)

    def _end_grid(self, grid: "list[list[Cell]]") -> None:
        rows = [row for row in grid if any(keys for _, keys in row)]
        if rows:
            width = max(map(len, rows))
            texts = [[text for text, _ in row] + [""] * (width - len(row)) for row in rows]
            lines = [f"| {' | '.join(row)} |" for row in texts]
            lines.insert(1, f"|{' --- |' * width}")
            keys = [[key for _, known in row for key in known] for row in rows]
            keys = [[*known, "".join(known)] for known in keys]
            self.blocks.append(Block(lines, [key for row in keys for key in row], self._holders, rows=keys))


Cell = tuple[str, list[str]]  # its text, and its keys


def _is_grid(table: "Element") -> bool:
    """Tell whether a table holds data in rows and columns, or only lays out a page."""
    if table.select("pre,form") or len(table.select("table")) > MOST_TABLES:
        return False
    rows = [cells for row in _rows_of(table) if len(cells := _cells_of(row)) > 1]
    return bool(rows) and all(
        len(" ".join(cell.text.split())) <= LONGEST_CELL for cells in rows for cell in cells
    )


def _rows_of(table: "Element") -> list["Element"]:
    """Return the rows of a table, without those of tables in it."""
    return [row for row in table.select("tr") if row.closest("table") == table]


def _cells_of(row: "Element") -> list["Element"]:
    return [each for each in children_of(row) if not isinstance(each, str) and each.tag in {"td", "th"}]


def _cell(element: "Element") -> Cell:
    writer = BlockWriter(is_flat=True)
    writer.walk(element)
    writer.end_block()
    text = " ".join(line.strip() for block in writer.blocks for line in block.lines)
    return text.replace("|", r"\|"), [key for block in writer.blocks for key in block.keys]


def _escaped_words(text: str) -> str:
    return _TAKEN_FOR_MARKUP.sub(r"\\\g<0>", text.translate(_NO_CONTROLS))


def _code(text: str) -> str:
    """Return code within a line, between more backticks than it has in a row."""
    text = " ".join(text.split())
    ticks = "`" * (1 + _longest_run(text))
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}" if text else ""


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _resolved(text: str, *, is_heading: bool) -> str:
    """Return a text with its breaks, and with its marks where Markdown takes them for marks."""
    for start, end in zip(_STARTS, _ENDS, strict=True):
        text = text.replace(end + start, "")
    for _ in () if is_heading else _SIGNS:
        text = _MARKED.sub(_marked, text)
    text = re.sub(f"[{_STARTS}{_ENDS}]", "", text)
    return re.sub(rf" *{_BREAK}[ {_BREAK}]*", "  \n", text.strip(f" {_BREAK}"))


def _marked(found: re.Match[str]) -> str:
    """Return marked words; without their marks, where one would stand between a letter and a sign."""
    words, sign = found[2].strip(f" {_BREAK}"), _SIGNS[_STARTS.index(found[1])]
    start, end = found[2].split(words, 1) if words else ("", "")
    before = start or found.string[: found.start()][-1:]
    after = end or found.string[found.end() : found.end() + 1]
    begins, ends = words[:1].isalnum() or not before.isalnum(), words[-1:].isalnum() or not after.isalnum()
    return f"{start}{sign}{words}{sign}{end}" if words and begins and ends else found[2]


def _keys(text: str) -> Iterator[str]:
    """Yield the letters of each line that has any."""
    for line in text.split("\n"):
        if letters := "".join(_WORDS.findall(line)):
            yield letters


def _found(blocks: list[Block], main: str) -> set[str]:
    """Return the keys that are a line of the main text, or, alone or with the next, a part of it."""
    lines = [*_keys(main)]
    known, whole = {*lines, *_keys(_NUMBERED.sub("", main))}, "".join(lines)  # with list numbers, and without
    asked = [key for block in blocks for key in block.keys]
    found, looks = known.intersection(asked), LOOKS
    for keys in ((one, *rest) for pair in pairwise([*asked, ""]) for one, *rest in (pair[:1], pair)):
        part = "".join(keys)
        if looks and len(part) >= LONG and not found.issuperset(keys):
            looks -= 1
            found.update(keys if part in whole else ())
    return found


def _in_main(blocks: list[Block], found: set[str]) -> Iterator[Block]:
    """Yield what is in the main text: headings, and what stands from the first to the last line met once."""
    counts = Counter(key for block in blocks for key in block.keys)
    once = [
        at for at, block in enumerate(blocks) if any(key in found and counts[key] == 1 for key in block.keys)
    ]
    first, last = (once[0], once[-1]) if once else (0, len(blocks))
    for at, block in enumerate(blocks):
        if block.rows:
            block = _with_rows_in_main(block, found)
        if not found.isdisjoint(block.keys) and (first <= at <= last or block.is_heading):
            yield block


def _with_rows_in_main(block: Block, found: set[str]) -> Block:
    """Return a table with the rows that are found for the most part, below its first, which heads it."""
    kept = [2 * sum(len(key) for key in keys if key in found) >= sum(map(len, keys)) for keys in block.rows]
    lines = [*block.lines[:2], *compress(block.lines[2:], kept[1:])]
    return Block(lines, block.keys if any(kept) else [], block.holders)


def _joined(blocks: Iterable[Block]) -> str:
    """Return blocks one below the other; items of a list without an empty line between them."""
    parts, before = list[str](), set[int]()
    for block in blocks:
        lists = {id(holder.items) for holder in block.holders if holder.items is not None}
        begins = any(holder.marker.strip() not in {"", ">"} for holder in block.holders)
        parts.append("\n" if begins and not before.isdisjoint(lists) else "\n\n")
        parts.append("\n".join(_indented(block)))
        before = lists
    return "".join(parts)


def _indented(block: Block) -> Iterator[str]:
    """Yield the lines of a block; a definition that begins with a list has no marker of its own."""
    inner = block.holders[-1:]
    for holder in block.holders:
        if holder.marker == DEFINED and holder not in inner:
            holder.marker = ""
    for line in block.lines:
        prefix = "".join(holder.prefix() for holder in block.holders)
        yield prefix + line if line else prefix.rstrip()
