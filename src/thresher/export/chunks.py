"""A page in pieces for retrieval: cut at headings, of 200 to 400 words, each with the headings above it.

A word is a word, or two Han letters: 400 to 800 of those are as much to read. A section that is shorter
stays one piece; in a longer one sentences stay whole as far as they can.
"""

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from math import ceil

from msgspec import Struct

MOST = 400  # words of a piece
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
    pieces = [(path, piece) for path, text in sections(markdown) for piece in _pieces(text)]
    met: Counter[tuple[str, ...]] = Counter()
    found = []
    for number, (path, piece) in enumerate(pieces, 1):
        met[path] += 1
        id_ = _id(url, path, met[path], piece)
        found.append(Chunk(id_, url, title, path, piece, number, len(pieces), language, relevance))
    return found


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
