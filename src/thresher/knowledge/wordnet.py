"""WordNet's database files, as Debian's wordnet-base has them: the nouns, since topics are things."""

import re
from collections.abc import Iterator
from pathlib import Path

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.schema import Writer

KINDS = {"@": "broader", "@i": "broader", "%p": "part", "%m": "part", "%s": "part", "-c": "member"}
"""The pointers we keep; each is written together with its opposite, so one direction is read."""

PLACES = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/usr/share/wordnet/dict"))
"""Where packages put the files."""


def is_wordnet(folder: Path) -> bool:
    """Tell whether a folder holds WordNet's database files."""
    return (folder / "data.noun").is_file() and (folder / "index.noun").is_file()


def write_wordnet(writer: Writer, folder: Path) -> int:
    """Write the nouns of the database files; return how many concepts they are."""
    concepts = 0
    for line, text in _lines(folder / "data.noun"):
        _write_synset(writer, folder / "data.noun", line, text)
        concepts += 1
    for line, text in _lines(folder / "index.noun"):
        _write_lemma(writer, folder / "index.noun", line, text)
    return concepts


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are entries; the licence at the head is indented."""
    with file.open(encoding="utf-8", errors="replace") as opened:
        for line, text in enumerate(opened, start=1):
            if not text.startswith("  ") and text.strip():
                yield line, text.rstrip()


def _write_synset(writer: Writer, file: Path, line: int, text: str) -> None:
    match = _SYNSET.fullmatch(text)
    if not match:
        raise BrokenKnowledge(str(file), line, "'offset file type count word ... pointers | gloss'")
    offset, file_number, words, pointers, gloss = match.groups()
    if len(words.split()) % 2 or int(file_number) not in _DOMAINS:
        raise BrokenKnowledge(str(file), line, "pairs of word and number, in a noun file of WordNet")
    writer.concept(f"wn:{offset}-n", gloss.strip(), _DOMAINS[int(file_number)])
    for symbol, target in _POINTER.findall(pointers):
        if symbol in KINDS:
            writer.relation(f"wn:{offset}-n", KINDS[symbol], f"wn:{target}-n")


def _write_lemma(writer: Writer, file: Path, line: int, text: str) -> None:
    """Write a lemma with its senses, the commonest first: that is the order of the index."""
    lemma, *rest = text.split()
    offsets = [field for field in rest if len(field) == 8 and field.isdigit()]
    if len(rest) < 6 or rest[0] != "n" or not offsets:
        raise BrokenKnowledge(str(file), line, "'lemma n senses pointers ... offsets'")
    for rank, offset in enumerate(offsets):
        writer.labels(f"wn:{offset}-n", "en", [lemma.replace("_", " ")], rank)


_SYNSET = re.compile(r"(\d{8}) (\d\d) n [0-9a-f]{2} (\S+ [0-9a-f](?: \S+ [0-9a-f])*) \d{3} ?(.*?) ?\| (.*)")
_POINTER = re.compile(r"(\S{1,2}) (\d{8}) n 0000")
_NAMES = """
    tops act animal artifact attribute body cognition communication event feeling food group location motive
    object person phenomenon plant possession process quantity relation shape state substance time
"""
_DOMAINS = {number: f"noun.{name}" for number, name in enumerate(_NAMES.split(), start=3)}
