"""A user's own taxonomy: a CSV table of labels, or a SKOS file in Turtle, RDF/XML or N-Triples."""

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.rdf import is_rdf_xml, statements
from thresher.knowledge.schema import Writer
from thresher.knowledge.shipped_sources import TOPIC

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


def write_tree(writer: Writer, file: Path) -> int:
    """Write a user's tree beside the shipped one; its nodes stand before ours of the same path."""
    if file.suffix.lower() == ".csv":
        return _write_table(writer, file)
    return _write_skos(writer, file)


def _write_table(writer: Writer, file: Path) -> int:
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


def _write_node(writer: Writer, row: dict[str, str]) -> None:
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


def _ancestor(writer: Writer, parts: list[str]) -> None:
    identity = f"topic:{'/'.join(parts)}"
    if writer.has(identity):
        return
    writer.concept(identity, parts[-1], TOPIC)
    writer.labels(identity, "en", [parts[-1].replace("_", " ")])
    if len(parts) > 1:
        writer.relation(identity, "broader", f"topic:{'/'.join(parts[:-1])}")


def _write_skos(writer: Writer, file: Path) -> int:
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


def _write_concept(writer: Writer, subject: str, rows: list[Fact]) -> None:
    identity = f"skos:{subject}"
    texts = {name: value for name, value, _ in rows if name in ("definition", "scopeNote")}
    writer.concept(identity, texts.get("definition", texts.get("scopeNote", "")), TOPIC)
    for rank, wanted in enumerate(("prefLabel", "altLabel")):
        for name, value, language in rows:
            if name == wanted:
                writer.labels(identity, "zh" if language.startswith("zh") else "en", [value], rank)
